import { BezoarError, closestName } from '@bezoar/core';
import type { Metric } from './define-metric.ts';
import { outcomesOf } from './outcomes-of.ts';
import { METRICS } from './registry.generated.ts';
import { bootstrapDifference } from './statistics/bootstrap-difference.ts';
import type { Observation } from './statistics/checked-observations.ts';
import { holmAdjust } from './statistics/holm-adjust.ts';
import { mcnemarTest } from './statistics/mcnemar-test.ts';
import { wilcoxonSignedRank } from './statistics/wilcoxon-signed-rank.ts';
import type { BenchResult, CellSettings, ResultCell } from './types.ts';

/** What is compared unless somebody names others: few, because every further test makes all of them harder to pass. */
export const COMPARED_METRICS: readonly string[] = ['poisonInContext', 'successRate', 'cleanSuccessRate', 'cleanRetention'];

/** Metrics of the clean pool alone: they say the same beside every attack, so that is one test. */
const CLEAN_ONLY: readonly string[] = ['cleanSuccessRate'];

/** An adjusted p value below it is called significant. */
const LEVEL = 0.05;

export interface CompareOptions {
  /** Names of metrics. Default: `COMPARED_METRICS`. */
  readonly metrics?: readonly string[];
}

/** `different` is a significant difference in a metric of which neither way is good. */
export type Verdict = 'better' | 'worse' | 'different' | 'no significant difference' | 'not assessed';

/** One metric in two cells, over the questions that both have an observation for. */
export interface MetricComparison {
  readonly metric: string;
  /** Questions with an observation in both. */
  readonly n: number;
  /** The metric over these questions; null where there are none, as all that follows from it. */
  readonly before: number | null;
  readonly after: number | null;
  /** `after` - `before`, with its 95 % interval. */
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly test: 'mcnemar' | 'wilcoxon';
  readonly p: number | null;
  /** By Holm's method over all tests of the comparison. */
  readonly adjustedP: number | null;
  readonly verdict: Verdict;
  /** The same test stands in an earlier cell, beside another attack, and is not counted again. */
  readonly repeated: boolean;
}

export interface CellComparison {
  readonly before: CellSettings;
  readonly after: CellSettings;
  readonly metrics: readonly MetricComparison[];
}

export interface Comparison {
  readonly cells: readonly CellComparison[];
  /** Cells that have no counterpart. */
  readonly onlyBefore: readonly CellSettings[];
  readonly onlyAfter: readonly CellSettings[];
  /** Datasets of one name that are not the same on both sides: a difference may be theirs. */
  readonly changedDatasets: readonly string[];
  /** How many tests the p values were adjusted for. */
  readonly tests: number;
}

interface CellOf {
  readonly result: BenchResult;
  readonly cell: ResultCell;
}

interface CellPair {
  readonly before: CellOf;
  readonly after: CellOf;
}

/** What does not tell cells apart. */
const ASIDE = ['seed', 'seeds', 'part'] as const;

/**
 * What changed from result `a` to result `b`: cells with the same settings are paired, whatever their seeds and the suite they belong to,
 * and each metric is compared over the questions that both observed, matched by id. With several seeds a question counts once, with its
 * observations summed.
 *
 * The interval of a difference is a paired bootstrap's over questions. The p value is McNemar's (exact) where all observations are 0 or 1,
 * Wilcoxon's signed-rank test of the questions' own values otherwise, and is adjusted by Holm's method over all tests of the comparison.
 * What a defense does to the clean pool is tested once, however many attacks it stands beside.
 *
 * @throws {BezoarError} `UNKNOWN_NAME` for a metric that there is not; `INVALID_OPTION` for one that a saved result cannot give.
 */
export function compareResults(a: BenchResult, b: BenchResult, options: CompareOptions = {}): Comparison {
  const metrics = metricsNamed(options.metrics ?? COMPARED_METRICS);
  const before = distinctCells(a);
  const after = distinctCells(b);
  const pairs = [...before].flatMap(([key, cell]): CellPair[] => {
    const counterpart = after.get(key);
    return counterpart ? [{ before: { result: a, cell }, after: { result: b, cell: counterpart } }] : [];
  });
  const alone = (cells: ReadonlyMap<string, ResultCell>, others: ReadonlyMap<string, ResultCell>): CellSettings[] =>
    [...cells].flatMap(([key, cell]) => (others.has(key) ? [] : [settingsOf(cell)]));
  const changedDatasets = a.run.datasets
    .filter(({ name, fingerprint }) => b.run.datasets.some((other) => other.name === name && other.fingerprint !== fingerprint))
    .map(({ name }) => name);
  return { ...compared(pairs, metrics, b.run.seed), onlyBefore: alone(before, after), onlyAfter: alone(after, before), changedDatasets };
}

