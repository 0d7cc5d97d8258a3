import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hybrid } from './hybrid.ts';
import type { Hit } from './ranked-list.ts';

const clean = (...places: number[]): Hit[] => places.map((place) => ({ planted: false, place, score: 9 }));
const planted = (place: number): Hit => ({ planted: true, place, score: 9 });

describe('hybrid', () => {
  it('sums the reciprocal ranks', () => {
    const lists = [
      [...clean(4, 2), planted(2)],
      [planted(2), ...clean(7, 4)],
    ];
    expect(hybrid(lists, 9)).toEqual([
      { planted: false, place: 4, score: 1 / 61 + 1 / 63 },
      { planted: true, place: 2, score: 1 / 63 + 1 / 61 },
      { planted: false, place: 2, score: 1 / 62 },
      { planted: false, place: 7, score: 1 / 62 },
    ]);
    expect(hybrid(lists, 2).map(({ place }) => place)).toEqual([4, 2]);
    expect(hybrid([], 3)).toEqual([]);
    expect(hybrid([[], clean(1)], 3)).toEqual([{ planted: false, place: 1, score: 1 / 61 }]);
  });

  it('is the sort of all sums, equal ones by the first list', () => {
    const list = fc.uniqueArray(fc.nat(12), { maxLength: 10 });
    fc.assert(
      fc.property(list, list, fc.nat(12), (first, second, count) => {
        const places = [...new Set([...first, ...second])];
        const share = (ranks: readonly number[], place: number): number => (ranks.includes(place) ? 1 / (61 + ranks.indexOf(place)) : 0);
        const rounded = (place: number): number => Number((share(first, place) + share(second, place)).toPrecision(12));
        const expected = places.toSorted((a, b) => rounded(b) - rounded(a) || places.indexOf(a) - places.indexOf(b)).slice(0, count);
        expect(hybrid([clean(...first), clean(...second)], count).map(({ place }) => place)).toEqual(expected);
      }),
    );
  });
});
