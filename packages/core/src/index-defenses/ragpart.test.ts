import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexContext, IndexQuery } from '../core/index-defense.ts';
import type { Encoder } from '../core/ports.ts';
import type { StoredPassage, VectorStore } from '../core/store-port.ts';
import { BezoarError } from '../errors.ts';
import { combinations } from '../kernels/combinations.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { rankOrder } from '../kernels/rank-order.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { toyEncoder } from '../testing/index.ts';
import type { Passage } from '../types.ts';
import { ragpart } from './ragpart.ts';

type Options = NonNullable<Parameters<typeof ragpart>[0]>;

const stored = (id: string, text = id): StoredPassage => ({
  id,
  text,
  contentHash: '',
  addedAt: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  status: 'searchable',
  findings: [],
});
const contextWith = (encoder: Encoder, more: Partial<IndexContext> = {}): IndexContext => ({
  encoder,
  passageText: 'title-and-text',
  seed: 0,
  approximate: false,
  ...more,
});
const context = contextWith(toyEncoder());
const question = (vector: readonly number[], keep: number): IndexQuery => ({ id: 'q', text: 'q', vector: Float32Array.from(vector), keep });

/** A store of given fragments. */
async function storeOf(
  fragments: Readonly<Record<string, readonly (readonly number[])[]>>,
  similarity: 'cosine' | 'dot',
): Promise<VectorStore> {
  const rows = Object.entries(fragments);
  const names = (rows[0]?.[1] ?? [[0], [0], [0]]).map((_, i) => `fragment-${i}`);
  const width = rows[0]?.[1][0]?.length ?? 1;
  const store = createMemoryStore({ vectors: Object.fromEntries(names.map((name) => [name, width])), similarity });
  await store.put(
    rows.map(([id, vectors]) => ({
      passage: stored(id),
      vectors: Object.fromEntries(vectors.map((vector, i) => [names[i]!, Float32Array.from(vector)])),
    })),
  );
  return store;
}

/** What the paper does: makes all databases and searches each. */
function materialised(
  fragments: Readonly<Record<string, readonly (readonly number[])[]>>,
  query: IndexQuery,
  similarity: 'cosine' | 'dot',
  options: Options,
) {
  const { combine = 3, aggregate = 'vote', places = query.keep, topUp = false } = options;
  const ids = Object.keys(fragments).sort((a, b) => (a < b ? -1 : 1));
  const dot = (a: ArrayLike<number>): number => Array.from(a).reduce((sum, x, i) => sum + x * query.vector[i]!, 0);
  const compare = (a: readonly number[]): number => (similarity === 'cosine' ? cosineSimilarity(a, query.vector) : dot(a));
  const n = fragments[ids[0]!]!.length;
  const subsets = combinations(n, combine);
  const votes = ids.map(() => 0);
  for (let start = 0; start < subsets.length; start += combine) {
    const database = ids.map((id) =>
      Array.from(query.vector, (_, d) => [...subsets.subarray(start, start + combine)].reduce((sum, i) => sum + fragments[id]![i]![d]!, 0)),
    );
    for (const place of rankOrder(database.map(compare)).slice(0, places!)) votes[place]!++;
  }
  const means = ids.map((id) => fragments[id]!.reduce((sum, vector) => sum + compare(vector), 0) / n);
  const ranked = rankOrder(means).sort((a, b) => votes[b]! - votes[a]!);
  const named = ranked.filter((place) => votes[place]! > 0);
  const everywhere = named.filter((place) => votes[place] === subsets.length / combine);
  const chosen = aggregate === 'vote' || topUp ? named : everywhere.length > 0 ? everywhere : null;
  // What is drawn is told by its size and where it is from.
  return chosen
    ? chosen.slice(0, query.keep).map((place) => ({ id: ids[place]!, score: votes[place]! }))
    : { from: new Set(named.map((place) => ids[place]!)) };
}

