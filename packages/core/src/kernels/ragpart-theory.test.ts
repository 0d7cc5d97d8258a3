import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ragpart.json' with { type: 'json' };
import { ragpartCost, ragpartTheory } from './ragpart-theory.ts';

describe('ragpartTheory', () => {
  it.each(golden.tables)("holds where the paper's table $table says", ({ mechanism, poisoned, rows }) => {
    const marks = rows.map((_, row) =>
      Array.from({ length: 13 }, (__, column) => {
        const [fragments, combine] = [row + 3, column + 3];
        if (combine > fragments) return '-';
        const { robustNaive, robustPart } = ragpartTheory({ fragments, combine, poisoned });
        return (mechanism === 'naive' ? robustNaive : robustPart) ? 'y' : 'n';
      }).join(''),
    );
    expect(marks).toEqual(rows);
  });

  it('counts what enumeration counts', () => {
    for (const [fragments, combine, poisoned, total, xNaive, xPart] of golden.counts.rows) {
      expect(ragpartTheory({ fragments: fragments!, combine: combine!, poisoned: poisoned! })).toMatchObject({ total, xNaive, xPart });
    }
    expect(golden.counts.rows).toHaveLength(440);
  });

  it.each([
    [1, 3, 6, 0, 10],
    [2, 1, 2, 0, 5],
    [2, 2, 7, 1, 10],
    [2, 3, 9, 3, 10],
    [2, 4, 5, 3, 5],
    [2, 5, 1, 1, 1],
    [3, 3, 10, 7, 10],
  ])('knows ALGORITHMS 13.7: %i poisoned of 5, %i combined', (poisoned, combine, xNaive, xPart, total) => {
    expect(ragpartTheory({ fragments: 5, combine, poisoned })).toMatchObject({ xNaive, xPart, total });
  });

  it('says how many adversarial documents the condition bears', () => {
    for (const [fragments, combine, poisoned] of golden.counts.rows) {
      const at = (adversarial: number) => ragpartTheory({ fragments: fragments!, combine: combine!, poisoned: poisoned!, adversarial });
      const { mostNaive, mostPart } = at(1);
      for (const [most, key] of [
        [mostNaive, 'robustNaive'],
        [mostPart, 'robustPart'],
      ] as const) {
        if (most === null) expect(at(1000)[key]).toBe(true);
        else {
          if (most > 0) expect(at(most)[key]).toBe(true);
          expect(at(most + 1)[key]).toBe(false);
        }
      }
    }
    expect(ragpartTheory({ fragments: 5, combine: 3, poisoned: 2 })).toMatchObject({ mostNaive: 0, mostPart: 2 });
  });

  it('refuses what is not in range, and says what is', () => {
    const at = (options: Partial<Parameters<typeof ragpartTheory>[0]>) => () =>
      ragpartTheory({ fragments: 5, combine: 3, poisoned: 1, ...options });
    expect(at({})).not.toThrow();
    expect(at({ combine: 6 })).toThrow('combine is 6, expected a whole number from 1 to 5');
    expect(at({ combine: 0 })).toThrow('combine is 0, expected a whole number from 1 to 5');
    expect(at({ fragments: 51 })).toThrow('fragments is 51, expected a whole number from 1 to 50');
    expect(at({ fragments: 4.5 })).toThrow('fragments is 4.5');
    expect(at({ poisoned: 6 })).toThrow('poisoned is 6, expected a whole number from 0 to 5');
    expect(at({ poisoned: -1 })).toThrow('poisoned is -1');
    expect(at({ adversarial: 0 })).toThrow('adversarial is 0, expected a whole number from 1 to 1000');
    expect(at({ fragments: 50, combine: 25, poisoned: 25, adversarial: 1000 })).not.toThrow();
  });
});

describe('ragpartCost', () => {
  it("gives the paper's example", () => {
    // Section 6.2: D = 1e6, N = 5, k = 3, n_e = 512, R = 1e9: 3e16 against 5e15 and 1.54e10.
    expect(ragpartCost({ fragments: 5, combine: 3, passages: 1e6, dimensions: 512, encoderFlops: 1e9 })).toEqual({
      ingestNaive: 3e16,
      ingestPart: 5e15 + 1.536e10,
      ingestHere: 5e15,
      query: 2 * 512 * 1e6 * 10,
      queryHere: 2 * 512 * 1e6 * 5 + 1e6 * 10 * 3,
    });
  });
});
