import { BezoarError } from '@bezoar/core';
import { checkedObservations, type Observation } from './checked-observations.ts';
import type { Interval } from './interval.ts';
import { percentile } from './percentile.ts';
import { resampledRatios } from './resampled-ratios.ts';

/**
 * The ratio of sums of `second` minus that of `first` over the same questions, with its 95 % percentile interval under resampling of the
 * questions, each with both of its observations; null where the denominators of either sum to 0. It does not depend on the order of the
 * questions. Samples in which a denominator is 0 are left out.
 *
 * Source: Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 13, with 2,000 samples.
 *
 * @param first - One observation a question; `second` holds those of the same questions in the same order.
 * @throws {BezoarError} `SHAPE_MISMATCH` unless the two are of one length; `BAD_INPUT` where an observation is not finite or its denominator
 * is negative; `INVALID_OPTION` for the seed.
 */
export function bootstrapDifference(
  first: readonly Observation[],
  second: readonly Observation[],
  { seed }: { readonly seed: number },
): Interval | null {
  if (first.length !== second.length) {
    throw new BezoarError('SHAPE_MISMATCH', `${first.length} observations cannot be paired with ${second.length}`);
  }
  const others = checkedObservations(second);
  const pairs = checkedObservations(first)
    .map(([numerator, denominator], i) => [numerator, denominator, others[i][0], others[i][1]] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
  const [numerators, denominators, otherNumerators, otherDenominators] = [0, 1, 2, 3].map((part) => pairs.map((pair) => pair[part]));
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  if (sumOf(denominators) === 0 || sumOf(otherDenominators) === 0) return null;
  const value = sumOf(otherNumerators) / sumOf(otherDenominators) - sumOf(numerators) / sumOf(denominators);
  const before = resampledRatios(numerators, denominators, seed);
  const differences = resampledRatios(otherNumerators, otherDenominators, seed)
    .map((ratio, sample) => ratio - before[sample])
    .filter((difference) => !Number.isNaN(difference))
    .sort();
  return { value, low: Math.min(value, percentile(differences, 0.025)), high: Math.max(value, percentile(differences, 0.975)) };
}
