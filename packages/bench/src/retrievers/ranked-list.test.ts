import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BestPassages } from './best-passages.ts';
import { mergePlanted, type RankedList } from './ranked-list.ts';

const rank = (scores: readonly number[], size: number): RankedList => {
  const best = new BestPassages(size);
  for (const [place, score] of scores.entries()) best.offer(place, score, null);
  return best.list();
};
const show = (list: RankedList, planted: readonly number[], from: number, count: number): string[] =>
  mergePlanted(list, Float64Array.from(planted), from, count).map((hit) => `${hit.planted ? 'p' : 'c'}${hit.place}`);

describe('mergePlanted', () => {
  it('gives what a search of the poisoned corpus gives: top(D + P) = top(top(D) + P)', () => {
    const scores = fc.array(fc.oneof(fc.constantFrom(0, 1, 0.5), fc.double({ min: -1, max: 1, noNaN: true })), { maxLength: 30 });
    fc.assert(
      fc.property(scores, scores, fc.integer({ min: 1, max: 12 }), (clean, planted, count) => {
        const all = rank([...clean, ...planted], count).places.map((place) =>
          place < clean.length ? `c${place}` : `p${place - clean.length}`,
        );
        expect(show(rank(clean, count), planted, 0, count)).toEqual(all);
      }),
    );
  });

  it('puts poison behind a clean passage with the same score, in its own order', () => {
    const list = { places: [7, 3], scores: [2, 1] };
    expect(mergePlanted(list, Float64Array.of(1, 2, 2 + 1e-15), 5, 4)).toEqual([
      { planted: false, place: 7, score: 2 },
      { planted: true, place: 6, score: 2 },
      { planted: true, place: 7, score: 2 + 1e-15 },
      { planted: false, place: 3, score: 1 },
    ]);
  });

  it('leaves out planted passages that are not retrieved, and puts clean ones without a score last', () => {
    const list = { places: [4, 9, 1], scores: [-3, null, null] };
    expect(show(list, [Number.NaN, -5, Number.POSITIVE_INFINITY], 10, 9)).toEqual(['c4', 'p11', 'c9', 'c1']);
    expect(show(list, [-5], 0, 2)).toEqual(['c4', 'p0']);
    expect(show({ places: [], scores: [] }, [], 0, 3)).toEqual([]);
  });
});
