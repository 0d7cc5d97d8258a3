import type { Passage } from '@bezoar/core';
import { duplicateKey } from '@bezoar/core/kernels/normalize-text';
import { createRandom } from '@bezoar/core/kernels/random';
import { deriveSeed } from '@bezoar/redteam';
import type { Dataset, DatasetQuery } from '../types.ts';

/** Places looked at before a corpus of blanks and copies is given up: so many, and so many for each passage wanted. */
const MAX_LOOKED = 1000;
const MAX_LOOKED_EACH = 100;

/**
 * Passages that are neither gold nor candidates of a question, drawn with a seed: with text, no two of the same text (white space aside), and
 * the first of a longer draw are those of a shorter one. Fewer where the corpus has no more. O(count) reads.
 */
export async function drawIrrelevant(
  dataset: Pick<Dataset, 'passageCount' | 'passages'>,
  query: Pick<DatasetQuery, 'id' | 'gold' | 'candidates'>,
  count: number,
  seed: number,
): Promise<readonly Passage[]> {
  const near = new Set([...query.gold.keys(), ...(query.candidates ?? [])]);
  const order = shuffledPlaces(dataset.passageCount, deriveSeed(seed, 'irrelevant-passages', query.id));
  const drawn = new Map<string, Passage>();
  let left = MAX_LOOKED + MAX_LOOKED_EACH * count;
  while (drawn.size < count && left > 0) {
    const places: number[] = [];
    while (places.length < count - drawn.size) {
      const next = order.next();
      if (next.done) break;
      if (!near.has(next.value)) places.push(next.value);
    }
    if (places.length === 0) break;
    left -= places.length;
    for (const passage of await dataset.passages(places)) {
      const key = duplicateKey(passage.text);
      if (key !== '' && !drawn.has(key)) drawn.set(key, passage);
    }
  }
  return [...drawn.values()];
}

/** Every place once, in random order: Fisher-Yates that remembers only what it moved. */
export function* shuffledPlaces(count: number, seed: number): Generator<number> {
  const random = createRandom(seed);
  const moved = new Map<number, number>();
  for (let first = 0; first < count; first++) {
    const other = first + random.integer(count - first);
    yield moved.get(other) ?? other;
    moved.set(other, moved.get(first) ?? first);
    moved.delete(first);
  }
}
