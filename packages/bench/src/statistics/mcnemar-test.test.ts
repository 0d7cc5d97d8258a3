import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { mcnemarTest } from './mcnemar-test.ts';

const pairsOf = (onlyFirst: number, onlySecond: number): [number[], number[]] => [
  [1, 0, ...new Array(onlyFirst).fill(1), ...new Array(onlySecond).fill(0)],
  [1, 0, ...new Array(onlyFirst).fill(0), ...new Array(onlySecond).fill(1)],
];

describe('mcnemarTest', () => {
  it.each(golden.mcnemar)('is what scipy says of $onlyFirst against $onlySecond', ({ onlyFirst, onlySecond, p }) => {
    const test = mcnemarTest(...pairsOf(onlyFirst, onlySecond));
    expect(test).toMatchObject({ onlyFirst, onlySecond });
    expect(test.p).toBeCloseTo(p, 12);
  });

  it('is a matter of coins', () => {
    expect(mcnemarTest(...pairsOf(0, 5)).p).toBe(2 / 2 ** 5);
    expect(mcnemarTest(...pairsOf(1, 4)).p).toBe((2 * (1 + 5)) / 2 ** 5);
    expect(mcnemarTest(...pairsOf(1, 1)).p).toBe(1);
    expect(mcnemarTest([], [])).toEqual({ onlyFirst: 0, onlySecond: 0, p: 1 });
  });

  it('does not care which comes first, nor how many agree', () => {
    const bits = fc.array(fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 1 })), { maxLength: 60 });
    fc.assert(
      fc.property(bits, (pairs) => {
        const [first, second] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
        const { onlyFirst, onlySecond, p } = mcnemarTest(first, second);
        expect(p > 0 && p <= 1).toBe(true);
        expect(mcnemarTest(second, first)).toEqual({ onlyFirst: onlySecond, onlySecond: onlyFirst, p });
        expect(mcnemarTest([...first, 1, 0], [...second, 1, 0]).p).toBe(p);
      }),
    );
  });

  it('refuses what is no pair of zeros and ones', () => {
    expect(() => mcnemarTest([1], [])).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
    for (const value of [0.5, Number.NaN, 2]) {
      expect(() => mcnemarTest([value], [1])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
      expect(() => mcnemarTest([1], [value])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    }
  });
});
