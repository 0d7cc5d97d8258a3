/** For the kill tests, as a process of its own: opens the store that the argument names and puts 2,000 passages, 200 at a time; says when each is done. */
import type { StoreRecord } from '@bezoar/core';
import { openStore } from '../open-store.ts';

const store = await openStore(process.argv[2]!, { vectors: { passage: 32, other: 32 }, similarity: 'cosine' });
console.log('open');
for (let round = 0; round < 10; round++) {
  await store.put(
    Array.from({ length: 200 }, (_, index): StoreRecord => {
      const id = `${round}-${index}`;
      const vector = Float32Array.from({ length: 32 }, (_, place) => index + place);
      return {
        passage: {
          id,
          text: `Passage ${id} of the harbour. `.repeat(40),
          contentHash: id,
          addedAt: '2026-01-01T00:00:00Z',
          runId: `round-${round}`,
          status: 'searchable',
          findings: [],
        },
        vectors: { passage: vector, other: vector },
      };
    }),
  );
  console.log(`put ${round}`);
}
await store.close();
