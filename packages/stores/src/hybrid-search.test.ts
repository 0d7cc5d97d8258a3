import { createMemoryStore } from '@bezoar/core/stores/memory';
import { expect, it } from 'vitest';
import { hybridSearch } from './hybrid-search.ts';

async function open() {
  const store = createMemoryStore({ vectors: { passage: 2 }, similarity: 'cosine' });
  const texts = ['red apple', 'red car', 'green pear', 'blue sky'];
  const vectors = [
    [0, 1],
    [1, 1],
    [1, 0],
    [1, 0.1],
  ];
  await store.put(
    texts.map((text, index) => ({
      passage: { id: `p${index}`, text, contentHash: '', addedAt: '', runId: 'r', status: 'searchable' as const, findings: [] },
      vectors: { passage: Float32Array.from(vectors[index]!) },
    })),
  );
  return store;
}

const east = Float32Array.of(1, 0);

it('puts the lexical list first and fills up with the dense one', async () => {
  const hits = await hybridSearch(await open(), { text: 'red apple', vector: east, k: 4 });
  expect(hits).toEqual([
    { id: 'p0', score: 1 / 1 + 1 / 64, lexicalRank: 1, denseRank: 4 },
    { id: 'p1', score: 1 / 2 + 1 / 63, lexicalRank: 2, denseRank: 3 },
    { id: 'p2', score: 1 / 61, lexicalRank: null, denseRank: 1 },
    { id: 'p3', score: 1 / 62, lexicalRank: null, denseRank: 2 },
  ]);
});

it('lets the dense list decide where lexical neighbours are close', async () => {
  const store = createMemoryStore({ vectors: { passage: 2 }, similarity: 'cosine' });
  await store.put(
    Array.from({ length: 12 }, (_, index) => ({
      passage: {
        id: `p${index}`,
        text: `red${' x'.repeat(index)} yy zz`,
        contentHash: '',
        addedAt: '',
        runId: 'r',
        status: 'searchable' as const,
        findings: [],
      },
      // Only these two have a vector.
      vectors: index === 3 || index === 9 ? { passage: Float32Array.of(1, index === 9 ? 0 : 0.5) } : {},
    })),
  );
  const order = (await hybridSearch(store, { text: 'red', vector: east, k: 12 })).map(({ id }) => id);
  const lexical = (await store.searchText({ text: 'red', k: 12 })).map(({ id }) => id);
  expect(order.slice(0, 7)).toEqual(lexical.slice(0, 7));
  expect(order.indexOf('p9')).toBe(lexical.indexOf('p9') - 1);
});

it('goes by one list where the other is silent', async () => {
  const store = await open();
  const ids = async (text: string, vector: Float32Array | null): Promise<string[]> =>
    (await hybridSearch(store, { text, vector, k: 2 })).map(({ id }) => id);
  expect(await ids('red apple', null)).toEqual(['p0', 'p1']);
  expect(await ids('red apple', Float32Array.of(0, 0))).toEqual(['p0', 'p1']);
  expect(await ids('nowhere', east)).toEqual(['p2', 'p3']);
  expect(await ids('nowhere', null)).toEqual([]);
});

it('passes on what it is asked: depth, filter', async () => {
  const store = await open();
  const deep = await hybridSearch(store, { text: 'red', vector: east, k: 1, depth: 1, filter: { status: 'quarantined' } });
  expect(deep).toEqual([]);
  await store.setStatus(['p1'], 'quarantined');
  expect((await hybridSearch(store, { text: 'red', vector: east, k: 4 })).map(({ id }) => id)).toEqual(['p0', 'p2', 'p3']);
});