describe('ragpart, retrieving', () => {
  const vectors = (n: number, d: number) =>
    fc.array(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: d, maxLength: d }), { minLength: n, maxLength: n });
  const cases = fc
    .record({
      n: fc.integer({ min: 1, max: 5 }),
      d: fc.integer({ min: 1, max: 3 }),
      k: fc.integer({ min: 1, max: 5 }),
      depth: fc.integer({ min: 1, max: 4 }),
    })
    .chain(({ n, d, k, depth }) =>
      fc.record({
        fragments: fc.dictionary(fc.constantFrom(...'abcdefghij'), vectors(n, d), { minKeys: 1, maxKeys: 10, noNullPrototype: true }),
        vector: fc.array(fc.integer({ min: -4, max: 4 }), { minLength: d, maxLength: d }),
        keep: fc.integer({ min: 1, max: 4 }),
        options: fc.record({
          fragments: fc.constant(n),
          combine: fc.constant(Math.min(n, k)),
          aggregate: fc.constantFrom('vote' as const, 'intersection' as const),
          topUp: fc.boolean(),
          places: fc.option(fc.integer({ min: 1, max: 4 })),
          depth: fc.constant(depth),
        }),
      }),
    );

  it.each(['dot', 'cosine'] as const)('answers as the databases would, by %s', async (similarity) => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ fragments, vector, keep, options }) => {
        const query = question(vector, keep);
        const expected = materialised(fragments, query, similarity, { ...options, places: options.places ?? keep });
        const { hits, exact, encoded } = await ragpart(options).retrieve(query, await storeOf(fragments, similarity), context);
        expect({ exact, encoded }).toEqual({ exact: true, encoded: 0 });
        if (Array.isArray(expected)) expect(hits.map(({ id, score }) => ({ id, score }))).toEqual(expected);
        else {
          const { from } = expected as { from: Set<string> };
          expect(hits).toHaveLength(Math.min(keep, from.size));
          for (const { id } of hits) expect(from.has(id)).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('looks deeper until nobody unseen can matter, and says when it may not', async () => {
    // By each fragment alone the passages 0 to 59 win one after the other; by their mean it is those that are good by both.
    const fragments = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [
        `p${String(i).padStart(3, '0')}`,
        i < 60 ? [[100 + i], [-100 - i]] : i < 119 ? [[-200 + i], [200 - i]] : [[60], [60]],
      ]),
    );
    const store = await storeOf(fragments, 'dot');
    const asked: number[] = [];
    const counting: VectorStore = {
      ...store,
      search: (search) => {
        asked.push(search.k);
        expect(search.exact).toBe(true);
        return store.search(search);
      },
    };
    const defense = ragpart({ fragments: 2, combine: 2, depth: 5 });
    const answer = await defense.retrieve(question([1], 1), counting, context);
    expect(answer.exact).toBe(true);
    expect(answer.hits).toEqual([{ id: 'p119', score: 1, evidence: { votes: 1, databases: 1, mean: 60 } }]);
    expect(asked).toEqual([5, 5, 20, 20, 80, 80]);
    const bounded = await defense.retrieve(
      question([1], 1),
      { ...store, search: (search) => store.search({ ...search, exact: true }) },
      { ...context, approximate: true },
    );
    expect(bounded.exact).toBe(false);
    expect(bounded.hits[0]!.id).not.toBe('p119');
  });

  it('stops at a bound by cosine, where nothing follows from what was seen', async () => {
    const store = await storeOf(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          `p${10 + i}`,
          [
            [1, i],
            [1, -i],
            [i, 1],
          ],
        ]),
      ),
      'cosine',
    );
    const large: VectorStore = { ...store, count: async () => 1_000_000 };
    const answer = await ragpart({ fragments: 3, combine: 2, depth: 5 }).retrieve(question([1, 0], 2), large, context);
    expect(answer.exact).toBe(false);
    expect(answer.hits).toHaveLength(2);
    const single = await ragpart({ fragments: 3, combine: 1, depth: 5 }).retrieve(question([1, 0], 2), large, context);
    expect(single.exact).toBe(true);
    const all = await ragpart({ fragments: 3, combine: 2, depth: 31 }).retrieve(question([1, 0], 2), large, context);
    expect(all.exact).toBe(true);
  });

  it('takes the mean of similarities where asked to: exact by cosine too, without looking at everything', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ fragments, vector, keep, options }) => {
        const query = question(vector, keep);
        // The mean of cosines is the inner product of unit vectors. Lengths are 5 times a power of two, so that no cosine rounds otherwise than its like.
        const scaled = (size: (x: number) => number) =>
          Object.fromEntries(Object.entries(fragments).map(([id, rows]) => [id, rows.map(([x]) => [3 * size(x!), 4 * size(x!)])]));
        const lengths = scaled((x) => Math.sign(x) * 2 ** Math.abs(x));
        const units = scaled(Math.sign);
        const asked = question([query.vector[0]!, 1], keep);
        const own = { ...options, aggregate: 'vote' as const };
        const expected = materialised(units, asked, 'dot', { ...own, places: options.places ?? keep });
        const large = { ...(await storeOf(lengths, 'cosine')), count: async () => 1_000_000 };
        const { hits, exact } = await ragpart({ ...own, similarity: 'mean' }).retrieve(asked, large, context);
        expect(exact).toBe(true);
        expect(hits.map(({ id, score }) => ({ id, score }))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('asks for one passage in a hundred, and with an index for 200 without counting', async () => {
    const store = await storeOf({ a: [[1], [1]], b: [[2], [2]] }, 'dot');
    const asked = async (count: number, approximate = false, options: Options = {}) => {
      const depths: number[] = [];
      const spy: VectorStore = {
        ...store,
        count: async () => (approximate ? Promise.reject(new Error('counted')) : count),
        search: (search) => {
          depths.push(search.k);
          return store.search(search);
        },
      };
      await ragpart({ fragments: 2, combine: 2, ...options }).retrieve(question([1], 2), spy, { ...context, approximate });
      return depths[0];
    };
    expect(await asked(2)).toBe(200);
    expect(await asked(50_001)).toBe(501);
    expect(await asked(1_000_000)).toBe(1000);
    expect(await asked(0, true)).toBe(200);
    expect(await asked(50_001, false, { depth: 7 })).toBe(7);
    expect(await asked(50_001, false, { depth: 7, places: 9 })).toBe(9);
  });

  it('gives what there is', async () => {
    const none = await ragpart({ fragments: 3 }).retrieve(question([1], 5), await storeOf({}, 'dot'), context);
    expect(none).toEqual({ hits: [], exact: true, encoded: 0 });
    const two = await ragpart({ fragments: 3 }).retrieve(
      question([1], 5),
      await storeOf({ b: [[1], [1], [1]], a: [[1], [1], [1]] }, 'dot'),
      context,
    );
    expect(two.hits).toEqual(['a', 'b'].map((id) => ({ id, score: 1, evidence: { votes: 1, databases: 1, mean: 1 } })));
  });

  it('leaves ties of means that add up to nothing to the id', async () => {
    const store = await storeOf({ h: [[-4], [2], [0], [-1], [3]], a: [[1], [-3], [2], [4], [-4]] }, 'dot');
    const { hits } = await ragpart({ combine: 2 }).retrieve(question([-1], 2), store, context);
    expect(hits.map(({ id, evidence }) => [id, Math.abs(evidence.mean as number)])).toEqual([
      ['a', 0],
      ['h', 0],
    ]);
  });

  it('does not find what lacks a fragment or is quarantined', async () => {
    const store = await storeOf({ a: [[1], [1]], b: [[2], [2]] }, 'dot');
    await store.put([{ passage: stored('half'), vectors: { 'fragment-0': Float32Array.of(9) } }]);
    await store.setStatus(['b'], 'quarantined');
    const { hits } = await ragpart({ fragments: 2, combine: 1 }).retrieve(question([1], 5), store, context);
    expect(hits.map(({ id }) => id)).toEqual(['a']);
  });

  it('draws from the union when nobody is in every list: seeded, and never more than asked for', async () => {
    const store = await storeOf({ a: [[9], [0], [0]], b: [[0], [9], [0]], c: [[0], [0], [9]], d: [[-1], [-1], [-1]] }, 'dot');
    const draw = async (seed: number, options: Options = {}) =>
      (
        await ragpart({ fragments: 3, combine: 1, aggregate: 'intersection', places: 1, ...options }).retrieve(question([1], 2), store, {
          ...context,
          seed,
        })
      ).hits.map(({ id }) => id);
    const drawn = await Promise.all(Array.from({ length: 20 }, (_, seed) => draw(seed)));
    expect(await draw(3)).toEqual(drawn[3]);
    expect(new Set(drawn.flat())).toEqual(new Set(['a', 'b', 'c']));
    for (const ids of drawn) expect(new Set(ids).size).toBe(2);
    expect(await draw(3, { topUp: true })).toEqual(['a', 'b']);
  });

  it('stops when the caller has', async () => {
    const signal = AbortSignal.abort('enough');
    const store = await storeOf({ a: [[1], [1]] }, 'dot');
    const code = async (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: BezoarError) => error.code,
      );
    expect(await code(ragpart({ fragments: 2, combine: 2 }).retrieve(question([1], 5), store, { ...context, signal }))).toBe('ABORTED');
    expect(await code(ragpart().protect([{ id: 'a', text: 'one' }], { ...context, signal }))).toBe('ABORTED');
  });
});

