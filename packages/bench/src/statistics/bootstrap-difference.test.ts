import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { bootstrapDifference } from './bootstrap-difference.ts';
import type { Observation } from './checked-observations.ts';

const zip = ([numerators, denominators]: readonly (readonly number[])[]): Observation[] =>
  numerators.map((numerator, i) => [numerator, denominators[i]]);
const ones = (values: readonly number[]): Observation[] => values.map((value) => [value, 1]);

describe('bootstrapDifference', () => {
  it.each(golden.bootstrapDifference.map((item) => ({ n: item.first[0].length, ...item })))(
    "is numpy's within its Monte-Carlo error, n = $n",
    ({ first, second, value, low, high, lowDeviation, highDeviation }) => {
      for (const seed of [0, 1, 2]) {
        const interval = bootstrapDifference(zip(first), zip(second), { seed })!;
        expect(interval.value).toBeCloseTo(value, 14);
        // Five standard deviations of an end from one set of 2,000 draws to the next.
        expect(Math.abs(interval.low - low)).toBeLessThanOrEqual(5 * lowDeviation + 1e-12);
        expect(Math.abs(interval.high - high)).toBeLessThanOrEqual(5 * highDeviation + 1e-12);
      }
    },
  );

  it('is the second minus the first, question by question', () => {
    // Each question rises by exactly 1, so every sample does.
    expect(bootstrapDifference(ones([0, 5, 9, 2]), ones([1, 6, 10, 3]), { seed: 0 })).toEqual({ value: 1, low: 1, high: 1 });
    expect(bootstrapDifference(ones([1, 6, 10, 3]), ones([0, 5, 9, 2]), { seed: 0 })).toEqual({ value: -1, low: -1, high: -1 });
    expect(bootstrapDifference(ones([0, 0]), ones([0, 1]), { seed: 0 })).toEqual({ value: 0.5, low: 0, high: 1 });
    expect(bootstrapDifference([[1, 4]], [[1, 2]], { seed: 0 })).toEqual({ value: 1 / 2 - 1 / 4, low: 1 / 4, high: 1 / 4 });
  });

  it('leaves out samples in which one of the two says nothing', () => {
    expect(
      bootstrapDifference(
        [
          [1, 1],
          [0, 0],
        ],
        [
          [0, 0],
          [3, 1],
        ],
        { seed: 0 },
      ),
    ).toEqual({ value: 2, low: 2, high: 2 });
  });

  it('says nothing where one of the two has no denominator', () => {
    expect(bootstrapDifference([], [], { seed: 0 })).toBeNull();
    expect(bootstrapDifference([[0, 0]], [[1, 1]], { seed: 0 })).toBeNull();
    expect(bootstrapDifference([[1, 1]], [[0, 0]], { seed: 0 })).toBeNull();
  });

  it('holds its value and does not depend on the order of the questions', () => {
    const pair = fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.double({ min: -9, max: 9, noNaN: true }));
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 20 }), fc.nat({ max: 99 }), (pairs, seed) => {
        const differ = (given: readonly (readonly [number, number])[]) =>
          bootstrapDifference(ones(given.map(([a]) => a)), ones(given.map(([, b]) => b)), { seed })!;
        const { value, low, high } = differ(pairs);
        expect(low <= value && value <= high).toBe(true);
        expect(value).toBeCloseTo(pairs.reduce((sum, [a, b]) => sum + b - a, 0) / pairs.length, 10);
        expect(differ(pairs.toReversed())).toEqual({ value, low, high });
      }),
      { numRuns: 50 },
    );
  });

  it('does not depend on the order where only one of the four numbers tells two questions apart', () => {
    const number = fc.integer({ min: 1, max: 2 });
    const quadruple = fc.tuple(number, number, number, number);
    const differ = (given: readonly (readonly [number, number, number, number])[]) =>
      bootstrapDifference(
        given.map(([a, b]) => [a, b]),
        given.map(([, , a, b]) => [a, b]),
        { seed: 0 },
      );
    fc.assert(
      fc.property(fc.array(quadruple, { minLength: 6, maxLength: 20 }), fc.nat(), (given, at) => {
        const turned = [...given.slice(at % given.length), ...given.slice(0, at % given.length)];
        expect(differ(turned)).toEqual(differ(given));
        expect(differ(given.toReversed())).toEqual(differ(given));
      }),
      { numRuns: 60 },
    );
  });

  it('refuses what cannot be paired and what is no observation', () => {
    expect(() => bootstrapDifference(ones([1]), ones([1, 2]), { seed: 0 })).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
    expect(() => bootstrapDifference(ones([Number.NaN]), ones([1]), { seed: 0 })).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    expect(() => bootstrapDifference(ones([1]), ones([Number.NaN]), { seed: 0 })).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
