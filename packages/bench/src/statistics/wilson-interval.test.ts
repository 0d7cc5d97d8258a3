import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { wilsonInterval } from './wilson-interval.ts';

describe('wilsonInterval', () => {
  it.each(golden.wilson)('is what scipy says of $successes in $n', ({ successes, n, low, high }) => {
    const interval = wilsonInterval(successes, n)!;
    expect(interval.value).toBe(successes / n);
    expect(interval.low).toBeCloseTo(low, 13);
    expect(interval.high).toBeCloseTo(high, 13);
  });

  it('ends at 0 and at 1 exactly where nothing and everything succeeded', () => {
    for (const n of [1, 3, 10, 250, 1e6]) {
      expect(wilsonInterval(0, n)).toMatchObject({ value: 0, low: 0 });
      expect(wilsonInterval(n, n)).toMatchObject({ value: 1, high: 1 });
    }
  });

  it('has the ends from which the share is z standard deviations away', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
        const { value, low, high } = wilsonInterval(share * n, n)!;
        expect(0 <= low && low <= value && value <= high && high <= 1).toBe(true);
        // The definition: |value - end| = z sqrt(end (1 - end) / n), unless an end is where the share can go no further.
        for (const end of [low, high]) {
          if (end > 0 && end < 1) expect((value - end) ** 2).toBeCloseTo((1.959963984540054 ** 2 * end * (1 - end)) / n, 12);
        }
      }),
    );
  });

  it('says nothing of no questions, and refuses what no share is', () => {
    expect(wilsonInterval(0, 0)).toBeNull();
    const refused = [
      [Number.NaN, 1],
      [-1, 1],
      [2, 1],
      [0, Number.NaN],
      [0, 1.5],
      [0, -1],
      [1, Infinity],
    ] as const;
    for (const [successes, n] of refused) {
      expect(() => wilsonInterval(successes, n)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    }
  });
});
