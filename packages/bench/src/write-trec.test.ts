import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../tests/memory-dataset.ts';
import { sampleResult } from './testing/sample-result.ts';
import { writeTrec } from './write-trec.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-trec-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('writeTrec', () => {
  it('writes qrels a dataset and a run a cell, with what went on in its order', async () => {
    const sample = sampleResult();
    const result = { ...sample, cells: sample.cells.map((cell) => ({ ...cell, limit: 1 })) };
    const made = memoryDataset(
      ['x', 'y'],
      [
        { id: 'q1', text: 'q', gold: new Map([[1, 2]]) },
        { id: 'beyond', text: 'q', gold: new Map([[1, 2]]) },
      ],
    );
    const dataset = { ...made, name: result.cells[0]!.dataset };
    await writeTrec(result, [dataset], join(folder, 'out'));
    const names = readdirSync(join(folder, 'out')).sort();
    expect(names).toEqual([...result.cells.map((_, index) => `${String(index + 1).padStart(4, '0')}.run`), `${dataset.name}.qrels`].sort());
    expect(readFileSync(join(folder, 'out', `${dataset.name}.qrels`), 'utf8')).toBe('q1 0 c1 2\n');
    const cell = result.cells[0]!;
    const record = cell.records.find(({ context }) => context.length > 1)!;
    const ids = record.context.map((rank) => result.passages[result.pools[record.pool!]!.passages[rank - 1]!.passage]!.id);
    const lines = readFileSync(join(folder, 'out', '0001.run'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${record.queryId} `));
    expect(lines.map((line) => line.split(' ').slice(1, 5))).toEqual(
      ids.map((id, index) => ['Q0', id, String(index + 1), String(ids.length - index)]),
    );
  });

  it('says when it cannot', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(writeTrec(sampleResult(), [], join(folder, 'file', 'x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
