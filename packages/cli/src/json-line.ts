import { BezoarError } from '@bezoar/core';

/**
 * A value as one line of JSON in which nothing can act on a terminal. JSON itself escapes only what is below U+0020; here the other controls and
 * the marks that turn the direction of text are escaped too, so that whoever reads the JSON gets the same value.
 */
export function jsonLine(value: unknown, at: string): string {
  try {
    const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return `${JSON.stringify(value).replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, escaped)}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BezoarError('TOO_LARGE', `${at} is nested too deeply, or makes a line too long, to be written; leave out metadata`, {
      cause: error,
    });
  }
}
