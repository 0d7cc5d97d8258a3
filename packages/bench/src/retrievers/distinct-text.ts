import { createHash } from 'node:crypto';

/** The same string for texts that are equal whitespace aside, and for no others; short, so that many can be held. */
export function distinctText(text: string): string {
  // As JSON, because lone surrogates that differ are one and the same in UTF-8.
  return createHash('sha256')
    .update(JSON.stringify(text.replace(/\s+/g, ' ').trim()))
    .digest('base64');
}
