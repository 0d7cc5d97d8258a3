import type { Passage } from '@bezoar/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawIrrelevant, shuffledPlaces } from './irrelevant-passages.ts';

/** A corpus in memory that counts what is read of it. */
function corpusOf(texts: readonly string[]) {
  const read: number[] = [];
  return {
    read,
    passageCount: texts.length,
    passages: async (places: readonly number[]): Promise<readonly Passage[]> => {
      read.push(...places);
      return places.map((place) => ({ id: `p${place}`, text: texts[place]! }));
    },
  };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, place) => `text ${place}`);
const question = { id: 'q', gold: new Map([[3, 1]]), candidates: [5, 7] };
const ids = async (drawn: Promise<readonly Passage[]>): Promise<string[]> => (await drawn).map(({ id }) => id);

describe('drawIrrelevant', () => {
  it('draws all there is but what belongs to the question, and reads nothing else', async () => {
    const corpus = corpusOf(numbered(10));
    expect((await ids(drawIrrelevant(corpus, question, 20, 1))).toSorted()).toEqual(['p0', 'p1', 'p2', 'p4', 'p6', 'p8', 'p9']);
    expect(corpus.read.toSorted()).toEqual([0, 1, 2, 4, 6, 8, 9]);
    expect(await drawIrrelevant(corpus, { ...question, candidates: null }, 20, 1)).toHaveLength(9);
  });

  it('draws the same for the same seed and question, else another; a longer draw begins as a shorter one', async () => {
    const corpus = corpusOf(numbered(1000));
    const drawn = await ids(drawIrrelevant(corpus, question, 5, 1));
    expect(await ids(drawIrrelevant(corpus, question, 5, 1))).toEqual(drawn);
    expect((await ids(drawIrrelevant(corpus, question, 50, 1))).slice(0, 5)).toEqual(drawn);
    expect(await ids(drawIrrelevant(corpus, question, 5, 2))).not.toEqual(drawn);
    expect(await ids(drawIrrelevant(corpus, { ...question, id: 'r' }, 5, 1))).not.toEqual(drawn);
  });

  it('leaves out blanks and copies, white space aside, and reads on for others', async () => {
    const corpus = corpusOf(['', ' \n', 'a', ' a', 'a\n', 'b  c', 'b c', 'd']);
    const drawn = await drawIrrelevant(corpus, { id: 'q', gold: new Map(), candidates: null }, 3, 4);
    expect(drawn.map(({ text }) => text.trim()[0]).toSorted()).toEqual(['a', 'b', 'd']);
  });

  it('reads about as many as are wanted of a large corpus, and gives up on one of copies', async () => {
    const large = corpusOf(numbered(100_000));
    expect(await drawIrrelevant(large, question, 10, 1)).toHaveLength(10);
    expect(large.read.length).toBe(10);
    const copies = corpusOf(new Array(100_000).fill('x'));
    expect(await drawIrrelevant(copies, question, 10, 1)).toHaveLength(1);
    expect(copies.read.length).toBeLessThan(2020);
  });

  it('draws nothing where nothing is wanted or nothing is there', async () => {
    const corpus = corpusOf(numbered(3));
    expect(await drawIrrelevant(corpus, question, 0, 1)).toEqual([]);
    expect(await drawIrrelevant(corpus, { id: 'q', gold: new Map([[0, 1]]), candidates: [1, 2] }, 5, 1)).toEqual([]);
    expect(corpus.read).toEqual([]);
  });
});

describe('shuffledPlaces', () => {
  it('is every place once', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200 }), fc.nat(), (count, seed) => {
        expect([...shuffledPlaces(count, seed)].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, place) => place));
      }),
    );
  });

  it('puts each place first about as often as any other', () => {
    const first = new Array<number>(5).fill(0);
    for (let seed = 0; seed < 5000; seed++) first[shuffledPlaces(5, seed).next().value as number]! += 1;
    // Five standard deviations of a binomial with n = 5000, p = 0.2 are 141.
    for (const count of first) expect(Math.abs(count - 1000)).toBeLessThan(142);
  });
});
