import { jsonText } from '@bezoar/bench/json-text';
import { BezoarError } from '@bezoar/core';

/** A value as one line of JSON in which nothing can act on a terminal, see `jsonText`; what is too deep or too long for a line is refused. */
export function jsonLine(value: unknown, at: string): string {
  try {
    return `${jsonText(value)}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BezoarError('TOO_LARGE', `${at} is nested too deeply, or makes a line too long, to be written; leave out metadata`, {
      cause: error,
    });
  }
}
