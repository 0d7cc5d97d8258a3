import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { rankOrder } from './rank-order.ts';
import { topK } from './top-k.ts';

describe('topK', () => {
  it('is the beginning of rankOrder', () => {
    const scores = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double()), { maxLength: 40 });
    fc.assert(
      fc.property(scores, fc.nat(45), (given, k) => {
        expect(topK(given, k)).toEqual(rankOrder(given).slice(0, k));
      }),
    );
  });

  it('takes more than there is, parts of one, and none', () => {
    expect(topK([1, 3, 2], Infinity)).toEqual([1, 2, 0]);
    expect(topK([1, 3, 2], 1.9)).toEqual([1]);
    expect(topK([1, 3, 2], 0)).toEqual([]);
    expect(topK([], 3)).toEqual([]);
    expect(topK([2, 2 + 1e-15, 2], 2)).toEqual([0, 1]);
  });

  it('refuses a negative k and one that is no number', () => {
    for (const k of [-1, NaN]) {
      expect(() => topK([1], k)).toThrow(BezoarError);
      expect(() => topK([1], k)).toThrow(`k must be 0 or more, not ${k}`);
    }
  });
});
