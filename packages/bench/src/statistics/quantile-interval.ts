import { BezoarError } from '@bezoar/core';
import { binomialProbabilities } from './binomial-probabilities.ts';
import type { Interval } from './interval.ts';
import { percentile } from './percentile.ts';

/**
 * A quantile of the values with a 95 % interval between two of them, whatever their distribution; null where there are none.
 *
 * The number of values below the true quantile is binomial: the lower end is the highest value that exceeds it with a chance of at most 2.5 %,
 * and the upper end mirrors it. Fewer than 6 values for the median, 72 for the 95th percentile, end at the smallest or the largest one,
 * and the interval then holds less than 95 %.
 *
 * Source: Conover 1999, Practical nonparametric statistics, section 3.2, as scipy.stats.quantile_test has it.
 *
 * @param share - Which quantile, between 0 and 1.
 * @throws {BezoarError} `BAD_INPUT` where a value is not finite; `INVALID_OPTION` for the share.
 */
export function quantileInterval(values: readonly number[], share: number): Interval | null {
  if (!(share > 0 && share < 1)) throw new BezoarError('INVALID_OPTION', `a quantile lies between 0 and 1; got ${share}`);
  if (!values.every(Number.isFinite)) throw new BezoarError('BAD_INPUT', 'a value is not finite');
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const probabilities = binomialProbabilities(sorted.length, share);
  let low = 0;
  for (let tail = probabilities[0]; tail + probabilities[low + 1] <= 0.025; low++) tail += probabilities[low + 1];
  let high = sorted.length - 1;
  for (let tail = probabilities[high + 1]; tail + probabilities[high] <= 0.025; high--) tail += probabilities[high];
  const value = percentile(sorted, share);
  return { value, low: Math.min(value, sorted[low]), high: Math.max(value, sorted[high]) };
}
