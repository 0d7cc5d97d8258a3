import { roundScore } from '@bezoar/core/kernels/round-score';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BestPassages } from './best-passages.ts';

interface Offer {
  readonly score: number;
  readonly text: number;
}

/** Sorts all, then takes the first of each text. */
function twin(offers: readonly Offer[], size: number, distinct: boolean): number[] {
  const order = offers
    .map(({ score, text }, place) => ({ key: roundScore(score), text, place }))
    .filter(({ key }) => !Number.isNaN(key))
    .sort((a, b) => b.key - a.key || a.place - b.place);
  const seen = new Set<number>();
  const kept = order.filter(({ text }) => !distinct || (!seen.has(text) && seen.add(text)));
  return kept.slice(0, size).map(({ place }) => place);
}

function placesOf(offers: readonly Offer[], size: number, distinct: boolean): readonly number[] {
  const best = new BestPassages(size);
  for (const [place, { score }] of offers.entries()) best.offer(place, score, distinct ? (asked) => String(offers[asked]!.text) : null);
  const { places, scores } = best.list();
  expect(scores).toEqual(places.map((place) => offers[place]!.score));
  return places;
}

const SCORES = fc.oneof(fc.constantFrom(0, 1, 1 + 1e-14, -1, Number.NaN), fc.double({ min: -2, max: 2, noNaN: true }));
const OFFERS = fc.array(fc.record({ score: SCORES, text: fc.nat(6) }), { maxLength: 40 });

describe('BestPassages', () => {
  it('is the beginning of all that was offered, sorted', () => {
    fc.assert(
      fc.property(OFFERS, fc.integer({ min: 1, max: 12 }), fc.boolean(), (offers, size, distinct) => {
        expect(placesOf(offers, size, distinct)).toEqual(twin(offers, size, distinct));
      }),
    );
  });

  it('lets a better copy replace the one it has, and an equal one not', () => {
    const offers = [
      { score: 1, text: 0 },
      { score: 3, text: 1 },
      { score: 2, text: 0 },
      { score: 3, text: 1 },
    ];
    expect(placesOf(offers, 3, true)).toEqual([1, 2]);
    expect(placesOf(offers, 3, false)).toEqual([1, 3, 2]);
  });

  it('lets in what is better by little, and not what is better by rounding', () => {
    const offers = [1, 1 + 1e-15, 1 + 5e-12, -1].map((score) => ({ score, text: 0 }));
    expect(placesOf(offers, 1, false)).toEqual([2]);
    expect(
      placesOf(
        [
          { score: -1, text: 0 },
          { score: -1 + 5e-12, text: 0 },
        ],
        1,
        false,
      ),
    ).toEqual([1]);
  });

  it('asks for the text only of a passage that may enter', () => {
    const best = new BestPassages(1);
    const asked: number[] = [];
    for (const [place, score] of [5, 4, 5, 6].entries()) best.offer(place, score, () => String(asked.push(place)));
    expect(asked).toEqual([0, 3]);
    expect(best.list()).toEqual({ places: [3], scores: [6] });
  });

  it('holds nothing without room or offers', () => {
    const none = new BestPassages(0);
    none.offer(0, 1, null);
    expect(none.list()).toEqual({ places: [], scores: [] });
    expect(new BestPassages(3).list()).toEqual({ places: [], scores: [] });
  });
});
