import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexContext, MaskCache } from '../core/index-defense.ts';
import type { Encoder } from '../core/ports.ts';
import type { StoredPassage } from '../core/store-port.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { toyEncoder } from '../testing/index.ts';
import { ragmask } from './ragmask.ts';

type Options = NonNullable<Parameters<typeof ragmask>[0]>;

/** Looks at how often a, b and c stand in a text; masks (_) have a direction of their own. Its window is `seen` tokens. */
function letterEncoder(more: Partial<Encoder> = {}, seen = 20): Encoder & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    name: 'letters',
    dimensions: 4,
    similarity: 'cosine',
    maskToken: '_',
    texts,
    tokenSpans: (given) =>
      given.map((text) =>
        [...text.matchAll(/\S+/g)].slice(0, seen).map(({ 0: word, index }) => ({ start: index, end: index + word.length })),
      ),
    async encode(given) {
      texts.push(...given);
      const count = (text: string, letter: string) =>
        text
          .split(/\s+/)
          .slice(0, seen + 1)
          .filter((word) => word === letter).length;
      return {
        vectors: given.map((text) => Float32Array.from(['a', 'b', 'c', '_'].map((letter) => count(text, letter)))),
        truncated: given.map(() => false),
      };
    },
    ...more,
  };
}

function mapCache(): MaskCache & { readonly map: Map<string, Float32Array> } {
  const map = new Map<string, Float32Array>();
  return {
    map,
    get: async (keys) => keys.map((key) => map.get(key)),
    set: async (entries) => {
      for (const [key, vector] of entries) map.set(key, vector);
    },
  };
}

const stored = (id: string, text: string): StoredPassage => ({
  id,
  text,
  contentHash: `hash of ${text}`,
  addedAt: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  status: 'searchable',
  findings: [],
});

async function setUp(texts: Readonly<Record<string, string>>, encoder = letterEncoder(), more: Partial<IndexContext> = {}) {
  const store = createMemoryStore({ vectors: { passage: encoder.dimensions }, similarity: 'cosine', encoder: 'letters 1' });
  const passages = Object.entries(texts).map(([id, text]) => stored(id, text));
  const { vectors } = await encoder.encode(Object.values(texts), { role: 'passage' });
  await store.put(passages.map((passage, i) => ({ passage, vectors: { passage: vectors[i]! } })));
  if ('texts' in encoder) (encoder.texts as string[]).length = 0;
  const context: IndexContext = { encoder, passageText: 'title-and-text', seed: 0, approximate: false, ...more };
  const ask = (vector: readonly number[], options: Options = {}, keep = 1) =>
    ragmask(options).retrieve({ id: 'q', text: 'q', vector: Float32Array.from(vector), keep }, store, context);
  return { store, passages, context, ask };
}

