import type { Passage } from '@bezoar/core';
import type { Dataset, DatasetQuery } from '../packages/bench/src/types.ts';

export interface MemoryDataset extends Dataset {
  /** How often the whole corpus was read. */
  readonly reads: () => number;
}

/** A dataset without files. Texts become passages `c0`, `c1`, ...; the fingerprint is their content; batches are small, so that there are several. */
export function memoryDataset(
  corpus: readonly (string | Passage)[],
  queries: readonly (Partial<DatasetQuery> & { readonly text: string })[],
  batch = 7,
): MemoryDataset {
  const passages = corpus.map((given, place): Passage => (typeof given === 'string' ? { id: `c${place}`, text: given } : given));
  const asked = queries.map(
    (given, index): DatasetQuery => ({
      id: `q${index}`,
      answers: ['right'],
      targetAnswer: 'wrong',
      wrongTexts: [],
      candidates: null,
      gold: new Map(),
      ...given,
    }),
  );
  let reads = 0;
  return {
    name: 'memory',
    fingerprint: JSON.stringify(passages),
    passageCount: passages.length,
    queries: asked,
    hasCandidates: asked.some(({ candidates }) => candidates !== null),
    hasWrongTexts: asked.some(({ wrongTexts }) => wrongTexts.length > 0),
    passages: async (places) =>
      places.map((place) => {
        const passage = passages[place];
        if (passage === undefined) throw new Error(`no passage at ${place}`);
        return passage;
      }),
    async *batches(size) {
      reads++;
      const step = Math.min(size, batch);
      for (let first = 0; first < passages.length; first += step) yield { first, passages: passages.slice(first, first + step) };
    },
    close: async () => undefined,
    reads: () => reads,
  };
}
