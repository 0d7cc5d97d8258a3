import { bm25Index } from '@bezoar/core/kernels/bm25';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../../tests/memory-dataset.ts';
import { countQueryWords, lexical } from './lexical.ts';

const READING = { passageText: 'title-and-text', signal: null, progress: () => undefined } as const;
const TEXT = fc
  .array(fc.constantFrom('red', 'Fox', 'fox', 'ran', 'the', 'x', 'home', 'été', '__proto__', '日本'), { maxLength: 9 })
  .map((words) => words.join(' '));

describe('lexical', () => {
  it("gives the numbers of core's index over the whole corpus", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TEXT, { maxLength: 20 }), fc.array(TEXT, { minLength: 1, maxLength: 4 }), async (corpus, queries) => {
        const dataset = memoryDataset(
          corpus,
          queries.map((text) => ({ text })),
        );
        const scored = await lexical(await countQueryWords(dataset, queries, READING), queries).score(corpus);
        const index = bm25Index(corpus);
        for (const [q, query] of queries.entries()) {
          // Core says 0 where no word is shared.
          const found = [...scored.scores(q, 0, corpus.length)].map((score) => (Number.isNaN(score) ? 0 : score));
          const expected = index.scores(query);
          for (const [p, score] of found.entries()) expect(Math.abs(score - expected[p]!)).toBeLessThan(1e-9);
        }
      }),
    );
  });

  it('counts the words of the questions, titles included, and empty passages as passages', async () => {
    const corpus = [
      { id: 'a', title: 'Red fox', text: 'fox ran' },
      { id: 'b', text: '' },
      { id: 'c', text: 'home of a fox' },
    ];
    const statistics = await countQueryWords(memoryDataset(corpus, []), ['fox', 'Fox unicorn'], READING);
    expect(statistics).toEqual({
      documents: 3,
      averageLength: (4 + 0 + 2) / 3,
      frequencies: [
        ['fox', 2],
        ['unicorn', 0],
      ],
    });
    const textOnly = await countQueryWords(memoryDataset(corpus, []), ['red'], { ...READING, passageText: 'text' });
    expect(textOnly).toEqual({ documents: 3, averageLength: 4 / 3, frequencies: [['red', 0]] });
    expect(await countQueryWords(memoryDataset([], []), [], READING)).toEqual({ documents: 0, averageLength: 0, frequencies: [] });
  });

  it('scores poison by the statistics of the clean corpus, and a stretch of the texts alone', async () => {
    const statistics = {
      documents: 10,
      averageLength: 4,
      frequencies: [
        ['fox', 2],
        ['red', 0],
      ],
    } as const;
    const scorer = lexical(statistics, ['fox', 'fox fox red', 'unknown']);
    const scored = await scorer.score(['fox fox', 'nothing', 'red fox ran home today']);
    const idf = (passages: number): number => Math.log(1 + (10 - passages + 0.5) / (passages + 0.5));
    const weight = (count: number, length: number): number => count / (count + 1.5 * (0.25 + (0.75 * length) / 4));
    expect([...scored.scores(0, 0, 3)]).toEqual([idf(2) * weight(2, 2), Number.NaN, expect.closeTo(idf(2) * weight(1, 5), 12)]);
    expect([...scored.scores(1, 2, 3)]).toEqual([expect.closeTo((2 * idf(2) + idf(0)) * weight(1, 5), 12)]);
    expect([...scored.scores(2, 0, 3)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it('scores poison in a corpus without words', async () => {
    const scored = await lexical({ documents: 0, averageLength: 0, frequencies: [['fox', 0]] }, ['fox']).score(['fox']);
    expect([...scored.scores(0, 0, 1)]).toEqual([expect.closeTo(Math.log(2) / (1 + 1.5 * 0.25), 12)]);
  });

  it('is identified by questions and statistics', () => {
    const statistics = { documents: 1, averageLength: 1, frequencies: [] };
    const identities = [
      lexical(statistics, ['a']).identity,
      lexical(statistics, ['b']).identity,
      lexical({ ...statistics, documents: 2 }, ['a']).identity,
    ];
    expect(new Set(identities).size).toBe(3);
    expect(lexical(statistics, ['a']).identity).toBe(identities[0]);
  });
});