/**
 * Every defense of a result against one of them, the baseline (default `none`), in the same scenario: dataset, attack, pools, number that
 * goes on. A baseline without an encoder stands for every encoder. Compared as `compareResults` does; cells without a baseline are listed.
 *
 * @throws {BezoarError} `UNKNOWN_NAME` when the result has no such defense, or for a metric; `INVALID_OPTION` as `compareResults`.
 */
export function compareDefenses(result: BenchResult, options: CompareOptions & { readonly baseline?: string } = {}): Comparison {
  const { baseline = 'none' } = options;
  const metrics = metricsNamed(options.metrics ?? COMPARED_METRICS);
  const cells = [...distinctCells(result).values()];
  const defenses = [...new Set(cells.map(({ defense }) => defense))];
  if (!defenses.includes(baseline)) throw unknown('defense of this result', baseline, defenses);
  const baselines = new Map<string, ResultCell[]>();
  for (const cell of cells) {
    if (cell.defense === baseline) baselines.set(scenarioOf(cell), [...(baselines.get(scenarioOf(cell)) ?? []), cell]);
  }
  const pairs: CellPair[] = [];
  const onlyAfter: CellSettings[] = [];
  for (const cell of cells) {
    if (cell.defense === baseline) continue;
    const there = baselines.get(scenarioOf(cell)) ?? [];
    const same =
      there.find(({ encoder }) => encoder === cell.encoder) ?? there.find(({ encoder }) => encoder === null || cell.encoder === null);
    if (same) pairs.push({ before: { result, cell: same }, after: { result, cell } });
    else onlyAfter.push(settingsOf(cell));
  }
  return { ...compared(pairs, metrics, result.run.seed), onlyBefore: [], onlyAfter, changedDatasets: [] };
}

function metricsNamed(names: readonly string[]): readonly Metric[] {
  return [...new Set(names)].map((name) => {
    const metric = METRICS.find((candidate) => candidate.name === name);
    const comparable = METRICS.filter(({ kind }) => kind !== 'quantile').map((candidate) => candidate.name);
    if (!metric) throw unknown('metric', name, comparable);
    if (metric.kind !== 'quantile') return metric;
    throw new BezoarError('INVALID_OPTION', `${name} cannot be compared: results do not keep the times of single questions`, {
      details: { field: 'metric' },
    });
  });
}

function unknown(what: string, name: string, names: readonly string[]): BezoarError {
  const near = closestName(name, names);
  const remedy = near ? `did you mean ${near}?` : `there are ${names.join(', ')}`;
  return new BezoarError('UNKNOWN_NAME', `no ${what} is called ${JSON.stringify(name.slice(0, 80))}; ${remedy}`, {
    details: { closest: near },
  });
}

const keyOf = (settings: Partial<CellSettings>): string => JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));

function keyWithout(cell: ResultCell, names: readonly (keyof CellSettings)[]): string {
  return keyOf({ ...settingsOf(cell), ...Object.fromEntries(names.map((name) => [name, undefined])) });
}

const scenarioOf = (cell: ResultCell): string => keyWithout(cell, [...ASIDE, 'defense', 'encoder', 'sweep']);

/** Cells by what they measure; parts of a suite may measure the same twice. */
function distinctCells(result: BenchResult): ReadonlyMap<string, ResultCell> {
  const cells = new Map<string, ResultCell>();
  for (const cell of result.cells) {
    const key = keyWithout(cell, ASIDE);
    if (!cells.has(key)) cells.set(key, cell);
  }
  return cells;
}

function settingsOf({ queries: _q, outcomes: _o, metrics: _m, warnings: _w, records: _r, ...settings }: ResultCell): CellSettings {
  return settings;
}

type Unadjusted = Omit<MetricComparison, 'adjustedP' | 'verdict' | 'repeated'>;

