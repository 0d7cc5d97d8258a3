import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Encoder } from '@bezoar/core';
import { bm25Index } from '@bezoar/core/kernels/bm25';
import { rankOrder } from '@bezoar/core/kernels/rank-order';
import { toyEncoder } from '@bezoar/core/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MemoryDataset, memoryDataset } from '../../../../tests/memory-dataset.ts';
import { distinctText } from './distinct-text.ts';
import { countQueryWords, lexical } from './lexical.ts';
import { openSearch, type Search, type SearchModels } from './open-search.ts';

const WORDS = ['red', 'fox', 'ran', 'home', 'late', 'dog', 'blue', 'sat'];
const TEXT = fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }).map((words) => words.join(' '));
const SETTINGS = { retriever: 'dense', pool: 3, passageText: 'title-and-text', keepDuplicates: true } as const;
const models = (more: Partial<SearchModels> = {}): SearchModels => ({
  encoder: toyEncoder(8),
  cacheDir: null,
  signal: null,
  progress: () => undefined,
  ...more,
});
const names = (search: Search, query: number, count: number, from: number, to: number): string[] =>
  search.top(query, count, from, to).map(({ planted, place }) => (planted ? `p${place}` : `c${place}`));

describe('openSearch', () => {
  it('gives what searching again with the poison in the corpus gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TEXT, { maxLength: 25 }), fc.array(TEXT, { maxLength: 8 }), TEXT, async (corpus, poison, text) => {
        const clean = await openSearch(memoryDataset(corpus, []), memoryDataset([], [{ text }]).queries, poison, SETTINGS, models());
        const poisoned = memoryDataset([...corpus, ...poison], [{ text }]);
        const again = await openSearch(poisoned, poisoned.queries, [], SETTINGS, models());
        const expected = again.top(0, 7, 0, 0).map(({ place }) => (place < corpus.length ? `c${place}` : `p${place - corpus.length}`));
        expect(names(clean, 0, 7, 0, poison.length)).toEqual(expected);
      }),
    );
  });

  it('fuses the ranks that dense and lexical lists of the poisoned corpus give', async () => {
    // More passages than a list is deep, so that the depth shows.
    const corpus = fc.array(
      fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => words.join(' ')),
      { minLength: 130, maxLength: 160 },
    );
    await fc.assert(
      fc.asyncProperty(corpus, fc.array(TEXT, { maxLength: 6 }), fc.boolean(), async (clean, poison, keepDuplicates) => {
        const text = 'did the red fox run home late';
        const dataset = memoryDataset(clean, [{ text }], 50);
        const encoder = toyEncoder(8);
        const found = await openSearch(
          dataset,
          dataset.queries,
          poison,
          { ...SETTINGS, retriever: 'hybrid', keepDuplicates },
          models({ encoder }),
        );
        // The twin: all copies left out, all scores, all ranks.
        const first = (place: number): boolean => clean.findIndex((other) => distinctText(other) === distinctText(clean[place]!)) === place;
        const places = [...clean.keys()].filter((place) => keepDuplicates || first(place));
        const all = [
          ...places.map((place) => ({ name: `c${place}`, text: clean[place]! })),
          ...poison.map((planted, place) => ({ name: `p${place}`, text: planted })),
        ];
        const { vectors } = await encoder.encode([text, ...all.map((item) => item.text)], { role: 'passage' });
        const cosines = all.map((item, i) => {
          if (item.text === '') return Number.NaN;
          const product = vectors[0]!.reduce((sum, x, d) => sum + x * vectors[i + 1]![d]!, 0);
          return product / (Math.hypot(...vectors[0]!) * Math.hypot(...vectors[i + 1]!)) || 0;
        });
        const statistics = await countQueryWords(dataset, [text], { passageText: 'text', signal: null, progress: () => undefined });
        const words = (await lexical(statistics, [text]).score(all.map((item) => item.text))).scores(0, 0, all.length);
        const sums = new Map<string, number>();
        for (const scores of [cosines, words]) {
          const order = rankOrder(scores).filter((i) => !Number.isNaN(scores[i]));
          for (const [index, i] of order.slice(0, 100).entries()) sums.set(all[i]!.name, (sums.get(all[i]!.name) ?? 0) + 1 / (61 + index));
        }
        const fused = [...sums.keys()];
        const expected = rankOrder([...sums.values()]).map((i) => fused[i]);
        expect(names(found, 0, 30, 0, poison.length)).toEqual(expected.slice(0, 30));
      }),
      { numRuns: 20 },
    );
  });

  it("is core's search with the lexical retriever", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TEXT, { maxLength: 25 }), TEXT, async (corpus, text) => {
        const dataset = memoryDataset(corpus, [{ text }]);
        const search = await openSearch(dataset, dataset.queries, null, { ...SETTINGS, retriever: 'lexical' }, models({ encoder: null }));
        const expected = bm25Index(corpus).search(text, 9);
        expect(names(search, 0, 9, 0, 0)).toEqual(expected.map(({ index }) => `c${index}`));
      }),
    );
  });

  it('asks the planted passages only of the stretch it is given', async () => {
    const dataset = memoryDataset(['fox'], [{ text: 'fox' }]);
    for (const retriever of ['dense', 'lexical', 'hybrid'] as const) {
      const search = await openSearch(dataset, dataset.queries, ['red fox', 'fox fox', 'fox dog'], { ...SETTINGS, retriever }, models());
      expect(names(search, 0, 9, 1, 2).toSorted()).toEqual(['c0', 'p1']);
      expect(names(search, 0, 9, 1, 1)).toEqual(['c0']);
    }
  });

  it('leaves candidates in their order where nothing competes, and needs an encoder where something does', async () => {
    const dataset = memoryDataset(['dog', 'fox'], [{ text: 'fox', candidates: [0, 1] }]);
    const settings = { ...SETTINGS, retriever: 'candidates' } as const;
    const order = async (planted: readonly string[] | null, more: Partial<SearchModels>): Promise<string[]> =>
      names(await openSearch(dataset, dataset.queries, planted, settings, models(more)), 0, 9, 0, planted?.length ?? 0);
    expect(await order(null, {})).toEqual(['c0', 'c1']);
    expect(await order([], { encoder: null })).toEqual(['c0', 'c1']);
    expect(await order([], {})).toEqual(['c1', 'c0']);
    expect(await order(['fox'], {})).toEqual(['c1', 'p0', 'c0']);
    await expect(order(['fox'], { encoder: null })).rejects.toMatchObject({ code: 'NEEDS_EMBEDDINGS' });
    const corpus = openSearch(dataset, dataset.queries, null, { ...SETTINGS, retriever: 'hybrid' }, models({ encoder: null }));
    await expect(corpus).rejects.toThrow('retriever hybrid compares passages with questions here, and no encoder is given');
  });
});

