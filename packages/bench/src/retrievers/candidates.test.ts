import { toyEncoder } from '@bezoar/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../../tests/memory-dataset.ts';
import { candidates } from './candidates.ts';
import { dense } from './dense.ts';

const SETTINGS = { count: 3, distinct: true, passageText: 'title-and-text', signal: null } as const;
const CORPUS = [
  { id: 'a', title: 'Fox', text: 'red' },
  { id: 'b', text: 'Fox  red ' },
  { id: 'c', title: 'Dog', text: 'red' },
  { id: 'd', text: 'cat' },
  { id: 'e', text: '' },
];

describe('candidates', () => {
  it('takes the first distinct ones in their own order', async () => {
    const dataset = memoryDataset(CORPUS, [
      { text: 'q', candidates: [1, 0, 2, 2, 3, 4] },
      { text: 'q', candidates: null },
      { text: 'q', candidates: [] },
      { text: 'q', candidates: [4, 4] },
    ]);
    const places = async (more: object): Promise<(readonly number[])[]> =>
      (await candidates(dataset, dataset.queries, { ...SETTINGS, ...more }, null)).map((list) => list.places);
    expect(await places({})).toEqual([[1, 2, 3], [], [], [4]]);
    expect(await places({ count: 9 })).toEqual([[1, 2, 3, 4], [], [], [4]]);
    // Without titles `a` and `c` are copies; the same passage twice is never two.
    expect(await places({ passageText: 'text', count: 4 })).toEqual([[1, 0, 3, 4], [], [], [4]]);
    expect(await places({ distinct: false })).toEqual([[1, 0, 2], [], [], [4]]);
    expect(await places({ distinct: false, count: 9 })).toEqual([[1, 0, 2, 3, 4], [], [], [4]]);
    expect((await candidates(dataset, dataset.queries, SETTINGS, null))[0]!.scores).toEqual([null, null, null]);
  });

  it('orders these same ones by score, those without one last', async () => {
    const dataset = memoryDataset(CORPUS, [
      { text: 'dog', candidates: [4, 3, 2, 0] },
      { text: 'cat', candidates: [2, 3] },
    ]);
    const scorer = await dense(toyEncoder(512), ['dog', 'cat'], null);
    const [first, second] = await candidates(dataset, dataset.queries, SETTINGS, scorer);
    expect(first).toEqual({ places: [2, 3, 4], scores: [expect.closeTo(1 / Math.sqrt(2), 12), 0, null] });
    expect(second).toEqual({ places: [3, 2], scores: [1, 0] });
  });

  it('scores each question by itself, over any number of them', async () => {
    const queries = Array.from({ length: 230 }, (_, index) => ({ text: index % 3 === 0 ? 'dog' : 'cat', candidates: [2, 3] }));
    const dataset = memoryDataset(CORPUS, queries);
    const scorer = await dense(
      toyEncoder(512),
      queries.map(({ text }) => text),
      null,
    );
    const lists = await candidates(dataset, dataset.queries, SETTINGS, scorer);
    expect(lists.map(({ places }) => places)).toEqual(queries.map(({ text }) => (text === 'dog' ? [2, 3] : [3, 2])));
  });

  it('stops on abort', async () => {
    const dataset = memoryDataset(CORPUS, [{ text: 'q', candidates: [0] }]);
    await expect(candidates(dataset, dataset.queries, { ...SETTINGS, signal: AbortSignal.abort() }, null)).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});
