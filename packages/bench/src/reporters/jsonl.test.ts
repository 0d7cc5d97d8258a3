import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import { jsonl } from './jsonl.ts';

describe('jsonl', () => {
  it('writes typed lines in their order, the queries of a cell behind it', () => {
    const result = sampleResult({ cells: 2, questions: [1, 1], diagnose: true });
    const pieces = [...jsonl.render(result, { columns: 80, colour: true })];
    expect(pieces.every((piece) => piece.endsWith('\n') && piece.indexOf('\n') === piece.length - 1)).toBe(true);
    const lines = pieces.map((piece) => JSON.parse(piece));
    expect(lines.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      ...['run', 'question', 'passage', 'pool', 'cell', 'query', 'cell', 'query', 'diagnosis'],
    ]);
    expect(lines[0]).toEqual({
      type: 'run',
      schemaVersion: 1,
      lines: { question: 2, passage: result.passages.length, pool: result.pools.length, cell: 2, query: 2, diagnosis: 2 },
      run: result.run,
    });
    const cells = lines.filter(({ type }) => type === 'cell');
    expect(cells[0]).not.toHaveProperty('records');
    expect(lines.filter(({ type }) => type === 'query')).toEqual(
      result.cells.flatMap(({ records }, cell) => records.map((record) => ({ type: 'query', cell, ...record }))),
    );
  });
});
