import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { holmAdjust } from './holm-adjust.ts';

describe('holmAdjust', () => {
  it.each(golden.holm.map((item) => ({ tests: item.p.length, ...item })))('is the definition, $tests tests', ({ p, adjusted }) => {
    expect(holmAdjust(p)).toEqual(adjusted);
  });

  it('is worked by hand', () => {
    // Ascending 0.01 0.02 0.03: 3 x 0.01, 2 x 0.02, 1 x 0.03 but no less than the one before.
    expect(holmAdjust([0.03, 0.01, 0.02])).toEqual([2 * 0.02, 3 * 0.01, 2 * 0.02]);
    expect(holmAdjust([0.5, 0.5])).toEqual([1, 1]);
    expect(holmAdjust([0.6, 0.2, 1])).toEqual([1, 3 * 0.2, 1]);
    expect(holmAdjust([0.04])).toEqual([0.04]);
    expect(holmAdjust([0, 0])).toEqual([0, 0]);
    expect(holmAdjust([])).toEqual([]);
  });

  it('never lowers a p, keeps their order, and is no more than multiplying each by their number', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (p) => {
        const adjusted = holmAdjust(p);
        for (const [i, value] of p.entries()) {
          expect(adjusted[i] >= value && adjusted[i] <= Math.min(1, value * p.length)).toBe(true);
          for (const [j, other] of p.entries()) if (value < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j]);
        }
      }),
    );
  });

  it('refuses what is no chance', () => {
    for (const p of [Number.NaN, -0.1, 1.1]) expect(() => holmAdjust([0.5, p])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });
});
