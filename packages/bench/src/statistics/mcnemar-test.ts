import { BezoarError } from '@bezoar/core';
import { binomialProbabilities } from './binomial-probabilities.ts';

export interface McnemarTest {
  /** Questions for which only the first observation is 1. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly p: number;
}

/**
 * Whether two shares over the same questions differ: the chance, if it were a coin that decided which of the two says 1 where they disagree,
 * of a split at least as uneven. 1 where they never disagree.
 *
 * Source: McNemar 1947, exact (binomial) two-sided form; scipy.stats.binomtest(onlyFirst, onlyFirst + onlySecond).
 *
 * @param first - 0 or 1 for each question; `second` holds those of the same questions in the same order.
 * @throws {BezoarError} `SHAPE_MISMATCH` unless the two are of one length; `BAD_INPUT` for anything but 0 and 1.
 */
export function mcnemarTest(first: readonly number[], second: readonly number[]): McnemarTest {
  if (first.length !== second.length) {
    throw new BezoarError('SHAPE_MISMATCH', `${first.length} observations cannot be paired with ${second.length}`);
  }
  if (![...first, ...second].every((value) => value === 0 || value === 1)) {
    throw new BezoarError('BAD_INPUT', 'an observation of a rate must be 0 or 1');
  }
  const onlyFirst = first.filter((value, i) => value > second[i]).length;
  const onlySecond = first.filter((value, i) => value < second[i]).length;
  const tail = binomialProbabilities(onlyFirst + onlySecond, 0.5)
    .subarray(0, Math.min(onlyFirst, onlySecond) + 1)
    .reduce((sum, probability) => sum + probability, 0);
  return { onlyFirst, onlySecond, p: Math.min(1, 2 * tail) };
}
