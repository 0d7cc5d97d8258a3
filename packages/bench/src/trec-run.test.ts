import { expect, it } from 'vitest';
import { memoryDataset } from '../../../tests/memory-dataset.ts';
import { type Ranking, trecQrels, trecRun } from './trec-run.ts';

const ranking = (queryId: string, passageIds: readonly string[]): Ranking => ({ queryId, passageIds });

const collect = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const collected: string[] = [];
  for await (const line of lines) collected.push(line);
  return collected;
};

it('writes a run whose scores fall with the rank', () => {
  const lines = [...trecRun([ranking('q1', ['b', 'a', 'c']), ranking('q2', []), ranking('q3', ['a'])], 'none')];
  expect(lines).toEqual(['q1 Q0 b 1 3 none', 'q1 Q0 a 2 2 none', 'q1 Q0 c 3 1 none', 'q3 Q0 a 1 1 none']);
  expect([...trecRun([], 'none')]).toEqual([]);
});

it('writes the grades of all gold passages', async () => {
  const dataset = memoryDataset(
    ['x', 'y', { id: 'a b', text: 'z' }],
    [
      {
        id: 'q 1',
        text: 'q',
        gold: new Map([
          [2, 2],
          [0, 1],
        ]),
      },
      { text: 'q', gold: new Map() },
      { text: 'q', gold: new Map([[1, 0.5]]) },
    ],
  );
  const lines = await collect(trecQrels(dataset));
  expect(lines).toEqual(['q%201 0 a%20b 2', 'q%201 0 c0 1', 'q2 0 c1 0.5']);
  expect(await collect(trecQrels(dataset, 1))).toEqual(lines.slice(0, 2));
});

it('keeps every field one field, and different ids different', () => {
  const ids = ['', '%', 'a b', 'a%20b', 'a\tb', 'a\nb', 'a\u00a0b', 'a\u0000b', 'a\u0085b', 'a\u2028b', '\u{1f600}', '\ud800'];
  const lines = [...trecRun([ranking('q\r\n1', ids)], 'my tag')];
  const fields = lines.map((line) => line.split(/[\s\u0085]/));
  expect(fields.map(({ length }) => length)).toEqual(ids.map(() => 6));
  expect(new Set(fields.map((parts) => parts[2])).size).toBe(ids.length);
  expect(fields[2]).toEqual(['q%0D%0A1', 'Q0', 'a%20b', '3', '10', 'my%20tag']);
  expect(fields.slice(0, 4).map((parts) => parts[2])).toEqual(['%', '%25', 'a%20b', 'a%2520b']);
});
