import { createRandom } from '@bezoar/core/kernels/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESAMPLES, resampledRatios } from './resampled-ratios.ts';

/** Draws the questions one after the other and adds up what they say. */
function slowly(numerators: readonly number[], denominators: readonly number[], seed: number, samples = RESAMPLES): number[] {
  const random = createRandom(seed);
  return Array.from({ length: samples }, () => {
    let numerator = 0;
    let denominator = 0;
    for (let draw = 0; draw < numerators.length; draw++) {
      const question = random.integer(numerators.length);
      numerator += numerators[question];
      denominator += denominators[question];
    }
    return numerator / denominator;
  });
}

const twoColumns = (observations: readonly (readonly [number, number])[]) =>
  [observations.map(([numerator]) => numerator), observations.map(([, denominator]) => denominator)] as const;

describe('resampledRatios', () => {
  it('is the ratio of the sums over the questions drawn', () => {
    const observation = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(fc.array(observation, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 9 }), (observations, seed) => {
        expect([...resampledRatios(...twoColumns(observations), seed)]).toEqual(slowly(...twoColumns(observations), seed));
      }),
      { numRuns: 30 },
    );
  });

  it('draws 2,000 samples, each of as many questions as there are', () => {
    expect(RESAMPLES).toBe(2_000);
    const drawn = resampledRatios([1, 0, 0, 0, 0], [1 / 5, 1 / 5, 1 / 5, 1 / 5, 1 / 5], 7);
    expect(drawn).toHaveLength(2_000);
    expect(new Set(drawn.map(Math.round))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    // 2,000 binomial draws of 5 at 1/5: mean 1, standard error sqrt(0.8 / 2,000) = 0.02.
    expect(Math.abs(drawn.reduce((sum, count) => sum + count, 0) / 2_000 - 1)).toBeLessThan(0.1);
  });

  it('draws the same again for the same seed and another for another', () => {
    const values = Array.from({ length: 40 }, (_, i) => i);
    const ones = values.map(() => 1);
    expect(resampledRatios(values, ones, 1)).toEqual(resampledRatios(values, ones, 1));
    expect(resampledRatios(values, ones, 1)).not.toEqual(resampledRatios(values, ones, 2));
  });

  it('gives the same samples when they are no longer held, or too large to hold', () => {
    const values = [1, 2, 3, 4];
    const ones = values.map(() => 1);
    const before = resampledRatios(values, ones, 5);
    // 64 megabytes are held, and 16,000 questions take them all.
    const many = new Array(16_000).fill(1);
    expect(resampledRatios(many, many, 5)[0]).toBe(1);
    expect(resampledRatios(values, ones, 5)).toEqual(before);
    const [first, second] = [0, 1].map((part) => Array.from({ length: 17_000 }, (_, i) => (part === 1 ? 1 : i % 100)));
    const large = resampledRatios(first, second, 3);
    expect(large).toHaveLength(2_000);
    expect([...large.subarray(0, 2)]).toEqual(slowly(first, second, 3, 2));
  });

  it('is NaN where a sample has no denominator', () => {
    const drawn = resampledRatios([1, 0], [1, 0], 0);
    expect(new Set(drawn)).toEqual(new Set([1, Number.NaN]));
  });

  it('refuses columns of different length', () => {
    expect(() => resampledRatios([1], [1, 2], 0)).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
  });
});
