import { createHash } from 'node:crypto';
import type { Passage } from '@bezoar/core';

/** SHA-256 of the JSON text of [title or "", text], in hex. JSON escapes lone surrogates, so different texts never meet in UTF-8. */
export const contentHash = ({ title = '', text }: Pick<Passage, 'title' | 'text'>): string =>
  createHash('sha256')
    .update(JSON.stringify([title, text]))
    .digest('hex');
