import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { wilcoxonSignedRank } from './wilcoxon-signed-rank.ts';

const zeros = (n: number): number[] => new Array(n).fill(0);

/** The exact two-sided p of differences without ties: every choice of signs, one by one. */
function slowly(differences: readonly number[]): number {
  const ranks = differences.map((difference) => differences.filter((other) => Math.abs(other) <= Math.abs(difference)).length);
  const sumOf = (signs: number): number => ranks.reduce((sum, rank, i) => sum + ((signs >> i) & 1 ? rank : 0), 0);
  const observed = ranks.reduce((sum, rank, i) => sum + (differences[i] > 0 ? rank : 0), 0);
  const middle = ranks.reduce((sum, rank) => sum + rank, 0) / 2;
  let extreme = 0;
  for (let signs = 0; signs < 2 ** ranks.length; signs++) {
    if (Math.abs(sumOf(signs) - middle) >= Math.abs(observed - middle)) extreme++;
  }
  return extreme / 2 ** ranks.length;
}

describe('wilcoxonSignedRank', () => {
  it.each(golden.wilcoxon.map((item) => ({ asked: item.first.length, ...item })))(
    'is what scipy says of $asked pairs, exact $exact',
    ({ first, second, n, statistic, p }) => {
      const test = wilcoxonSignedRank(first, second);
      expect(test).toMatchObject({ n, statistic });
      expect(test.p).toBeCloseTo(p, 12);
    },
  );

  it('has exact and normal cases, with and without pairs that are equal, among its golden ones', () => {
    const kinds = golden.wilcoxon.map(({ exact, n, first }) => `${exact} ${n < first.length}`);
    expect(new Set(kinds)).toEqual(new Set(['true false', 'true true', 'false false', 'false true']));
  });

  it('is worked by hand', () => {
    // All five higher: one choice of signs on either side out of 2^5.
    expect(wilcoxonSignedRank(zeros(5), [1, 2, 3, 4, 5])).toEqual({ n: 5, statistic: 0, p: 2 / 2 ** 5 });
    // Rank 3 is lower: sums up to 3 are 0, 1, 2, 3 and 1 + 2, five choices of 2^5 on either side.
    expect(wilcoxonSignedRank(zeros(5), [1, 2, -3, 4, 5])).toEqual({ n: 5, statistic: 3, p: (2 * 5) / 2 ** 5 });
    expect(wilcoxonSignedRank(zeros(5), [-1, -2, 3, -4, -5])).toEqual({ n: 5, statistic: 3, p: (2 * 5) / 2 ** 5 });
    // Two equal differences share rank 1.5, and so the normal distribution stands in: nothing is left of a distance of a half.
    expect(wilcoxonSignedRank([0, 0, 0], [1, -1, 2])).toMatchObject({ n: 3, statistic: 1.5 });
    expect(wilcoxonSignedRank([0, 0], [1, -1])).toEqual({ n: 2, statistic: 1.5, p: 1 });
  });

  it('finds no difference where there is none', () => {
    expect(wilcoxonSignedRank([], [])).toEqual({ n: 0, statistic: 0, p: 1 });
    expect(wilcoxonSignedRank([1, 2, 3], [1, 2, 3])).toEqual({ n: 0, statistic: 0, p: 1 });
    expect(wilcoxonSignedRank([0.1 + 0.2], [0.3])).toEqual({ n: 0, statistic: 0, p: 1 });
    expect(wilcoxonSignedRank([0], [1])).toEqual({ n: 1, statistic: 0, p: 1 });
  });

  it('takes differences for equal that rounding alone has parted', () => {
    // 0.3 - 0.1 is 0.19999999999999998.
    expect(wilcoxonSignedRank([0.1, 0, 0], [0.3, 0.2, 0.5])).toEqual(wilcoxonSignedRank([1, 0, 0], [3, 2, 5]));
  });

  it('counts every choice of signs', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 10 }), fc.nat({ max: 1023 }), (sizes, signs) => {
        const differences = sizes.map((size, i) => ((signs >> i) & 1 ? size : -size));
        expect(wilcoxonSignedRank(zeros(sizes.length), differences).p).toBeCloseTo(slowly(differences), 12);
      }),
    );
  });

  it('is a chance, the same from either side and in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), { maxLength: 60 }), (pairs) => {
        const [first, second] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
        const test = wilcoxonSignedRank(first, second);
        expect(test.p > 0 && test.p <= 1).toBe(true);
        expect(wilcoxonSignedRank(second, first)).toEqual(test);
        expect(wilcoxonSignedRank(first.toReversed(), second.toReversed())).toEqual(test);
      }),
    );
  });

  it('is exact to 25 differences and normal from 26', () => {
    const rising = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
    expect(wilcoxonSignedRank(zeros(25), rising(25)).p).toBe(2 / 2 ** 25);
    // (26 x 27 / 4 - 1/2) / sqrt(26 x 27 x 53 / 24) = 4.4448: 8.8e-6 and not 2 / 2^26 = 3e-8.
    expect(wilcoxonSignedRank(zeros(26), rising(26)).p).toBeCloseTo(8.8e-6, 7);
  });

  it('refuses what cannot be paired', () => {
    expect(() => wilcoxonSignedRank([1], [])).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
    expect(() => wilcoxonSignedRank([Number.NaN], [1])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    expect(() => wilcoxonSignedRank([1], [Infinity])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
