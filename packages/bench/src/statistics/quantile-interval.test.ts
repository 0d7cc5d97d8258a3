import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { quantileInterval } from './quantile-interval.ts';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe('quantileInterval', () => {
  it.each(golden.quantile.map((item) => ({ n: item.values.length, ...item })))(
    'ends where scipy does, or at the outermost value where scipy has no end: n = $n, share $share',
    ({ values, share, value, low, high }) => {
      const found = quantileInterval(values, share)!;
      expect(found.value).toBeCloseTo(value, 12);
      expect(found.low).toBe(low ?? Math.min(...values));
      expect(found.high).toBe(high ?? Math.max(...values));
    },
  );

  it('is the sixth value and no fewer that gives the median two ends', () => {
    // 1 / 2^6 = 0.016 <= 0.025 < 1 / 2^5.
    expect(quantileInterval(upTo(6), 0.5)).toEqual({ value: 3.5, low: 1, high: 6 });
    // (1 + 7) / 2^7 = 0.0625, (1 + 8) / 2^8 = 0.035, (1 + 9) / 2^9 = 0.0195: nine values lose one on either side.
    expect(quantileInterval(upTo(8), 0.5)).toEqual({ value: 4.5, low: 1, high: 8 });
    expect(quantileInterval(upTo(9), 0.5)).toEqual({ value: 5, low: 2, high: 8 });
  });

  it('holds one value, equal values, and none', () => {
    expect(quantileInterval([7], 0.95)).toEqual({ value: 7, low: 7, high: 7 });
    expect(quantileInterval(new Array(200).fill(3), 0.5)).toEqual({ value: 3, low: 3, high: 3 });
    expect(quantileInterval([], 0.5)).toBeNull();
  });

  it('holds its value, ends at values, and does not depend on their order', () => {
    const share = fc.constantFrom(0.001, 0.05, 0.5, 0.95, 0.999);
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 120 }), share, (values, at) => {
        const { value, low, high } = quantileInterval(values, at)!;
        expect(low <= value && value <= high).toBe(true);
        expect(quantileInterval(values.toReversed(), at)).toEqual({ value, low, high });
      }),
    );
  });

  it('refuses what is no number and what is no share', () => {
    for (const value of [Number.NaN, Infinity]) {
      expect(() => quantileInterval([1, value], 0.5)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    }
    for (const share of [0, 1, -0.5, 1.5, Number.NaN]) {
      expect(() => quantileInterval([1], share)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    }
  });
});