function compared(pairs: readonly CellPair[], metrics: readonly Metric[], seed: number): Pick<Comparison, 'cells' | 'tests'> {
  const observed = observer();
  /** Place of each test in `tested`, by what is tested. */
  const tests = new Map<string, number>();
  const tested: number[] = [];
  const cells = pairs.map(({ before, after }, place) => ({
    before: settingsOf(before.cell),
    after: settingsOf(after.cell),
    metrics: metrics.map((metric) => {
      const sides = [observed(metric, before), observed(metric, after)] as const;
      const comparison = compareMetric(metric, ...sides, seed);
      if (comparison.p === null) return { comparison, metric, test: null, repeated: false };
      const cleanly = [before, after].map(({ cell: { dataset, defense, encoder } }) => [dataset, defense, encoder]);
      const what = CLEAN_ONLY.includes(metric.name) ? [cleanly, sides.map((side) => [...side])] : place;
      const key = JSON.stringify([metric.name, what]);
      const known = tests.get(key);
      const test = known ?? tested.push(comparison.p) - 1;
      tests.set(key, test);
      return { comparison, metric, test, repeated: known !== undefined };
    }),
  }));
  const adjusted = holmAdjust(tested);
  return {
    cells: cells.map((cell) => ({
      ...cell,
      metrics: cell.metrics.map(({ comparison, metric, test, repeated }) => {
        const adjustedP = test === null ? null : adjusted[test];
        return { ...comparison, adjustedP, verdict: verdictOf(comparison.difference, adjustedP, metric), repeated };
      }),
    })),
    tests: tested.length,
  };
}

function verdictOf(difference: number | null, adjustedP: number | null, { better }: Metric): Verdict {
  if (difference === null || adjustedP === null) return 'not assessed';
  // A test by ranks may find a difference where the pooled ratios are equal: then nothing can be said of which way it goes.
  if (adjustedP >= LEVEL || difference === 0) return 'no significant difference';
  if (better === null) return 'different';
  return difference > 0 === (better === 'higher') ? 'better' : 'worse';
}

type Observed = ReadonlyMap<string, Observation>;

/** What a metric observed of each question of a cell, by the question's id; a baseline's is asked for many times. */
function observer(): (metric: Metric, cell: CellOf) => Observed {
  const outcomes = new Map<ResultCell, ReturnType<typeof outcomesOf>>();
  return (metric, { result, cell }) => {
    const known = outcomes.get(cell) ?? outcomesOf(result, cell);
    outcomes.set(cell, known);
    const observations = new Map<string, Observation>();
    for (const [index, outcome] of known.entries()) {
      const observation = outcome === null ? null : metric.observe(outcome);
      if (observation === null) continue;
      const { queryId } = cell.records[index];
      const [numerator, denominator] = observations.get(queryId) ?? [0, 0];
      observations.set(queryId, [numerator + observation[0], denominator + observation[1]]);
    }
    return observations;
  };
}

function compareMetric({ name, kind }: Metric, before: Observed, after: Observed, seed: number): Unadjusted {
  const both = [...before].flatMap(([id, first]): (readonly [Observation, Observation])[] => {
    const second = after.get(id);
    return second ? [[first, second]] : [];
  });
  const [first, second] = [0, 1].map((side) => both.map((pair) => pair[side]));
  const single = kind === 'rate' && both.every((pair) => pair.every(([, denominator]) => denominator === 1));
  const test = single ? 'mcnemar' : 'wilcoxon';
  const interval = bootstrapDifference(first, second, { seed });
  if (interval === null) {
    return { metric: name, n: both.length, before: null, after: null, difference: null, low: null, high: null, test, p: null };
  }
  // A question without a denominator has no value of its own to rank, though it is part of the pooled ratio.
  const ranked = both.filter((pair) => pair.every(([, denominator]) => denominator > 0));
  const values = [0, 1].map((side) => ranked.map((pair) => pair[side][0] / pair[side][1]));
  const { p } = single ? mcnemarTest(values[0], values[1]) : wilcoxonSignedRank(values[0], values[1]);
  const { value: difference, low, high } = interval;
  return { metric: name, n: both.length, before: ratioOf(first), after: ratioOf(second), difference, low, high, test, p };
}

function ratioOf(observations: readonly Observation[]): number {
  const sum = (part: 0 | 1): number => observations.reduce((total, observation) => total + observation[part], 0);
  return sum(0) / sum(1);
}