describe('ragpart, protecting', () => {
  /** Remembers what it was given; a word is [its length, 1]. */
  function recorder(vectorOf: (text: string) => readonly number[] = (text) => [text.length, 1]) {
    const texts: string[] = [];
    const encoder: Encoder = {
      name: 'recorder',
      dimensions: 2,
      similarity: 'dot',
      encode: async (given, { role }) => {
        expect(role).toBe('passage');
        texts.push(...given);
        return { vectors: given.map((text) => Float32Array.from(vectorOf(text))), truncated: given.map(() => false) };
      },
    };
    return { texts, encoder };
  }
  const protect = async (passages: readonly Passage[], options: Options, vectorOf?: (text: string) => readonly number[]) => {
    const { texts, encoder } = recorder(vectorOf);
    const protectedPassages = await ragpart(options).protect(passages, contextWith(encoder));
    return { texts, vectors: protectedPassages.map((named) => Object.entries(named).map(([name, vector]) => [name, ...vector])) };
  };

  it('encodes every fragment once and names it', async () => {
    const { texts, vectors } = await protect([{ id: 'a', title: 'One', text: 'two three, four five.' }], { fragments: 3 });
    expect(texts).toEqual(['One', 'two three', 'four five']);
    expect(vectors).toEqual([
      [
        ['fragment-0', 3, 1],
        ['fragment-1', 9, 1],
        ['fragment-2', 9, 1],
      ],
    ]);
  });

  it('reuses the fragments of a short text in turn, and has none for an empty one', async () => {
    const { texts, vectors } = await protect(
      [
        { id: 'a', text: 'one three' },
        { id: 'b', text: ' ... ' },
        { id: 'c', text: '' },
        { id: 'd', text: 'x' },
      ],
      {},
    );
    expect(texts).toEqual(['one', 'three', 'x']);
    expect(vectors).toEqual([
      [3, 5, 3, 5, 3].map((length, i) => [`fragment-${i}`, length, 1]),
      [],
      [],
      [0, 1, 2, 3, 4].map((i) => [`fragment-${i}`, 1, 1]),
    ]);
    expect(await protect([], {})).toEqual({ texts: [], vectors: [] });
  });

  it('does without fragments that cannot be compared', async () => {
    const vectorOf = (text: string) => (text === 'bad' ? [Number.NaN, 1] : text === 'nil' ? [0, 0] : [text.length, 1]);
    const { vectors } = await protect(
      [
        { id: 'a', text: 'one bad three nil' },
        { id: 'b', text: 'bad nil' },
      ],
      { fragments: 4 },
      vectorOf,
    );
    expect(vectors).toEqual([[3, 5, 3, 5].map((length, i) => [`fragment-${i}`, length, 1]), []]);
  });

  it('brings fragments to unit length where asked to', async () => {
    const { vectors } = await protect([{ id: 'a', text: 'aaaa bbbb' }], { fragments: 2, combine: 2, normalize: true }, () => [3, 4]);
    expect(vectors).toEqual([[0, 1].map((i) => [`fragment-${i}`, Math.fround(0.6), Math.fround(0.8)])]);
  });

  it('begins fragments at sentences where asked to', async () => {
    const passage = { id: 'a', text: 'One two three four. Five? Six.' };
    expect((await protect([passage], { fragments: 2, combine: 1, split: 'sentences' })).texts).toEqual(['One two three four', 'Five? Six']);
    expect((await protect([passage], { fragments: 2, combine: 1 })).texts).toEqual(['One two three', 'four. Five? Six']);
  });

  it('shares out the whole text, not only what one look of the encoder covers', async () => {
    const { texts, encoder } = recorder();
    const twoTokens: Encoder = {
      ...encoder,
      tokenSpans: (given) =>
        given.map((text) =>
          [...text.matchAll(/[a-z]+/g)].slice(0, 2).map(({ 0: word, index }) => ({ start: index, end: index + word.length })),
        ),
    };
    await ragpart({ fragments: 3 }).protect([{ id: 'a', text: 'a b c d e f g' }], contextWith(twoTokens));
    expect(texts).toEqual(['a b', 'c d', 'e f g']);
  });

  it('says what an encoder got wrong', async () => {
    const { encoder } = recorder(() => [1]);
    const work = ragpart().protect([{ id: 'a', text: 'one' }], contextWith(encoder));
    await expect(work).rejects.toMatchObject({
      code: 'ENCODER_FAILED',
      message: expect.stringContaining('recorder gave 1 vectors for 1 texts, or not all of 2 numbers'),
    });
  });
});

describe('ragpart, configured', () => {
  it('has a SPEC that makes it again, and a name for each vector', () => {
    expect(ragpart()).toMatchObject({ name: 'ragpart', spec: 'ragpart', vectorNames: [0, 1, 2, 3, 4].map((i) => `fragment-${i}`) });
    expect(ragpart({ combine: 1, aggregate: 'intersection', places: 3 }).spec).toBe('ragpart?combine=1&aggregate=intersection&places=3');
    expect(ragpart({ fragments: 1, combine: 1 }).vectorNames).toEqual(['fragment-0']);
  });

  it('refuses to combine more than there is', () => {
    expect(() => ragpart({ fragments: 2 })).toThrow('ragpart: combine is 3, expected at most the 2 fragments of a passage');
    expect(() => ragpart({ fragments: 21 })).toThrow(BezoarError);
  });
});
