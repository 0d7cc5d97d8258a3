import { describe, expect, it } from 'vitest';
import { COMPARED_METRICS, type CompareOptions, compareDefenses, compareResults, type MetricComparison } from './compare-results.ts';
import { bootstrapDifference } from './statistics/bootstrap-difference.ts';
import { wilcoxonSignedRank } from './statistics/wilcoxon-signed-rank.ts';
import { sampleResult } from './testing/sample-result.ts';
import type { BenchResult, QuestionRecord, ResultCell } from './types.ts';

const sample = sampleResult();
const template = sample.cells.find(({ attack }) => attack === 'poisonedrag')!;

/** What goes on for each question, as ranks in a pool of poison, gold and a third passage; null where the question is not assessed. */
type Contexts = readonly (readonly number[] | null)[];

/** Breached without gold, breached with gold, resisted, nothing at all. */
const [BREACHED, BOTH, RESISTED, NOTHING] = [[1, 3], [1, 2], [2, 3], []];

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

function recordsOf(contexts: Contexts, seed = 1, ids: readonly string[] = []): QuestionRecord[] {
  return contexts.map((context, question) => ({
    queryId: ids[question] ?? `q${question}`,
    seed,
    outcome: context === null ? 'not-assessed' : context.includes(1) ? 'breached' : 'resisted',
    why: context === null ? 'defense-failed' : null,
    pool: context === null ? null : 0,
    context: context ?? [],
    cleanPool: context === null ? null : 1,
    cleanContext: context === null ? [] : [1],
    modelCalls: 0,
    certificate: null,
  }));
}

const cellOf = (defense: string, records: readonly QuestionRecord[], settings: Partial<ResultCell> = {}): ResultCell => ({
  ...template,
  keep: 2,
  encoder: null,
  defense,
  records,
  ...settings,
});

function resultOf(...cells: ResultCell[]): BenchResult {
  return {
    ...sample,
    cells,
    questions: [{ dataset: 'alpha', id: 'q', text: 'q?', answers: [], targetAnswer: null, goldGrades: [1] }],
    pools: [
      {
        question: 0,
        planted: 1,
        passages: [
          { passage: 0, label: 'poisoned', grade: 0 },
          { passage: 1, label: 'clean', grade: 1 },
          { passage: 2, label: 'clean', grade: 0 },
        ],
      },
      { question: 0, planted: 0, passages: [{ passage: 1, label: 'clean', grade: 1 }] },
    ],
  };
}

function comparedMetric(before: Contexts, after: Contexts, metric: string, others: readonly string[] = []): MetricComparison {
  const options: CompareOptions = { metrics: [metric, ...others] };
  const { cells } = compareResults(resultOf(cellOf('x', recordsOf(before))), resultOf(cellOf('x', recordsOf(after))), options);
  return cells[0].metrics[0];
}

