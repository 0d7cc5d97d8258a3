import type { QuestionOutcome } from './define-metric.ts';
import { estimate, estimateOverSeeds } from './estimate.ts';
import type { MeasuredCell } from './measure-cell.ts';
import { outcomesOf } from './outcomes-of.ts';
import { METRICS } from './registry.generated.ts';
import type { ResultTables } from './result-tables.ts';
import type { BenchResult, CellSettings, CellWarning, MetricValue, Outcome, QuestionRecord, ResultCell } from './types.ts';

export interface SeedMeasurement {
  readonly seed: number;
  readonly scenario: string;
  readonly measured: MeasuredCell;
}

/** One cell of the result from what was measured under each of its seeds. */
export function summarizeCell(
  settings: CellSettings,
  seeds: readonly SeedMeasurement[],
  tables: ResultTables,
  wrongTextsMade: boolean,
): ResultCell {
  const records = seeds.flatMap(({ seed, scenario, measured }): QuestionRecord[] => {
    const places = tables.poolsOf(scenario);
    return measured.questions.map(({ ms: _, pools, ...question }, index) => {
      if (question.outcome === 'not-assessed') return { ...question, seed, pool: null, cleanPool: null };
      return { ...question, seed, ...(pools ? tables.addPools(scenario, index, pools) : places[index]!) };
    });
  });
  const warnings: CellWarning[] = wrongTextsMade
    ? [
        {
          code: 'wrong-texts-made',
          message:
            'the dataset has no wrong texts: target answers and texts were made from templates, which are easier to tell than texts written by people or models',
        },
      ]
    : [];
  // One seed may say several things under one code; another seed's say the same with other numbers.
  for (const { measured } of seeds) {
    const said = new Set(warnings.map(({ code }) => code));
    warnings.push(...measured.warnings.filter(({ code }) => !said.has(code)));
  }
  const count = (wanted: Outcome): number => records.filter(({ outcome }) => outcome === wanted).length;
  const cell: ResultCell = {
    ...settings,
    queries: seeds[0]!.measured.questions.length,
    outcomes: { breached: count('breached'), resisted: count('resisted'), notAssessed: count('not-assessed') },
    metrics: {},
    warnings,
    records,
  };
  const outcomes = outcomesOf({ ...tables.content() } as BenchResult, cell);
  const bySeed = seeds.map(({ measured }, index): readonly (QuestionOutcome | null)[] => {
    const size = measured.questions.length;
    return outcomes
      .slice(index * size, (index + 1) * size)
      .map((outcome, place) => outcome && { ...outcome, ms: measured.questions[place]!.ms });
  });
  const metrics: Record<string, MetricValue> = {};
  for (const metric of METRICS) {
    metrics[metric.name] =
      bySeed.length === 1
        ? estimate(metric, bySeed[0]!, { seed: settings.seed })
        : estimateOverSeeds(metric, bySeed, { seed: settings.seed });
  }
  return { ...cell, metrics };
}