describe('ragmask', () => {
  it('masks the stretch that a passage depends on, and ranks by what is left', async () => {
    const encoder = letterEncoder();
    const { ask } = await setUp({ poison: 'a a a b b b', benign: 'a b c a b c', other: 'c c b b b b' }, encoder);
    const { hits, exact, encoded } = await ask([1, 0, 0, 0], { window: 3, delta: 0.3 });
    // poison: 3 of a, 3 of b: .71; without its first three tokens (masked) 0. benign: 2, 2, 2: .58; without a window 1, 1, 1 and 3 masks: .29.
    expect(hits).toEqual([
      {
        id: 'benign',
        score: Math.fround(0) + 2 / Math.sqrt(12),
        evidence: { before: 2 / Math.sqrt(12), windows: 2, maskedSpans: [], masked: 0 },
      },
    ]);
    expect(exact).toBe(true);
    expect(encoder.texts).toEqual([' _ _ _  b b b', 'a a a  _ _ _ ', ' _ _ _  a b c', 'a b c  _ _ _ ']);
    expect(encoded).toBe(4);
    const both = await ask([1, 0, 0, 0], { window: 3, delta: 0.3 }, 2);
    expect(both.hits[1]).toEqual({
      id: 'poison',
      score: 0,
      evidence: { before: 3 / Math.sqrt(18), windows: 2, maskedSpans: [{ start: 0, end: 5 }], masked: 1 },
    });
  });

  it('drops a window whose similarity falls by delta exactly, and keeps one above', async () => {
    const { ask } = await setUp({ x: 'a a a b' });
    // .9487 with, 2 / sqrt(6) = .8165 without one a (deleted: 2 of a, 1 of b is .8944).
    const cut = 3 / Math.sqrt(10) - 2 / Math.sqrt(5);
    const masked = async (delta: number) => (await ask([1, 0, 0, 0], { window: 1, delta, mode: 'delete' })).hits[0]!.evidence.masked;
    expect(await masked(cut)).toBe(1); // the three a, one after the other
    expect(await masked(cut * (1 + 1e-9))).toBe(0);
    expect(await masked(cut * (1 - 1e-9))).toBe(1);
    const { hits } = await ask([1, 0, 0, 0], { window: 1, delta: cut, mode: 'delete' });
    expect(hits).toEqual([
      { id: 'x', score: 0, evidence: { before: 3 / Math.sqrt(10), windows: 4, maskedSpans: [{ start: 0, end: 5 }], masked: 1 } },
    ]);
  });

  it('takes delta as a share where asked to', async () => {
    const { ask } = await setUp({ x: 'a b b b b' });
    // .2425 with a, 0 without: a fall of .2425, all of it.
    const masked = async (options: Options) => (await ask([1, 0, 0, 0], { window: 1, ...options })).hits[0]!.evidence.masked;
    expect(await masked({ delta: 0.3 })).toBe(0);
    expect(await masked({ delta: 0.3, relative: true })).toBe(1);
    expect(await masked({ delta: 1, relative: true })).toBe(1);
    expect(await masked({ delta: 1.01, relative: true })).toBe(0);
  });

  it('moves by half a window where asked to, and masks what overlaps as one', async () => {
    const encoder = letterEncoder();
    const { ask } = await setUp({ x: 'b b a a b b b' }, encoder);
    const { hits } = await ask([1, 0, 0, 0], { window: 4, overlap: true, delta: 0.2, mode: 'delete' });
    expect(encoder.texts.slice(0, 3)).toEqual(['  b b b', 'b b   b', 'b b a a  ']);
    expect(hits[0]!.evidence).toMatchObject({ windows: 3, masked: 1, maskedSpans: [{ start: 0, end: 11 }] });
    expect(encoder.texts[3]).toBe('  b');
    encoder.texts.length = 0;
    await ask([1, 0, 0, 0], { window: 1, overlap: true });
    expect(encoder.texts.slice(0, 7)).toHaveLength(7);
  });

  it('lets a passage sink that is masked whole, and keeps one without tokens as it is', async () => {
    const { ask, store } = await setUp({ whole: 'a a', some: 'a a a a a a b b b b b b b b b b b b c' });
    await store.put([{ passage: stored('blank', ' '), vectors: { passage: Float32Array.of(1, 9, 9, 0) } }]);
    const masked = await ask([1, 0, 0, 0], { pool: 9 }, 9);
    expect(masked.hits.map(({ id, score }) => [id, score])).toEqual([
      ['blank', expect.closeTo(1 / Math.sqrt(163), 12)],
      ['whole', 0],
      ['some', 0],
    ]);
    const deleted = await ask([1, 0, 0, 0], { pool: 9, mode: 'delete' }, 9);
    expect(deleted.hits.map(({ id, score }) => [id, score]).at(1)).toEqual(['whole', 0]);
  });

  it('deletes where the encoder has no mask, and reads words where it does not say its tokens', async () => {
    const encoder = letterEncoder({ maskToken: null });
    const { tokenSpans: _, ...silent } = encoder;
    const { ask } = await setUp({ x: 'a, b. c' }, silent as typeof encoder);
    await ask([1, 0, 0, 0], { window: 1 });
    expect(encoder.texts).toEqual([' , b. c', 'a,  . c', 'a, b.  ']);
  });

  it('probes what the encoder sees, and lets nothing from beyond move in', async () => {
    const encoder = letterEncoder();
    const { ask } = await setUp({ x: `${'b '.repeat(20)}a a a` }, encoder);
    const { hits } = await ask([0, 1, 0, 0], { mode: 'delete', delta: 2 });
    expect(encoder.texts).toEqual([`  ${'b '.repeat(10)}`.slice(0, -1), `${'b '.repeat(10)} `]);
    expect(hits[0]!.evidence.windows).toBe(2);
  });

  it('encodes nothing twice: neither across questions nor the text left of one masked window', async () => {
    const encoder = letterEncoder();
    const maskCache = mapCache();
    const { ask } = await setUp({ x: 'a a b b c c' }, encoder, { maskCache });
    const options: Options = { window: 2, delta: 0.1 };
    expect((await ask([1, 0, 0, 0], options)).encoded).toBe(3);
    expect([...maskCache.map.keys()]).toEqual(
      ['0-3', '4-7', '8-11'].map((place) => `ragmask letters 1 title-and-text mask hash of a a b b c c ${place}`),
    );
    expect((await ask([1, 0, 0, 0], options)).encoded).toBe(0);
    // Two windows are masked now, and that text is new.
    expect((await ask([1, 0, 1, 0], options)).encoded).toBe(1);
    expect((await ask([1, 0, 1, 0], options)).encoded).toBe(0);
    expect([...maskCache.map.keys()].at(-1)).toMatch(/ 0-3,8-11$/);
    expect((await ask([1, 0, 0, 0], { ...options, mode: 'delete' })).encoded).toBe(3);
  });

  it('makes the masked vectors beforehand where there is a cache', async () => {
    const encoder = letterEncoder();
    const maskCache = mapCache();
    const { ask, passages, store, context } = await setUp({ x: 'a a b b', y: 'b c' }, encoder, { maskCache });
    const options: Options = { window: 2, pool: 5 };
    expect(await ragmask(options).prepare(passages, store, context)).toBe(3);
    expect(await ragmask(options).prepare(passages, store, context)).toBe(0);
    expect((await ask([1, 0, 0, 0], options)).encoded).toBe(0);
    const { maskCache: _, ...without } = context;
    expect(await ragmask(options).prepare(passages, store, without)).toBe(0);
    expect(encoder.texts).toHaveLength(3);
  });

  it('does not take what is not its own from a cache, and not what cannot be compared', async () => {
    const encoder = letterEncoder();
    const foreign: MaskCache = { get: async (keys) => keys.map(() => new Float32Array(3)), set: async () => {} };
    const { ask } = await setUp({ x: 'a b' }, encoder, { maskCache: foreign });
    expect((await ask([1, 0, 0, 0], { window: 1 })).encoded).toBe(2);
    const broken: MaskCache = { get: async (keys) => keys.map(() => new Float32Array(4).fill(Number.NaN)), set: async () => {} };
    const { ask: askBroken } = await setUp({ x: 'a b' }, encoder, { maskCache: broken });
    const { hits } = await askBroken([1, 0, 0, 0], { window: 1 });
    expect(hits[0]).toMatchObject({ score: 1 / Math.sqrt(2), evidence: { masked: 0 } });
  });

  it('bounds the work on a huge text with wider windows', async () => {
    const encoder = toyEncoder();
    let read = 0;
    const spy: Encoder = {
      ...encoder,
      encode: (texts, options) => {
        for (const text of texts) read += text.length;
        return encoder.encode(texts, options);
      },
    };
    const text = 'word '.repeat(20_000);
    const { ask } = await setUp({ x: text }, spy as ReturnType<typeof letterEncoder>);
    read = 0;
    const { hits } = await ask(new Array(32).fill(1), { delta: 2 });
    expect(hits[0]!.evidence.windows).toBe(10); // of 2000 words
    expect(read).toBeLessThan(1_000_000);
    const overlapping = await ask(new Array(32).fill(1), { delta: 2, overlap: true });
    expect(overlapping.hits[0]!.evidence.windows).toBe(9); // of 4000, every 2000
  });

  it('names a bounded number of places', async () => {
    const encoder = letterEncoder({}, 200);
    const { ask } = await setUp({ x: 'a b '.repeat(50) }, encoder);
    const { hits } = await ask([1, 0, 0, 0], { window: 1, delta: 0 });
    expect(hits[0]!.evidence.masked).toBe(50);
    expect(hits[0]!.evidence.maskedSpans).toHaveLength(32);
  });

  it('finds nothing in nothing, asks for at least what is wanted, and adds nothing to the store', async () => {
    const { ask } = await setUp({});
    expect(await ask([1, 0, 0, 0])).toEqual({ hits: [], exact: true, encoded: 0 });
    const { ask: askThree } = await setUp({ x: 'a', y: 'a b', z: 'a b c' });
    expect((await askThree([1, 0, 0, 0], { pool: 1, delta: 2 }, 3)).hits.map(({ id }) => id)).toEqual(['x', 'y', 'z']);
    expect((await askThree([1, 0, 0, 0], { delta: 2 }, 1)).hits).toHaveLength(1);
    const defense = ragmask({ relative: true });
    expect(defense).toMatchObject({ name: 'ragmask', spec: 'ragmask?relative=true', vectorNames: [] });
    expect(await defense.protect([{ id: 'x', text: 'a' }], { encoder: letterEncoder(), passageText: 'text' })).toEqual([{}]);
  });

  it('says when the store was asked approximately, and stops when the caller has', async () => {
    const { ask } = await setUp({ x: 'a b' }, letterEncoder(), { approximate: true });
    expect((await ask([1, 0, 0, 0])).exact).toBe(false);
    const { ask: aborted } = await setUp({ x: 'a b' }, letterEncoder(), { signal: AbortSignal.abort() });
    await expect(aborted([1, 0, 0, 0])).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('does what the paper does, window by window', async () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('mask' as const, 'delete' as const),
        fc.constantFrom(0.01, 0.1, 0.3),
        async (words, window, mode, delta) => {
          const encoder = letterEncoder();
          const texts = Object.fromEntries(words.map((own, i) => [`p${i}`, own.join(' ')]));
          const query = [3, 1, 0, 0];
          const compare = async (text: string) =>
            text.trim() === '' ? 0 : cosineSimilarity(query, (await encoder.encode([text], { role: 'passage' })).vectors[0]!);
          const expected = new Map<string, number>();
          for (const [i, own] of words.entries()) {
            const without = (windows: readonly number[]) =>
              own.flatMap((token, at) => (windows.includes(Math.floor(at / window)) ? (mode === 'mask' ? ['_'] : []) : [token])).join(' ');
            const before = await compare(own.join(' '));
            const dropped: number[] = [];
            for (let at = 0; at * window < own.length; at++)
              if (!((await compare(without([at]))) + delta - before > 1e-11)) dropped.push(at);
            expected.set(`p${i}`, await compare(without(dropped)));
          }
          const { ask } = await setUp(texts, encoder);
          const { hits } = await ask(query, { window, mode, delta, pool: 10 }, 10);
          expect(hits).toHaveLength(words.length);
          for (const { id, score } of hits) expect(score).toBeCloseTo(expected.get(id)!, 10);
          // Scores that differ in the last digit are equal, and go by id.
          for (const [i, { score }] of hits.slice(1).entries()) expect(score).toBeLessThanOrEqual(hits[i]!.score + 1e-12);
        },
      ),
      { numRuns: 300 },
    );
  });
});
