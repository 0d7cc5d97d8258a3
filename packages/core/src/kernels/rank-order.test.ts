import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankOrder } from './rank-order.ts';
import { roundScore } from './round-score.ts';

describe('rankOrder', () => {
  it('puts the highest score first and ties in order of index', () => {
    expect(rankOrder([0.1, 0.5, 0.5, 0.9])).toEqual([3, 1, 2, 0]);
    expect(rankOrder([])).toEqual([]);
    expect(rankOrder(Float32Array.of(-1, 0, -2))).toEqual([1, 0, 2]);
  });

  it('counts scores within 1e-12 of each other as equal', () => {
    expect(rankOrder([0.3, 0.1 * 3])).toEqual([0, 1]);
    expect(rankOrder([1, 1 + 1e-13])).toEqual([0, 1]);
    expect(rankOrder([1, 1 + 1e-11])).toEqual([1, 0]);
  });

  it('puts scores that are not finite last, by index', () => {
    expect(rankOrder([NaN, -5, Infinity, 2, -Infinity])).toEqual([3, 1, 0, 2, 4]);
    expect(rankOrder([NaN, -Number.MAX_VALUE])).toEqual([1, 0]);
  });

  it('is a permutation in which no score stands above a higher one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (scores) => {
        const order = rankOrder(scores);
        expect(order.toSorted((a, b) => a - b)).toEqual(scores.map((_, i) => i));
        for (let place = 1; place < order.length; place++) {
          const [above, below] = [roundScore(scores[order[place - 1]]), roundScore(scores[order[place]])];
          expect(above > below || (above === below && order[place - 1] < order[place])).toBe(true);
        }
      }),
    );
  });
});
