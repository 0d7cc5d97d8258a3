import type { StoreHit } from '@bezoar/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rankedHits, withZeroVectors } from './ranked-hits.ts';

const order = (a: StoreHit, b: StoreHit): number => b.score - a.score || (a.id < b.id ? -1 : 1);
const hits = fc.uniqueArray(fc.record({ id: fc.string({ maxLength: 4 }), score: fc.integer({ min: -2, max: 2 }) }), {
  selector: ({ id }) => id,
  maxLength: 120,
});

describe('the best of what a server finds', () => {
  test('are those of the whole list, wherever the server cuts a row of equal scores', async () => {
    await fc.assert(
      fc.asyncProperty(hits, fc.integer({ min: 0, max: 20 }), async (all, k) => {
        // Worst id first among equal scores: what a server that knows no ids may do.
        const served = [...all].sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
        const found = await rankedHits(k, async (limit) => served.slice(0, limit));
        expect(found).toEqual([...all].sort(order).slice(0, k));
      }),
    );
  });

  test('asks for sixteen more, then for twice as many while all are level', async () => {
    const asked: number[] = [];
    const ask = async (limit: number): Promise<StoreHit[]> => {
      asked.push(limit);
      return Array.from({ length: Math.min(limit, 100) }, (_, index) => ({ id: `${index}`, score: 1 }));
    };
    await rankedHits(4, ask);
    expect(asked).toEqual([20, 40, 80, 160]);
    asked.length = 0;
    await rankedHits(4, ask, 50);
    expect(asked).toEqual([20, 40, 50]);
    asked.length = 0;
    expect(await rankedHits(0, ask)).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('passages with a zero vector', () => {
  test('stand where a score of 0 stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        hits,
        fc.uniqueArray(fc.string({ minLength: 5, maxLength: 6 })),
        fc.integer({ min: 0, max: 9 }),
        async (all, ids, k) => {
          const found = [...all].sort(order).slice(0, k);
          const zeros = ids.map((id) => ({ id, score: 0 }));
          expect(await withZeroVectors(k, found, async () => ids)).toEqual([...all, ...zeros].sort(order).slice(0, k));
        },
      ),
    );
  });

  test('are not looked for where nothing could change', async () => {
    const found = [{ id: 'a', score: 0.1 }];
    expect(await withZeroVectors(1, found, () => Promise.reject(new Error('asked')))).toBe(found);
    expect(await withZeroVectors(0, [], () => Promise.reject(new Error('asked')))).toEqual([]);
  });
});
