import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { cosineSimilarity } from './cosine-similarity.ts';

describe('cosineSimilarity', () => {
  it('is the cosine of the angle, whatever the lengths', () => {
    expect(cosineSimilarity([3, 0], [0, 2])).toBe(0);
    expect(cosineSimilarity([1, 1], [5, 0])).toBeCloseTo(Math.SQRT1_2, 15);
    expect(cosineSimilarity([2, 4], [-1, -2])).toBe(-1);
    expect(cosineSimilarity(Float32Array.of(0.1, 0.7, -0.3), Float32Array.of(0.1, 0.7, -0.3))).toBe(1);
  });

  it('is 0 with a zero vector, without dimensions, and where a number is not finite', () => {
    expect(cosineSimilarity([0, 0], [1, 2])).toBe(0);
    expect(cosineSimilarity([1, 2], [0, 0])).toBe(0);
    expect(cosineSimilarity([], [])).toBe(0);
    expect(cosineSimilarity([NaN, 1], [1, 1])).toBe(0);
    expect(cosineSimilarity([Infinity, 1], [1, 1])).toBe(0);
  });

  it('stays in [-1, 1] and is the same both ways', () => {
    const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const cosine = cosineSimilarity(a, b);
        expect(Math.abs(cosine)).toBeLessThanOrEqual(1);
        expect(cosineSimilarity(b, a)).toBe(cosine);
      }),
    );
  });

  it('clamps what rounding pushes beyond 1', () => {
    const random = [0.1, 0.2, 0.3].map((x) => x / 3);
    expect(
      cosineSimilarity(
        random,
        random.map((x) => x * 3.3),
      ),
    ).toBeLessThanOrEqual(1);
  });

  it('refuses vectors of different length', () => {
    expect(() => cosineSimilarity([1], [1, 2])).toThrow(BezoarError);
    expect(() => cosineSimilarity([1], [1, 2])).toThrow('cannot compare vectors of 1 and 2 dimensions');
  });
});
