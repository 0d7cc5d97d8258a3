import { describe, expect, it } from 'vitest';
import type { IndexContext } from '../core/index-defense.ts';
import type { StoredPassage } from '../core/store-port.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { toyEncoder } from '../testing/index.ts';
import { naiveCombination } from './naive-combination.ts';
import { ragpart } from './ragpart.ts';

const encoder = toyEncoder();
const context: IndexContext = { encoder, passageText: 'title-and-text', seed: 1, approximate: false };
const stored = (id: string, text = id): StoredPassage => ({
  id,
  text,
  contentHash: '',
  addedAt: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  status: 'searchable',
  findings: [],
});
const query = (vector: readonly number[], keep: number) => ({ id: 'q', text: 'q', vector: Float32Array.from(vector), keep });

async function storeOf(vectors: Readonly<Record<string, readonly number[]>>, similarity: 'cosine' | 'dot' = 'dot') {
  const store = createMemoryStore({ vectors: { 'combination-0': 1, 'combination-1': 1, 'combination-2': 1 }, similarity });
  await store.put(
    Object.entries(vectors).map(([id, row]) => ({
      passage: stored(id),
      vectors: Object.fromEntries(row.map((x, i) => [`combination-${i}`, Float32Array.of(x)])),
    })),
  );
  return store;
}

describe('naiveCombination', () => {
  it('encodes the texts of every combination', async () => {
    const texts: string[] = [];
    const spy = {
      ...encoder,
      encode: (given: readonly string[]) => {
        texts.push(...given);
        return encoder.encode(given, { role: 'passage' });
      },
    };
    const passages = [
      { id: 'a', text: 'one two three' },
      { id: 'b', text: '' },
      { id: 'c', text: 'four' },
    ];
    const made = await naiveCombination({ fragments: 3, combine: 2 }).protect(passages, { ...context, encoder: spy });
    expect(texts).toEqual(['one two', 'one three', 'two three', 'four four', 'four four', 'four four']);
    expect(made.map((named) => Object.keys(named))).toEqual([
      ['combination-0', 'combination-1', 'combination-2'],
      [],
      ['combination-0', 'combination-1', 'combination-2'],
    ]);
    expect(made[0]!['combination-1']).toEqual((await encoder.encode(['one three'], { role: 'passage' })).vectors[0]);
  });

  it('leaves out what has no usable vector', async () => {
    const zero = {
      ...encoder,
      encode: async (texts: readonly string[]) => ({
        vectors: texts.map((text) => new Float32Array(32).fill(text === 'a b' ? 0 : 1)),
        truncated: [],
      }),
    };
    const [made] = await naiveCombination({ fragments: 3, combine: 2 }).protect([{ id: 'x', text: 'a b c' }], {
      ...context,
      encoder: zero,
    });
    expect(Object.keys(made!)).toEqual(['combination-1', 'combination-2']);
  });

  it('counts in how many databases a passage is among the first', async () => {
    const store = await storeOf({ a: [5, 5, 0], b: [4, 0, 4], c: [0, 4, 5], d: [3, 3, 3] });
    const defense = naiveCombination({ fragments: 3, combine: 2 });
    const { hits, exact, encoded } = await defense.retrieve(query([1], 2), store, context);
    expect({ exact, encoded }).toEqual({ exact: true, encoded: 0 });
    expect(hits).toEqual([
      { id: 'a', score: 2, evidence: { votes: 2, databases: 3, mean: 10 / 3 } },
      { id: 'c', score: 2, evidence: { votes: 2, databases: 3, mean: 3 } },
    ]);
    const fewer = await naiveCombination({ fragments: 3, combine: 2, places: 1 }).retrieve(query([1], 5), store, {
      ...context,
      approximate: true,
    });
    expect(fewer.hits.map(({ id, score }) => [id, score])).toEqual([
      ['a', 2],
      ['c', 1],
    ]);
    expect(fewer.exact).toBe(false);
  });

  it('takes what all databases name, in the order of the means', async () => {
    const store = await storeOf({ a: [5, 5, 5], b: [4, 4, 9], c: [0, 0, 6] });
    const defense = naiveCombination({ fragments: 3, combine: 2, aggregate: 'intersection', places: 2 });
    expect((await defense.retrieve(query([1], 3), store, context)).hits.map(({ id }) => id)).toEqual(['b']);
    const filled = naiveCombination({ fragments: 3, combine: 2, aggregate: 'intersection', places: 2, topUp: true });
    expect((await filled.retrieve(query([1], 3), store, context)).hits.map(({ id, score }) => [id, score])).toEqual([
      ['b', 3],
      ['a', 2],
      ['c', 1],
    ]);
  });

  it('compares by cosine where the store does', async () => {
    const { hits } = await naiveCombination({ fragments: 3, combine: 2 }).retrieve(
      query([2], 2),
      await storeOf({ a: [1, 1, -1], b: [5, 5, 5] }, 'cosine'),
      context,
    );
    expect(hits.map(({ id, evidence }) => [id, evidence.mean])).toEqual([
      ['b', 1],
      ['a', 1 / 3],
    ]);
  });

  it('is ragpart where nothing is combined', async () => {
    const texts = ['gallstones of goats cure poison', 'the moon is far', 'goats climb', 'poison is in the dose', 'a bezoar is a gallstone'];
    const passages = texts.map((text, i) => ({ id: `p${i}`, text }));
    const [vector] = (await encoder.encode(['what cures poison'], { role: 'query' })).vectors;
    const answers = await Promise.all(
      [ragpart({ fragments: 3, combine: 1 }), naiveCombination({ fragments: 3, combine: 1 })].map(async (defense) => {
        const store = createMemoryStore({
          vectors: Object.fromEntries(defense.vectorNames.map((name) => [name, 32])),
          similarity: 'cosine',
        });
        const vectors = await defense.protect(passages, context);
        await store.put(passages.map(({ id, text }, i) => ({ passage: stored(id, text), vectors: vectors[i]! })));
        return (await defense.retrieve({ id: 'q', text: 'q', vector: vector!, keep: 3 }, store, context)).hits.map(({ id, score }) => [
          id,
          score,
        ]);
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toHaveLength(3);
  });

  it('refuses more vectors than a passage should have, and names the way out', () => {
    expect(() => naiveCombination({ fragments: 10, combine: 5 })).not.toThrow();
    expect(() => naiveCombination({ fragments: 15, combine: 5 })).toThrow(
      'naive-combination: 5 of 15 fragments are 3003 vectors a passage, at most 300; take fewer fragments, or ragpart, which stores one a fragment',
    );
    expect(() => naiveCombination({ fragments: 2 })).toThrow('combine is 3, expected at most the 2 fragments');
    expect(naiveCombination({ places: 4 }).spec).toBe('naive-combination?places=4');
  });
});
