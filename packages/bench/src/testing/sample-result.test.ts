import { describe, expect, it } from 'vitest';
import type { BenchResult } from '../types.ts';
import { HOSTILE_STRINGS, sampleResult } from './sample-result.ts';

/** The same result with every string that an attacker may write replaced. */
const shape = (result: BenchResult): string =>
  JSON.stringify({
    ...result,
    cells: result.cells.map((cell) => ({
      ...cell,
      warnings: cell.warnings.map(({ code }) => code),
      records: cell.records.map((record) => ({ ...record, queryId: '' })),
    })),
    questions: result.questions.map(({ dataset, answers, goldGrades }) => [dataset, answers.length, goldGrades]),
    passages: result.passages.map(({ title }) => title === null),
    diagnoses: result.diagnoses.map((diagnosis) => ({ ...diagnosis, combinations: { ...diagnosis.combinations, query: '' } })),
  });

describe('sampleResult', () => {
  it('is the same every time', () => {
    expect(JSON.stringify(sampleResult({ hostile: true, sweep: true }))).toBe(JSON.stringify(sampleResult({ hostile: true, sweep: true })));
  });

  it('differs by strings alone where it is hostile, and holds every hostile string', () => {
    const all = { sweep: true, diagnose: true, repeats: true };
    const hostile = sampleResult({ ...all, hostile: true });
    expect(shape(hostile)).toBe(shape(sampleResult(all)));
    const texts = hostile.passages.map(({ text }) => text);
    for (const one of HOSTILE_STRINGS) expect(texts.some((text) => text.startsWith(one))).toBe(true);
    expect(hostile.questions[0]!.id).toBe('__proto__');
  });

  it.each([{}, { sweep: true }, { repeats: true }, { hostile: true }])('hangs together (%j)', (options) => {
    const result = sampleResult(options);
    expect(result.cells).toHaveLength('sweep' in options ? 56 : 32);
    expect(new Set(result.passages.map(({ id }) => id)).size).toBe(result.passages.length);
    for (const pool of result.pools) {
      expect(pool.passages).toHaveLength(6);
      expect(pool.passages.filter(({ label }) => label === 'poisoned')).toHaveLength(pool.planted);
    }
    for (const cell of result.cells) {
      expect(cell.records).toHaveLength(cell.queries * cell.seeds.length);
      const { breached, resisted, notAssessed } = cell.outcomes;
      expect(breached + resisted + notAssessed).toBe(cell.records.length);
      for (const record of cell.records) {
        if (record.pool === null) continue;
        const pool = result.pools[record.pool]!;
        expect(result.questions[pool.question]!.id).toBe(record.queryId);
        expect(result.pools[record.cleanPool!]!.question).toBe(pool.question);
        expect(record.outcome === 'breached').toBe(record.context.some((rank) => pool.passages[rank - 1]!.label === 'poisoned'));
        if (cell.attack === 'none') expect([record.pool, record.context]).toEqual([record.cleanPool, record.cleanContext]);
      }
      const { value: breachedShare } = cell.metrics.poisonInContext!;
      if (cell.attack === 'none') expect(breachedShare).toBeNull();
      else expect(breachedShare).toBeCloseTo(breached / (breached + resisted), 12);
      expect(cell.records.filter(({ verdicts }) => verdicts).length).toBe(Math.min(2, breached));
      for (const { value, low, high, n, notAssessed } of Object.values(cell.metrics)) {
        expect(n + notAssessed).toBe(cell.queries);
        if (value !== null) expect([low! <= value, value <= high!]).toEqual([true, true]);
      }
    }
  });

  it('can be empty, or of questions that none is assessed of', () => {
    expect(sampleResult({ cells: 0 }).cells).toEqual([]);
    const { cells } = sampleResult({ questions: [1, 0] });
    expect(cells.every(({ metrics }) => Object.values(metrics).every(({ value, n }) => value === null && n === 0))).toBe(true);
  });
});
