import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { bootstrapInterval } from './bootstrap-interval.ts';

const observations = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 4 })).map(([share, of]) => [share * of, of] as const),
  { minLength: 1, maxLength: 20 },
);

describe('bootstrapInterval', () => {
  it.each(golden.bootstrap.map((item) => ({ n: item.numerators.length, ...item })))(
    "is numpy's within its Monte-Carlo error, n = $n",
    ({ numerators, denominators, value, low, high, lowDeviation, highDeviation }) => {
      const given = numerators.map((numerator, i) => [numerator, denominators[i]] as const);
      for (const seed of [0, 1, 2]) {
        const interval = bootstrapInterval(given, { seed })!;
        expect(interval.value).toBeCloseTo(value, 14);
        // Five standard deviations of an end from one set of 2,000 draws to the next.
        expect(Math.abs(interval.low - low)).toBeLessThan(5 * lowDeviation);
        expect(Math.abs(interval.high - high)).toBeLessThan(5 * highDeviation);
      }
    },
  );

  it('says where it ends', () => {
    // 2,000 samples of a 0 and a 1: all 0 and all 1 a quarter of them each.
    expect(
      bootstrapInterval(
        [
          [0, 1],
          [1, 1],
        ],
        { seed: 0 },
      ),
    ).toEqual({ value: 0.5, low: 0, high: 1 });
    expect(bootstrapInterval([[2, 4]], { seed: 0 })).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
    expect(
      bootstrapInterval(
        [
          [3, 1],
          [3, 1],
          [3, 1],
        ],
        { seed: 0 },
      ),
    ).toEqual({ value: 3, low: 3, high: 3 });
  });

  it('leaves out samples that say nothing', () => {
    expect(
      bootstrapInterval(
        [
          [1, 2],
          [0, 0],
          [0, 0],
        ],
        { seed: 0 },
      ),
    ).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });

  it('says nothing without a denominator', () => {
    expect(bootstrapInterval([], { seed: 0 })).toBeNull();
    expect(
      bootstrapInterval(
        [
          [0, 0],
          [0, 0],
        ],
        { seed: 0 },
      ),
    ).toBeNull();
  });

  it('holds its value, stays within what was observed, and does not depend on the order', () => {
    fc.assert(
      fc.property(observations, fc.nat({ max: 99 }), (given, seed) => {
        const { value, low, high } = bootstrapInterval(given, { seed })!;
        const ratios = given.map(([numerator, denominator]) => numerator / denominator);
        expect(low <= value && value <= high).toBe(true);
        expect(low).toBeGreaterThanOrEqual(Math.min(...ratios) - 1e-12);
        expect(high).toBeLessThanOrEqual(Math.max(...ratios) + 1e-12);
        expect(bootstrapInterval(given.toReversed(), { seed })).toEqual({ value, low, high });
      }),
      { numRuns: 50 },
    );
  });

  it('narrows as the root of the number of questions', () => {
    const width = (n: number): number => {
      const { low, high } = bootstrapInterval(
        Array.from({ length: n }, (_, i) => [i % 2, 1] as const),
        { seed: 0 },
      )!;
      return high - low;
    };
    expect(width(100) / width(400)).toBeGreaterThan(1.8);
    expect(width(100) / width(400)).toBeLessThan(2.2);
  });

  it('refuses what is no observation, and does not change what it is given', () => {
    expect(() => bootstrapInterval([[Number.NaN, 1]], { seed: 0 })).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    expect(() => bootstrapInterval([[1, 1]], { seed: -1 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    const frozen = Object.freeze([
      [2, 1],
      [1, 1],
    ] as const);
    expect(bootstrapInterval(frozen, { seed: 0 })!.value).toBe(1.5);
  });
});
