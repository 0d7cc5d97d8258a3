import { passageText } from '@bezoar/core';
import { rankOrder } from '@bezoar/core/kernels/rank-order';
import { toyEncoder } from '@bezoar/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../../tests/memory-dataset.ts';
import { dense } from './dense.ts';
import { distinctText } from './distinct-text.ts';
import { searchCorpus } from './search-corpus.ts';

const WORDS = fc.array(fc.constantFrom('red', 'fox', 'ran', 'home', 'late'), { maxLength: 4 }).map((words) => words.join(' '));
const PASSAGE = fc.record({ title: fc.constantFrom('', 'Red', 'Home '), text: WORDS });
const quiet = () => undefined;

describe('searchCorpus', () => {
  it('finds what brute force finds, over any number of batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(PASSAGE, { maxLength: 30 }),
        fc.array(WORDS, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        fc.constantFrom('title-and-text' as const, 'text' as const),
        async (given, queries, depth, distinct, what) => {
          const corpus = given.map((passage, place) => ({ id: `c${place}`, ...passage }));
          const scorer = await dense(toyEncoder(4), queries, null);
          const found = await searchCorpus(memoryDataset(corpus, [], 4), scorer, queries.length, depth, distinct, {
            passageText: what,
            signal: null,
            progress: quiet,
          });
          const texts = corpus.map((passage) => passageText(passage, what));
          const scored = await scorer.score(texts);
          for (const [q, list] of found.entries()) {
            const scores = scored.scores(q, 0, texts.length);
            const order = rankOrder(scores).filter((place) => !Number.isNaN(scores[place]));
            const first = order.filter(
              (place, rank) => order.findIndex((other) => distinctText(texts[other]!) === distinctText(texts[place]!)) === rank,
            );
            const places = (distinct ? first : order).slice(0, depth);
            expect(list).toEqual({ places, scores: places.map((place) => scores[place]) });
          }
        },
      ),
    );
  });

  it('says how far it is, and stops on abort', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const progress = (...told: unknown[]): void => {
      if (seen.push(told) === 2) controller.abort();
    };
    const dataset = memoryDataset(['a', 'b', 'c', 'd', 'e'], [], 2);
    const scorer = await dense(toyEncoder(), ['a'], null);
    const search = searchCorpus(dataset, scorer, 1, 3, false, { passageText: 'text', signal: controller.signal, progress });
    await expect(search).rejects.toMatchObject({ code: 'ABORTED' });
    expect(seen).toEqual([
      [2, 5, 'searching memory'],
      [4, 5, 'searching memory'],
    ]);
  });
});
