import { BezoarError, type Encoder } from '@bezoar/core';
import { describe, expect, test } from 'vitest';
import { type EncoderSuite, testEncoder } from './test-encoder.ts';

/** A hashed bag of the first 400 words: keeps the port's promises. */
const bag: Encoder = {
  name: 'bag',
  dimensions: 32,
  similarity: 'cosine',
  async encode(texts, { signal }) {
    if (signal?.aborted) throw new BezoarError('ABORTED', 'aborted');
    const words = texts.map((text) => text.toLowerCase().match(/[^\s.,?]+/g) ?? []);
    const vectors = words.map((list) => {
      const vector = new Float32Array(32);
      for (const word of list.slice(0, 400)) {
        let hash = 7;
        for (let i = 0; i < word.length; i++) hash = (hash * 31 + word.charCodeAt(i)) % 65_537;
        vector[hash % 32] += 1 + hash / 65_537;
      }
      return vector;
    });
    return { vectors, truncated: words.map((list) => list.length > 400) };
  },
};
/** The bag with something done to what it returns. */
const spoilt = (spoil: (vectors: Float32Array[], truncated: boolean[], texts: readonly string[]) => unknown): Partial<Encoder> => ({
  async encode(texts, options) {
    const { vectors, truncated } = await bag.encode(texts, options);
    const all: [Float32Array[], boolean[]] = [[...vectors], [...truncated]];
    spoil(all[0], all[1], texts);
    return { vectors: all[0], truncated: all[1] };
  },
});

/** The checks that fail, without the suite's name. */
const failures = async (encoder: Encoder, settings: Partial<EncoderSuite> = {}): Promise<string[]> => {
  const checks: [string, () => Promise<void>][] = [];
  testEncoder({ test: (name, body) => checks.push([name, body]), name: 'bag', load: () => encoder, ...settings });
  const failed: string[] = [];
  for (const [name, body] of checks) await body().catch(() => failed.push(name.replace('bag: ', '')));
  return failed;
};

describe('testEncoder', () => {
  testEncoder({ test, name: 'bag', load: () => bag, tolerance: 0 });

  let calls = 0;
  test.each<[string, Partial<Encoder>, string[]]>([
    ['has no width', { dimensions: 0 }, ['describes itself']],
    ['has no name', { name: '' }, ['describes itself']],
    ['compares by nothing known', { similarity: 'l2' as 'dot' }, ['describes itself']],
    [
      'returns a vector for nothing',
      spoilt((vectors) => {
        if (vectors.length === 0) vectors.push(new Float32Array(32));
      }),
      ['nothing in, nothing out'],
    ],
    [
      'gives vectors in another order',
      spoilt((vectors) => vectors.length > 3 && vectors.sort((a, b) => a[0] - b[0])),
      ['one vector a text, in order'],
    ],
    [
      'gives all texts one vector',
      spoilt((vectors) => {
        for (const vector of vectors) vector.fill(1);
      }),
      ['one vector a text, in order', 'roles'],
    ],
    [
      'changes from call to call',
      spoilt((vectors) => {
        calls++;
        for (const vector of vectors) vector[0] += calls / 100;
      }),
      ['same text, same vector', 'batch equals single'],
    ],
    [
      'lets companions in',
      spoilt((vectors) => {
        for (const vector of vectors) vector[0] += vectors.length / 100;
      }),
      ['batch equals single', 'empty text', 'hostile text'],
    ],
    [
      'shares arrays',
      spoilt((vectors) => {
        if (vectors.length === 2) vectors[1] = vectors[0];
      }),
      ['same text, same vector'],
    ],
    [
      'returns NaN for empty text',
      spoilt((vectors, _, texts) => {
        for (const [i, text] of texts.entries()) if (text === '') vectors[i].fill(Number.NaN);
      }),
      ['empty text'],
    ],
    [
      'trips over lone surrogates',
      spoilt((_, __, texts) => {
        for (const text of texts) encodeURIComponent(text);
      }),
      ['hostile text'],
    ],
    ['never reports truncation', spoilt((_, truncated) => truncated.fill(false)), ['reports truncation']],
    ['always reports truncation', spoilt((_, truncated) => truncated.fill(true)), ['empty text', 'reports truncation']],
    [
      'sees beyond what it says',
      spoilt((vectors, _, texts) => {
        for (const [i, text] of texts.entries()) vectors[i][0] += text.length / 1000;
      }),
      ['nothing beyond the window counts'],
    ],
    ['does not stop', { encode: (texts, { role }) => bag.encode(texts, { role }) }, ['stops on abort']],
    [
      'writes on its input',
      spoilt((_, __, texts) => {
        (texts as string[])[0] = '';
      }),
      ['input is left alone'],
    ],
  ])('sees that an encoder %s', async (_, change, expected) => {
    expect(await failures({ ...bag, ...change })).toEqual(expect.arrayContaining(expected));
  });

  test('skips with a reason, by the runner where it can', async () => {
    const run: string[] = [];
    const skipped: string[] = [];
    const runner = Object.assign((name: string) => run.push(name), { skip: (name: string) => skipped.push(name) });
    testEncoder({ test: runner, name: 'bag', load: () => bag, skip: { roles: 'has none' } });
    expect(run).toHaveLength(11);
    expect(skipped).toEqual(['bag: roles (has none)']);
  });
});
