import { tokenizeUnicode } from '@bezoar/core/kernels/tokenize-unicode';

const START = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 units. */
export function hashText(text: string): number {
  let hash = START;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3, so that every bit of a hash depends on every bit of what it is made of. */
export function mixBits(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash of each word of a text, in order: `tokenizeUnicode(text).map(hashText)`, without strings where the text is ASCII and usual punctuation. */
export function hashWords(text: string): number[] {
  const hashes: number[] = [];
  let hash = START;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    // Dashes, quotes and dots separate; U+2017 alone among them unfolds to a mark.
    if (code > 127 && !(code >= 0x2010 && code <= 0x2027 && code !== 0x2017)) return tokenizeUnicode(text).map(hashText);
    if (code >= 65 && code <= 90) code += 32;
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) {
      hash = Math.imul(hash ^ code, PRIME);
      inside = true;
    } else if (inside) {
      hashes.push(hash >>> 0);
      hash = START;
      inside = false;
    }
  }
  if (inside) hashes.push(hash >>> 0);
  return hashes;
}
