import { tokenizeUnicode } from './tokenize-unicode.ts';

/** Words in a shingle. */
const SHINGLE = 3;
/** Shingles kept of a text: the ones with the smallest hashes. */
export const SKETCH = 512;

export interface Nearest {
  /** The earlier text, or -1 when none shares a shingle. */
  readonly index: number;
  /** Resemblance to it in [0, 1]. */
  readonly similarity: number;
}

/**
 * For each text, the earlier text it resembles most (the first of several alike); null for a text without a word. A text that resembles an
 * earlier one at `threshold` or above is not itself compared with later ones.
 *
 * Resemblance is the Jaccard index of the sets of word shingles (Broder 1997): exact up to 512 shingles, beyond that over the part of the
 * hash range that both sketches cover. A text of fewer words than a shingle is one shingle.
 */
export function nearestEarlier(texts: readonly string[], threshold: number): (Nearest | null)[] {
  const sketches: Uint32Array[] = [];
  const holders = new Map<number, number[]>();
  const shared = new Uint16Array(texts.length);
  return texts.map((text, index) => {
    const sketch = sketchOf(text);
    sketches.push(sketch);
    if (sketch.length === 0) return null;
    shared.fill(0);
    for (const shingle of sketch) {
      const list = holders.get(shingle);
      if (list) for (let i = 0; i < list.length; i++) shared[list[i]!]!++;
    }
    let nearest: Nearest = { index: -1, similarity: 0 };
    for (let earlier = 0; earlier < index; earlier++) {
      if (shared[earlier] === 0) continue;
      const similarity = resemblance(sketches[earlier]!, sketch, shared[earlier]!);
      if (similarity > nearest.similarity) nearest = { index: earlier, similarity };
    }
    if (nearest.index < 0 || nearest.similarity < threshold) {
      for (const shingle of sketch) {
        const list = holders.get(shingle);
        if (list) list.push(index);
        else holders.set(shingle, [index]);
      }
    }
    return nearest;
  });
}

/** The smallest hashes of the distinct shingles, ascending. */
function sketchOf(text: string): Uint32Array {
  const words = tokenizeUnicode(text).map(hashWord);
  const last = Math.max(words.length - SHINGLE, words.length === 0 ? -1 : 0);
  const hashes = new Set<number>();
  for (let from = 0; from <= last; from++) {
    let hash = 0;
    for (let at = from; at < Math.min(from + SHINGLE, words.length); at++) hash = mix(Math.imul(hash, 31) + words[at]!);
    hashes.add(hash);
  }
  return Uint32Array.from(hashes).sort().slice(0, SKETCH);
}

/** FNV-1a over UTF-16 units. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}

/** The finalizer of MurmurHash3, so that the smallest hashes are a fair sample. */
function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Jaccard index of two sketches with `both` hashes in common, over the hashes up to the least that a full sketch ends with. */
function resemblance(a: Uint32Array, b: Uint32Array, both: number): number {
  const limit = Math.min(lastOfFull(a), lastOfFull(b));
  return both / (countUpTo(a, limit) + countUpTo(b, limit) - both);
}

const lastOfFull = (sketch: Uint32Array): number => (sketch.length < SKETCH ? Infinity : sketch[SKETCH - 1]!);

function countUpTo(sketch: Uint32Array, limit: number): number {
  let low = 0;
  let high = sketch.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sketch[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