describe('openSearch with a folder', () => {
  let cacheDir: string;
  beforeEach(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'bezoar-search-'));
  });
  afterEach(() => rm(cacheDir, { recursive: true, force: true }));

  const CORPUS = ['red fox', 'blue dog', 'red  fox', 'home late'];
  const counting = (): Encoder & { passages: number } => {
    const encoder = toyEncoder(8);
    const counter = {
      ...encoder,
      passages: 0,
      encode: async (texts: readonly string[], options: { role: 'query' | 'passage' }) => {
        if (options.role === 'passage') counter.passages += texts.length;
        return encoder.encode(texts, options);
      },
    };
    return counter;
  };
  /** How often the corpus was read, how many passages encoded, and the pool. */
  const run = async (more: object = {}, dataset: MemoryDataset = memoryDataset(CORPUS, [{ text: 'red fox' }]), encoder = counting()) => {
    const search = await openSearch(
      dataset,
      dataset.queries,
      ['fox'],
      { ...SETTINGS, retriever: 'hybrid', ...more },
      models({ cacheDir, encoder }),
    );
    return { reads: dataset.reads(), passages: encoder.passages, names: names(search, 0, 4, 0, 1), top: search.top(0, 4, 0, 1) };
  };

  it('reads and encodes the corpus once', async () => {
    const cold = await run();
    // Once for similarity, twice for words; four passages and the poison.
    expect([cold.reads, cold.passages]).toEqual([3, 5]);
    const cached = await run();
    expect([cached.reads, cached.passages]).toEqual([0, 1]);
    expect(cached.top).toEqual(cold.top);
    expect((await run({ pool: 10 })).reads).toBe(0);
    expect((await run({ retriever: 'lexical' })).reads).toBe(0);
  });

  it('searches again when anything that decides the lists differs', async () => {
    await run();
    expect((await run({ pool: 11 })).reads).toBe(2);
    const copies = await run({ keepDuplicates: false });
    expect(copies.reads).toBe(2);
    expect(copies.names).toEqual(['c0', 'p0', 'c1', 'c3']);
    expect((await run({ passageText: 'text' })).reads).toBe(3);
    expect((await run({}, memoryDataset([...CORPUS, 'new'], [{ text: 'red fox' }]))).reads).toBe(3);
    expect((await run({}, memoryDataset(CORPUS, [{ text: 'red dog' }]))).reads).toBe(3);
    expect((await run({}, undefined, Object.assign(counting(), { name: 'other' }))).reads).toBe(1);
    expect((await run()).reads).toBe(0);
  });

  it('mends a damaged file', async () => {
    const cold = await run();
    for (const file of await readdir(join(cacheDir, 'pools'))) await writeFile(join(cacheDir, 'pools', file), '{"half": ');
    expect(await run()).toEqual(cold);
    expect((await run()).reads).toBe(0);
  });
});
