import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { StoreRecord, StoreShape } from '../core/store-port.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { testStore } from '../testing/test-store.ts';
import { createMemoryStore } from './memory.ts';

const SHAPE: StoreShape = { vectors: { passage: 3 }, similarity: 'cosine' };
const recordOf = (id: string, vector: readonly number[], more: Partial<StoreRecord['passage']> = {}): StoreRecord => ({
  passage: { id, text: 'words', contentHash: 'h', addedAt: 't', runId: 'r', status: 'searchable', findings: [], ...more },
  vectors: { passage: Float32Array.from(vector) },
});

describe('memory meets the promises of a store', () => {
  testStore({ test: (name, run) => test(name, run), create: async (shape) => createMemoryStore(shape) });
});

describe('memory', () => {
  it('says what it is', () => {
    const store = createMemoryStore(SHAPE);
    expect([store.name, store.shape, store.capabilities]).toEqual([
      'memory',
      SHAPE,
      { approximate: false, transactional: true, persistent: false },
    ]);
    expect(Object.isFrozen(store)).toBe(true);
    expect(() => createMemoryStore({ vectors: {}, similarity: 'dot' })).toThrow('a store needs at least one named vector');
  });

  it('finds what sorting all scores finds, after any puts and removals', async () => {
    const whole = fc.integer({ min: -2, max: 2 });
    const step = fc.record({ id: fc.integer({ min: 0, max: 30 }), vector: fc.tuple(whole, whole, whole), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 120 }),
        fc.tuple(whole, whole, whole),
        fc.integer({ min: 0, max: 40 }),
        async (steps, question, k) => {
          const store = createMemoryStore(SHAPE);
          const twin = new Map<string, readonly number[]>();
          for (const { id, vector, remove } of steps) {
            if (remove) {
              expect(await store.remove({ ids: [`${id}`] })).toBe(twin.delete(`${id}`) ? 1 : 0);
            } else {
              await store.put([recordOf(`${id}`, vector)]);
              twin.set(`${id}`, vector);
            }
          }
          const expected = Array.from(twin, ([id, vector]) => ({ id, score: cosineSimilarity(question, vector) }))
            .sort((a, b) => Number((b.score - a.score).toFixed(9)) || (a.id < b.id ? -1 : 1))
            .slice(0, k);
          const hits = await store.search({ name: 'passage', vector: Float32Array.from(question), k });
          expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          for (const [rank, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[rank]!.score, 12);
          expect(await store.count()).toBe(twin.size);
        },
      ),
      { seed: 9, numRuns: 300 },
    );
  });

  it('keeps the best of many whatever order they come in', async () => {
    const store = createMemoryStore({ vectors: { passage: 1 }, similarity: 'dot' });
    // Ascending scores pass every threshold; equal ones at the end must not push out earlier ids.
    await store.put(Array.from({ length: 500 }, (_, index) => recordOf(`p${1000 + index}`, [index])));
    await store.put(Array.from({ length: 300 }, (_, index) => recordOf(`q${1000 - index}`, [499])));
    const hits = await store.search({ name: 'passage', vector: Float32Array.of(2), k: 3 });
    expect(hits).toEqual([
      { id: 'p1499', score: 998 },
      { id: 'q1000', score: 998 },
      { id: 'q701', score: 998 },
    ]);
    expect(await store.search({ name: 'passage', vector: Float32Array.of(2), k: 1000 })).toHaveLength(800);
  });

  it('multiplies vectors of every length', async () => {
    for (let length = 1; length <= 9; length++) {
      const store = createMemoryStore({ vectors: { passage: length }, similarity: 'dot' });
      const vector = Array.from({ length }, (_, index) => index + 1);
      await store.put([
        recordOf('a', vector),
        recordOf(
          'b',
          vector.map((value) => -value),
        ),
      ]);
      const sum = vector.reduce((total, value) => total + value * value, 0);
      expect(await store.search({ name: 'passage', vector: Float32Array.from(vector), k: 2 })).toEqual([
        { id: 'a', score: sum },
        { id: 'b', score: -sum },
      ]);
    }
  });

  it('counts words over the passages of the status asked for, title first', async () => {
    const store = createMemoryStore(SHAPE);
    await store.put([
      recordOf('a', [1, 0, 0], { title: 'Halden', text: 'bridge' }),
      recordOf('b', [1, 0, 0], { text: 'bridge office' }),
      recordOf('c', [1, 0, 0], { text: 'bridge bridge', status: 'quarantined' }),
    ]);
    // Lucene's BM25: one of two passages has the word, which has two words as has the mean; k1 1.5.
    const alone = Math.log(1 + 1.5 / 1.5) / 2.5;
    expect(await store.searchText({ text: 'halden', k: 5 })).toEqual([{ id: 'a', score: expect.closeTo(alone, 12) }]);
    const ofAll = Math.log(1 + 0.5 / 3.5);
    expect(await store.searchText({ text: 'bridge', k: 5, filter: { status: 'any' } })).toEqual([
      { id: 'c', score: expect.closeTo((ofAll * 2) / 3.5, 12) },
      { id: 'a', score: expect.closeTo(ofAll / 2.5, 12) },
      { id: 'b', score: expect.closeTo(ofAll / 2.5, 12) },
    ]);
    await store.setStatus(['c'], 'searchable');
    expect(await store.searchText({ text: 'bridge', k: 1 })).toEqual([{ id: 'c', score: expect.closeTo((ofAll * 2) / 3.5, 12) }]);
  });

  it('keeps what was there when a restore breaks off, and forgets all when closed', async () => {
    const store = createMemoryStore(SHAPE);
    await store.put([recordOf('a', [1, 0, 0])]);
    const pieces: Uint8Array[] = [];
    for await (const piece of store.snapshot()) pieces.push(piece);
    await store.put([recordOf('b', [1, 0, 0])]);
    const stream = async function* (to: number): AsyncGenerator<Uint8Array> {
      yield* pieces.slice(0, to);
    };
    await expect(store.restore(stream(pieces.length - 1))).rejects.toThrow('cut off');
    expect(await store.count()).toBe(2);
    await store.restore(stream(pieces.length));
    expect(await store.count()).toBe(1);
    expect(await store.searchText({ text: 'words', k: 5 })).toHaveLength(1);
    await store.close();
    expect(await store.count()).toBe(0);
  });
});
