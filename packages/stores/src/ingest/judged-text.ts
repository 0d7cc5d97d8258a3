import { MAX_CHARACTERS, type Passage } from '@bezoar/core';
import type { FindingSpan } from './finding.ts';

/** The text that rules look at: title, line break, text, of each no more than a passage can have. */
export const judgedText = ({ title, text }: Passage): string =>
  title ? `${title.slice(0, MAX_CHARACTERS)}\n${text.slice(0, MAX_CHARACTERS)}` : text.slice(0, MAX_CHARACTERS);

/** A stretch of the judged text as one of the title or of the text; one over both counts for the one it begins in. */
export function spanOf({ title }: Passage, start: number, end: number): FindingSpan {
  const offset = title ? Math.min(title.length, MAX_CHARACTERS) + 1 : 0;
  if (start >= offset) return { field: 'text', start: start - offset, end: end - offset };
  return { field: 'title', start, end: Math.max(start, Math.min(end, offset - 1)) };
}

/** All of a passage. */
export const wholeText = ({ text }: Passage): FindingSpan => ({ field: 'text', start: 0, end: Math.min(text.length, MAX_CHARACTERS) });