describe('compareResults', () => {
  it('tests a rate by the questions where the two disagree', () => {
    const before = [...times(10, BREACHED), ...times(2, BREACHED), ...times(8, RESISTED)];
    const after = [...times(10, RESISTED), ...times(2, BREACHED), ...times(8, RESISTED)];
    const found = comparedMetric(before, after, 'poisonInContext');
    expect(found).toMatchObject({ metric: 'poisonInContext', n: 20, before: 12 / 20, after: 2 / 20, test: 'mcnemar', verdict: 'better' });
    expect(found.difference).toBeCloseTo(-10 / 20, 12);
    expect(found.p).toBeCloseTo(2 * 0.5 ** 10, 12);
    expect(found.adjustedP).toBe(found.p);
    expect(found.low!).toBeLessThan(found.difference!);
    expect(found.high!).toBeLessThan(0);
    // The other way round it is worse, by as much.
    const back = comparedMetric(after, before, 'poisonInContext');
    expect([back.verdict, back.p]).toEqual(['worse', found.p]);
    expect(back.difference).toBeCloseTo(10 / 20, 12);
  });

  it('says whether higher is better', () => {
    expect(comparedMetric(times(10, NOTHING), times(10, RESISTED), 'successRate').verdict).toBe('better');
    expect(comparedMetric(times(10, RESISTED), times(10, NOTHING), 'successRate').verdict).toBe('worse');
  });

  it('says plainly that nothing is significant', () => {
    const found = comparedMetric([BREACHED, ...times(9, RESISTED)], times(10, RESISTED), 'poisonInContext');
    expect(found).toMatchObject({ verdict: 'no significant difference', p: 1 });
    const same = comparedMetric(times(10, BREACHED), times(10, BREACHED), 'poisonInContext');
    expect(same).toMatchObject({ difference: 0, low: 0, high: 0, p: 1, verdict: 'no significant difference' });
  });

  it('tests what is no rate by ranks, with the interval of the pooled ratio', () => {
    // Clean passages kept, of two: 1, 2, 0.
    const before = [...times(8, BREACHED), ...times(8, RESISTED), ...times(4, RESISTED)];
    const after = [...times(8, NOTHING), ...times(8, BOTH), ...times(4, RESISTED)];
    const [kept, keptAfter] = [
      [...times(8, 1), ...times(8, 2), ...times(4, 2)],
      [...times(8, 0), ...times(8, 1), ...times(4, 2)],
    ];
    const found = comparedMetric(before, after, 'cleanRetention');
    const { p } = wilcoxonSignedRank(
      kept.map((count) => count / 2),
      keptAfter.map((count) => count / 2),
    );
    const pairs = (counts: readonly number[]) => counts.map((count) => [count, 2] as const);
    const interval = bootstrapDifference(pairs(kept), pairs(keptAfter), { seed: sample.run.seed })!;
    expect(found).toMatchObject({ test: 'wilcoxon', p, before: (8 + 16 + 8) / 40, after: (0 + 8 + 8) / 40, verdict: 'worse' });
    expect([found.difference, found.low, found.high]).toEqual([interval.value, interval.low, interval.high]);
  });

  it('adjusts by all tests of the comparison', () => {
    const before = times(10, BREACHED);
    const after = times(10, BOTH);
    // Success goes up in all ten; poison stays, which is a test too.
    expect(comparedMetric(before, after, 'successRate').adjustedP).toBeCloseTo(2 * 0.5 ** 10, 12);
    expect(comparedMetric(before, after, 'successRate', ['poisonInContext']).adjustedP).toBeCloseTo(4 * 0.5 ** 10, 12);
    const many = resultOf(...times(40, 0).map((_, pool) => cellOf('x', recordsOf(before), { pool: pool + 10 })));
    const others = resultOf(...many.cells.map((cell) => ({ ...cell, records: recordsOf([...times(7, BOTH), ...times(3, BREACHED)]) })));
    const { cells, tests } = compareResults(many, others, { metrics: ['successRate'] });
    expect([cells.length, tests]).toEqual([40, 40]);
    // 2 / 2^7 is significant alone, not among forty.
    expect(cells[0].metrics[0].p).toBeCloseTo(2 / 2 ** 7, 12);
    expect(cells[0].metrics[0]).toMatchObject({ adjustedP: 40 * (2 / 2 ** 7), verdict: 'no significant difference' });
  });

  it('tests what happens to the clean pool once, however many attacks it stands beside', () => {
    const cleanly = (cleanContext: readonly number[]): QuestionRecord[] =>
      recordsOf(times(10, BREACHED)).map((record) => ({ ...record, cleanContext }));
    const cells = (cleanContext: readonly number[]): ResultCell[] => [
      cellOf('x', cleanly(cleanContext)),
      cellOf('x', cleanly(cleanContext), { attack: 'corruptrag-as' }),
      cellOf('y', cleanly(cleanContext)),
      cellOf('x', [...cleanly(cleanContext).slice(1), ...recordsOf([BREACHED], 1, ['other'])], { pool: 7 }),
    ];
    const found = compareResults(resultOf(...cells([1])), resultOf(...cells([])), { metrics: ['cleanSuccessRate', 'poisonInContext'] });
    expect(found.cells.map(({ metrics }) => metrics.map(({ repeated }) => repeated))).toEqual([
      [false, false],
      [true, false],
      [false, false],
      [false, false],
    ]);
    expect(found.tests).toBe(7);
    const [first, second] = found.cells.map(({ metrics }) => metrics[0]);
    expect(first.adjustedP).toBeCloseTo(7 * 2 * 0.5 ** 10, 12);
    expect(second).toEqual({ ...first, repeated: true });
  });

  it('pairs questions by id, those that both assessed', () => {
    const before = resultOf(cellOf('x', recordsOf([BREACHED, RESISTED, null, BREACHED], 1, ['a', 'b', 'c', 'd'])));
    const after = resultOf(cellOf('x', recordsOf([RESISTED, null, BREACHED, BREACHED, BREACHED], 1, ['d', 'a', 'c', 'b', 'e'])));
    const [found] = compareResults(before, after, { metrics: ['poisonInContext'] }).cells[0].metrics;
    // b: resisted, then breached; d: breached, then resisted.
    expect(found).toMatchObject({ n: 2, before: 0.5, after: 0.5, difference: 0, p: 1 });
  });

  it('is not assessed where nothing is common, and counts no test', () => {
    const { cells, tests } = compareResults(resultOf(cellOf('x', recordsOf([null]))), resultOf(cellOf('x', recordsOf([BREACHED]))));
    expect(tests).toBe(0);
    for (const found of cells[0].metrics)
      expect(found).toMatchObject({
        n: 0,
        before: null,
        after: null,
        difference: null,
        low: null,
        high: null,
        p: null,
        adjustedP: null,
        verdict: 'not assessed',
      });
    // A clean cell has no poison to speak of.
    const clean = resultOf(cellOf('x', recordsOf(times(3, RESISTED)), { attack: 'none' }));
    const verdicts = compareResults(clean, clean).cells[0].metrics.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['not assessed', ...times(3, 'no significant difference')]);
  });

  it('counts a question once however many seeds there are', () => {
    const seeds = [1, 2, 3];
    const of = (contexts: Contexts) =>
      resultOf(
        cellOf(
          'x',
          seeds.flatMap((seed) => recordsOf(contexts, seed)),
          { seeds },
        ),
      );
    const single = resultOf(cellOf('x', recordsOf(times(8, BREACHED))));
    const [three] = compareResults(of(times(8, BREACHED)), of(times(8, RESISTED)), { metrics: ['poisonInContext'] }).cells[0].metrics;
    expect(three).toMatchObject({ n: 8, before: 1, after: 0, test: 'wilcoxon' });
    expect(three.p).toBe(wilcoxonSignedRank(times(8, 1), times(8, 0)).p);
    // Other seeds are no other settings.
    const [mixed] = compareResults(single, of(times(8, RESISTED)), { metrics: ['poisonInContext'] }).cells[0].metrics;
    expect(mixed).toMatchObject({ n: 8, before: 1, after: 0 });
  });

  it('matches equal settings and lists the rest', () => {
    const records = recordsOf([BREACHED]);
    const a = resultOf(
      cellOf('x', records),
      cellOf('x', records, { placement: 'slot-last' }),
      cellOf('y', records, { sweep: { alpha: '1' } }),
    );
    const b = resultOf(
      cellOf('x', records, { part: 'A part' }),
      cellOf('x', records, { part: 'Another part' }),
      cellOf('y', records, { sweep: { alpha: '2' } }),
    );
    const { cells, onlyBefore, onlyAfter } = compareResults(a, b);
    expect(cells.map(({ after }) => after.part)).toEqual(['A part']);
    expect(onlyBefore.map(({ placement, sweep }) => [placement, sweep])).toEqual([
      ['slot-last', null],
      ['slot', { alpha: '1' }],
    ]);
    expect(onlyAfter.map(({ sweep }) => sweep)).toEqual([{ alpha: '2' }]);
    expect('records' in cells[0].before).toBe(false);
    for (const setting of [
      { pool: 3 },
      { poisons: 9 },
      { keep: 9 },
      { encoder: 'static' },
      { dataset: 'beta' },
      { attack: 'none' },
      { retriever: 'dense' as const },
      { limit: 3 },
    ]) {
      expect(compareResults(a, resultOf(cellOf('x', records, setting))).cells, JSON.stringify(setting)).toEqual([]);
    }
  });

  it('names datasets that changed', () => {
    const other = {
      ...sample,
      run: { ...sample.run, datasets: sample.run.datasets.map((one, i) => (i === 1 ? { ...one, fingerprint: 'x' } : one)) },
    };
    expect(compareResults(sample, other).changedDatasets).toEqual(['beta']);
    expect(compareResults(sample, sample).changedDatasets).toEqual([]);
  });

  it('finds nothing between a result and itself', () => {
    const { cells, onlyBefore, onlyAfter } = compareResults(sample, sampleResult());
    expect([cells.length, onlyBefore, onlyAfter]).toEqual([sample.cells.length, [], []]);
    for (const { metrics } of cells) {
      expect(metrics.map(({ metric }) => metric)).toEqual(COMPARED_METRICS);
      for (const { difference } of metrics) expect([0, null]).toContain(difference);
    }
  });

  it('refuses metrics that there are not or that results cannot give', () => {
    expect(() => compareResults(sample, sample, { metrics: ['poisonInContest'] })).toThrow(
      'no metric is called "poisonInContest"; did you mean poisonInContext?',
    );
    expect(() => compareResults(sample, sample, { metrics: ['latencyMsP50'] })).toThrow(
      'latencyMsP50 cannot be compared: results do not keep the times of single questions',
    );
  });

  it('is JSON-safe and leaves the results alone', () => {
    const [a, b] = [sampleResult(), sampleResult({ repeats: true })];
    const comparison = compareResults(a, b, { metrics: ['poisonInContext', 'pad', 'detectionF1', 'poisonRank', 'ndcg'] });
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
    expect(a).toEqual(sampleResult());
  });
});

