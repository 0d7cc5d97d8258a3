import { describe, expect, it } from 'vitest';
import { estimate, estimateOverSeeds } from './estimate.ts';
import { outcomesOf } from './outcomes-of.ts';
import { METRICS } from './registry.generated.ts';
import { sampleResult } from './testing/sample-result.ts';
import type { QuestionRecord, ResultCell } from './types.ts';

const sample = sampleResult();
const attacked = sample.cells.find(({ attack }) => attack !== 'none')!;

const record = (given: Partial<QuestionRecord>): QuestionRecord => ({
  queryId: 'q',
  seed: 1,
  outcome: 'breached',
  why: null,
  pool: 1,
  context: [3, 1],
  cleanPool: 0,
  cleanContext: [2],
  modelCalls: 4,
  certificate: null,
  ...given,
});

const small = {
  ...sample,
  questions: [{ dataset: 'd', id: 'q', text: 'q?', answers: [], targetAnswer: null, goldGrades: [2, 1] }],
  pools: [
    {
      question: 0,
      planted: 0,
      passages: [
        { passage: 0, label: 'clean' as const, grade: 2 },
        { passage: 1, label: 'clean' as const, grade: 0 },
      ],
    },
    {
      question: 0,
      planted: 2,
      passages: [
        { passage: 2, label: 'poisoned' as const, grade: 0 },
        { passage: 0, label: 'clean' as const, grade: 2 },
        { passage: 3, label: 'foreign' as const, grade: 0 },
      ],
    },
  ],
};
const cellOf = (given: Partial<ResultCell>): ResultCell => ({ ...attacked, keep: 2, attack: 'poisonedrag', ...given });

describe('outcomesOf', () => {
  it('puts pools, contexts and labels back together', () => {
    const certificate = { holds: true, pad: 1, padTight: null };
    const [outcome] = outcomesOf(small, cellOf({ records: [record({ certificate })] }));
    expect(outcome).toEqual({
      keep: 2,
      attacked: true,
      planted: 2,
      pool: [
        { rank: 1, label: 'poisoned', grade: 0 },
        { rank: 2, label: 'clean', grade: 2 },
        { rank: 3, label: 'foreign', grade: 0 },
      ],
      context: [
        { rank: 3, label: 'foreign', grade: 0 },
        { rank: 1, label: 'poisoned', grade: 0 },
      ],
      cleanPool: [
        { rank: 1, label: 'clean', grade: 2 },
        { rank: 2, label: 'clean', grade: 0 },
      ],
      cleanContext: [{ rank: 2, label: 'clean', grade: 0 }],
      goldGrades: [2, 1],
      certificate,
      ms: null,
      modelCalls: 4,
    });
  });

  it('has null for what was not assessed, in the place of its record', () => {
    const records = [
      record({ outcome: 'not-assessed', why: 'defense-failed', pool: null, cleanPool: null, context: [], cleanContext: [] }),
      record({ outcome: 'not-assessed', why: 'defense-failed' }),
      record({ context: [] }),
    ];
    const outcomes = outcomesOf(small, cellOf({ records }));
    expect(outcomes.map((outcome) => outcome?.context ?? null)).toEqual([null, null, []]);
    expect(outcomesOf(small, cellOf({ records: [] }))).toEqual([]);
  });

  it('knows a cell without an attack, and a question without a clean pool', () => {
    const [outcome] = outcomesOf(small, cellOf({ attack: 'none', records: [record({ cleanPool: null, cleanContext: [] })] }));
    expect([outcome!.attacked, outcome!.cleanPool, outcome!.cleanContext]).toEqual([false, [], []]);
  });

  it.each([false, true])('gives the metrics that the result holds, but for times (repeats: %s)', (repeats) => {
    const result = sampleResult({ repeats });
    for (const cell of result.cells) {
      const outcomes = outcomesOf(result, cell);
      const bySeed = cell.seeds.map((seed) => outcomes.filter((_, index) => cell.records[index].seed === seed));
      for (const metric of METRICS) {
        const stored = cell.metrics[metric.name];
        if (!stored || metric.unit === 'milliseconds') continue;
        const seed = { seed: cell.seed };
        expect(repeats ? estimateOverSeeds(metric, bySeed, seed) : estimate(metric, outcomes, seed), metric.name).toEqual(stored);
      }
    }
  });
});
