import type { Encoder } from '@bezoar/core';
import { cosineSimilarity } from '@bezoar/core/kernels/cosine-similarity';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dense } from './dense.ts';

/** Vectors are given as the texts: numbers between spaces. */
function numbersEncoder(
  dimensions: number,
  similarity: Encoder['similarity'] = 'cosine',
  more: object = {},
): Encoder & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    name: 'numbers',
    dimensions,
    similarity,
    seen,
    ...more,
    encode: async (texts, { role }) => {
      seen.push(...texts.map((text) => `${role}: ${text}`));
      return { vectors: texts.map((text) => Float32Array.from(text.trim().split(' '), Number)), truncated: texts.map(() => false) };
    },
  };
}

describe('dense', () => {
  it('scores as the plain definitions do', async () => {
    const vector = fc.array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(vector, { minLength: 1, maxLength: 4 }), fc.array(vector, { maxLength: 6 }), async (queries, passages) => {
        const texts = passages.map((numbers) => numbers.join(' '));
        for (const similarity of ['cosine', 'dot'] as const) {
          const scorer = await dense(
            numbersEncoder(6, similarity),
            queries.map((numbers) => numbers.join(' ')),
            null,
          );
          const scored = await scorer.score(texts);
          for (const [q, query] of queries.entries()) {
            const found = scored.scores(q, 0, texts.length);
            for (const [p, passage] of passages.entries()) {
              const product = query.reduce((sum, x, i) => sum + x * passage[i]!, 0);
              expect(found[p]).toBeCloseTo(similarity === 'dot' ? product : cosineSimilarity(query, passage), 9);
            }
          }
        }
      }),
    );
  });

  it('scores a stretch of the texts, and an odd number of dimensions', async () => {
    const scorer = await dense(numbersEncoder(5, 'dot'), ['1 2 3 4 5', '0 0 0 0 1'], null);
    const scored = await scorer.score(['1 1 1 1 1', '2 0 0 0 0', '0 0 0 0 3', '0 1 0 1 0']);
    expect([...scored.scores(0, 0, 4)]).toEqual([15, 2, 15, 6]);
    expect([...scored.scores(0, 1, 3)]).toEqual([2, 15]);
    expect([...scored.scores(1, 2, 3)]).toEqual([3]);
    expect([...scored.scores(1, 2, 2)]).toEqual([]);
  });

  it('never encodes an empty text, and retrieves neither it nor a vector that is not finite', async () => {
    const encoder = numbersEncoder(2);
    const scorer = await dense(encoder, ['1 0', ' \n'], null);
    const scored = await scorer.score(['', '0 0', ' \t ', 'NaN 1', '0 2', 'Infinity 0', '3 0']);
    expect([...scored.scores(0, 0, 7)]).toEqual([Number.NaN, 0, Number.NaN, Number.NaN, 0, Number.NaN, 1]);
    expect([...scored.scores(1, 0, 7)]).toEqual(new Array(7).fill(Number.NaN));
    expect(encoder.seen).toEqual(['query: 1 0', 'passage: 0 0', 'passage: NaN 1', 'passage: 0 2', 'passage: Infinity 0', 'passage: 3 0']);
    expect([...(await scorer.score([])).scores(0, 0, 0)]).toEqual([]);
  });

  it('is identified by encoder, fingerprint, similarity and the vectors of the questions', async () => {
    const identity = async (encoder: Encoder, queries: readonly string[]): Promise<string> =>
      (await dense(encoder, queries, null)).identity;
    const known = await identity(numbersEncoder(2), ['1 0', '2 0']);
    expect(await identity(numbersEncoder(2), ['1 0', ' 2 0'])).toBe(known);
    const others = [
      await identity(numbersEncoder(2), ['2 0', '1 0']),
      await identity(numbersEncoder(2), ['1 0', '2 0.5']),
      await identity(numbersEncoder(2), ['1 0', '']),
      await identity(numbersEncoder(2, 'dot'), ['1 0', '2 0']),
      await identity(numbersEncoder(2, 'cosine', { name: 'other' }), ['1 0', '2 0']),
      await identity(numbersEncoder(2, 'cosine', { fingerprint: 'f' }), ['1 0', '2 0']),
    ];
    expect(new Set([known, ...others]).size).toBe(7);
  });

  it('refuses an encoder that breaks its port, and passes the signal on', async () => {
    const short = { ...numbersEncoder(2), encode: async () => ({ vectors: [], truncated: [] }) };
    await expect(dense(short, ['1 0'], null)).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
    await expect(dense(numbersEncoder(3), ['1 0'], null)).rejects.toThrow('encoder numbers: expected 1 vectors of 3 numbers');
    const { signal } = new AbortController();
    const given: unknown[] = [];
    const encoder = numbersEncoder(2);
    const encode: Encoder['encode'] = (texts, options) => {
      given.push(options);
      return encoder.encode(texts, options);
    };
    await dense({ ...encoder, encode }, ['1 0'], signal);
    expect(given).toEqual([{ role: 'query', signal }]);
  });
});