describe('compareDefenses', () => {
  const undefended = recordsOf(times(10, BREACHED));
  const defended = recordsOf(times(10, RESISTED));

  it('compares every other defense with the baseline of its scenario', () => {
    const result = resultOf(
      cellOf('none', undefended),
      cellOf('x', defended),
      cellOf('none', defended, { placement: 'slot-last' }),
      cellOf('x', undefended, { placement: 'slot-last' }),
    );
    const { cells, tests } = compareDefenses(result, { metrics: ['poisonInContext'] });
    expect(cells.map(({ before, after, metrics }) => [before.defense, after.defense, after.placement, metrics[0].verdict])).toEqual([
      ['none', 'x', 'slot', 'better'],
      ['none', 'x', 'slot-last', 'worse'],
    ]);
    expect(tests).toBe(2);
    expect(cells[0].metrics[0].adjustedP).toBeCloseTo(2 * 2 * 0.5 ** 10, 12);
  });

  it('takes the baseline of the same encoder, else one without', () => {
    const result = resultOf(
      cellOf('none', undefended),
      cellOf('x', defended, { encoder: 'static' }),
      cellOf('none', undefended, { pool: 7, encoder: 'static' }),
      cellOf('none', undefended, { pool: 7, encoder: 'onnx:e' }),
      cellOf('x', defended, { pool: 7, encoder: 'onnx:e' }),
      cellOf('x', defended, { pool: 7, encoder: 'openai:e' }),
      cellOf('y', defended, { pool: 7, sweep: { alpha: '1' } }),
    );
    const { cells, onlyAfter } = compareDefenses(result);
    expect(cells.map(({ before, after }) => [before.pool, before.encoder, after.defense, after.encoder])).toEqual([
      [template.pool, null, 'x', 'static'],
      [7, 'onnx:e', 'x', 'onnx:e'],
      [7, 'static', 'y', null],
    ]);
    expect(onlyAfter.map(({ encoder }) => encoder)).toEqual(['openai:e']);
  });

  it('takes another baseline, and says which there are', () => {
    const result = resultOf(cellOf('none', undefended), cellOf('grada', defended));
    const { cells } = compareDefenses(result, { baseline: 'grada', metrics: ['poisonInContext'] });
    expect(cells.map(({ before, after, metrics }) => [before.defense, after.defense, metrics[0].verdict])).toEqual([
      ['grada', 'none', 'worse'],
    ]);
    expect(() => compareDefenses(result, { baseline: 'grda' })).toThrow('no defense of this result is called "grda"; did you mean grada?');
    expect(() => compareDefenses(resultOf(), {})).toThrow('no defense of this result is called "none"');
  });
});
