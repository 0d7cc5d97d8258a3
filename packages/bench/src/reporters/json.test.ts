import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import type { BenchResult } from '../types.ts';
import { json } from './json.ts';

const textOf = (result: BenchResult): string => [...json.render(result, { columns: 80, colour: true })].join('');

describe('json', () => {
  it('is the result itself, unrounded', () => {
    const result = sampleResult({ hostile: true, sweep: true, diagnose: true });
    expect(JSON.parse(textOf(result))).toEqual(result);
  });

  it('has one cell, record, question, passage and pool a line', () => {
    const result = sampleResult({ cells: 2, questions: [2, 0], diagnose: true });
    const lines = textOf(result).split('\n');
    const records = result.cells.flatMap((cell) => cell.records);
    const items = [...records, ...result.questions, ...result.passages, ...result.pools, ...result.diagnoses];
    expect(lines.filter((line) => items.some((item) => [JSON.stringify(item), `${JSON.stringify(item)},`].includes(line)))).toHaveLength(
      items.length,
    );
    expect(lines.filter((line) => line.startsWith('{"dataset":"alpha","attack"') && line.endsWith('"records":['))).toHaveLength(2);
    // Brackets around: the braces of the whole, its version, its run, and begin and end of five lists and of the records of two cells.
    expect(lines).toHaveLength(items.length + 1 + 2 + 2 + 2 + 5 + 5 + 2);
  });

  it('changes only the lines of what changed', () => {
    const result = sampleResult({ cells: 3 });
    const before = textOf(result).split('\n');
    const record = result.cells[1]!.records[2]!;
    (record as { modelCalls: number }).modelCalls = 7;
    const after = textOf(result).split('\n');
    expect(after.filter((line, index) => line !== before[index])).toEqual([`${JSON.stringify(record)},`]);
  });

  it('is valid where there is nothing', () => {
    const empty: BenchResult = { ...sampleResult({ cells: 0 }), questions: [], passages: [], pools: [] };
    expect(textOf(empty)).toBe(
      `{\n"schemaVersion":1,\n"run":${JSON.stringify(empty.run)},\n"cells":[],\n"questions":[],\n"passages":[],\n"pools":[],\n"diagnoses":[]\n}\n`,
    );
  });
});
