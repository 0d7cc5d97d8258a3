import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundScore } from './round-score.ts';

describe('roundScore', () => {
  it('keeps numbers of 40 bits and rounds the others to the nearest', () => {
    expect([0, 1, -0.75, 2 ** 39 + 1].map(roundScore)).toEqual([0, 1, -0.75, 2 ** 39 + 1]);
    expect(roundScore(1 + 2 ** -41)).toBe(1);
    expect(roundScore(1 + 3 * 2 ** -41)).toBe(1 + 2 ** -39);
    expect(roundScore(-(1 + 3 * 2 ** -41))).toBe(-(1 + 2 ** -39));
  });

  it('moves a number by at most 1e-12 of itself, and nothing more the second time', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e299, max: 1e299, noNaN: true }).filter((x) => Math.abs(x) > 1e-290),
        (score) => {
          const rounded = roundScore(score);
          expect(Math.abs(rounded - score)).toBeLessThanOrEqual(Math.abs(score) * 1e-12);
          expect(roundScore(rounded)).toBe(rounded);
        },
      ),
    );
  });

  it('never turns an order round', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }), (a, b) => {
        if (a <= b) expect(roundScore(a)).toBeLessThanOrEqual(roundScore(b));
      }),
    );
  });

  it('returns what it cannot split', () => {
    expect([1e300, 1e308, -1e308, Infinity, -Infinity, NaN].map(roundScore)).toEqual([1e300, 1e308, -1e308, Infinity, -Infinity, NaN]);
  });
});
