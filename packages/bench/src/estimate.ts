import { BezoarError } from '@bezoar/core';
import type { Metric, QuestionOutcome } from './define-metric.ts';
import { bootstrapInterval } from './statistics/bootstrap-interval.ts';
import type { Observation } from './statistics/checked-observations.ts';
import type { Interval } from './statistics/interval.ts';
import { quantileInterval } from './statistics/quantile-interval.ts';
import { wilsonInterval } from './statistics/wilson-interval.ts';
import type { MetricValue } from './types.ts';

/** Questions that were assessed, and null for each that was not. */
type Outcomes = readonly (QuestionOutcome | null)[];

const observe = (metric: Metric, outcomes: Outcomes): (Observation | null)[] =>
  outcomes.map((outcome) => (outcome === null ? null : metric.observe(outcome)));

const refuse = (metric: Metric, expected: string): never => {
  throw new BezoarError('BAD_INPUT', `metric ${metric.name}: ${expected}`);
};

function intervalOf(metric: Metric, observations: readonly Observation[], seed: number): Interval | null {
  if (metric.kind === 'ratio') return bootstrapInterval(observations, { seed });
  if (observations.some(([, denominator]) => denominator !== 1)) refuse(metric, 'an observation of a rate or a quantile stands over 1');
  const values = observations.map(([value]) => value);
  if (metric.kind === 'quantile') return quantileInterval(values, metric.quantile ?? refuse(metric, 'does not say which quantile it is'));
  if (values.some((value) => value !== 0 && value !== 1)) refuse(metric, 'an observation of a rate is 0 or 1');
  return wilsonInterval(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
}

const metricValue = (interval: Interval | null, observed: number, asked: number): MetricValue => ({
  value: interval?.value ?? null,
  low: interval?.low ?? null,
  high: interval?.high ?? null,
  n: interval === null ? 0 : observed,
  notAssessed: interval === null ? asked : asked - observed,
});

/**
 * A metric over the questions of one cell; null stands for a question that was not assessed. Where nothing has an observation, or all
 * denominators are 0, everything is null and no question counts.
 *
 * @param options.seed - Of the bootstrap; the interval of a rate or a quantile does not depend on it.
 * @throws {BezoarError} `BAD_INPUT` where the metric's observations are not of its kind.
 */
export function estimate(metric: Metric, outcomes: Outcomes, { seed }: { readonly seed: number }): MetricValue {
  const observations = observe(metric, outcomes).filter((observation) => observation !== null);
  return metricValue(intervalOf(metric, observations, seed), observations.length, outcomes.length);
}

/** The mean, exact where all are the same. */
const meanOf = (values: readonly number[]): number => values.reduce((mean, value) => mean + (value - values[0]) / values.length, values[0]);

/** With n - 1; null for fewer than two. */
function deviationOf(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/**
 * The interval of a mean over seeds. The questions are what is sampled, not the seeds, so several looks at a question count as one:
 * - ratio: bootstrap over the questions, each with its numerators and its denominators summed over the seeds.
 * - rate: Wilson's over the number of questions; a question's share varies at most as much as a single 0 or 1, so it is never too narrow,
 *   and it has a width where no seed ever breached anything.
 * - quantile: the mean of the seeds' own ends, as wide as if all seeds said the same of a question.
 */
function intervalOverSeeds(
  metric: Metric,
  bySeed: readonly (readonly (Observation | null)[])[],
  questions: readonly number[],
  intervals: readonly Interval[],
  seed: number,
): Interval {
  const value = meanOf(intervals.map((interval) => interval.value));
  if (metric.kind === 'quantile') {
    return { value, low: meanOf(intervals.map(({ low }) => low)), high: meanOf(intervals.map(({ high }) => high)) };
  }
  const summed = (question: number, part: 0 | 1): number => bySeed.reduce((sum, row) => sum + (row[question]?.[part] ?? 0), 0);
  const { low, high } =
    metric.kind === 'rate'
      ? wilsonInterval(value * questions.length, questions.length)!
      : bootstrapInterval(
          questions.map((question) => [summed(question, 0), summed(question, 1)]),
          { seed },
        )!;
  return { value, low: Math.min(low, value), high: Math.max(high, value) };
}

/**
 * A metric over the same questions under several seeds: the mean of the seeds' values, their standard deviation (null with fewer than two) and
 * one interval. A seed without a value is left out of mean and deviation; a question counts that any seed could observe.
 *
 * @param outcomesBySeed - For each seed the same questions in the same order.
 * @throws {BezoarError} `SHAPE_MISMATCH` where the seeds have different numbers of questions; else as `estimate`.
 */
export function estimateOverSeeds(metric: Metric, outcomesBySeed: readonly Outcomes[], { seed }: { readonly seed: number }): MetricValue {
  const asked = outcomesBySeed[0]?.length ?? 0;
  if (outcomesBySeed.some(({ length }) => length !== asked)) {
    throw new BezoarError('SHAPE_MISMATCH', 'every seed must have the same questions');
  }
  const bySeed = outcomesBySeed.map((outcomes) => observe(metric, outcomes));
  const questions = Array.from({ length: asked }, (_, question) => question).filter((question) =>
    bySeed.some((row) => row[question] !== null),
  );
  const intervals = bySeed
    .map((row) =>
      intervalOf(
        metric,
        row.filter((observation) => observation !== null),
        seed,
      ),
    )
    .filter((interval) => interval !== null);
  const interval = intervals.length === 0 ? null : intervalOverSeeds(metric, bySeed, questions, intervals, seed);
  return { ...metricValue(interval, questions.length, asked), deviation: deviationOf(intervals.map(({ value }) => value)) };
}
