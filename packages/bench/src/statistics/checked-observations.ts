import { BezoarError } from '@bezoar/core';

/** What one question says of a metric. */
export type Observation = readonly [numerator: number, denominator: number];

/**
 * A new array of the same observations.
 *
 * @throws {BezoarError} `BAD_INPUT` where a number is not finite, a denominator is negative, or a numerator stands over a denominator of 0.
 */
export function checkedObservations(observations: readonly Observation[]): Observation[] {
  for (const [numerator, denominator] of observations) {
    const sane = Number.isFinite(numerator) && (numerator === 0 ? denominator >= 0 : denominator > 0) && denominator < Infinity;
    if (!sane)
      throw new BezoarError(
        'BAD_INPUT',
        `an observation must be finite, over 0 or more (0 over 0 at least): got ${numerator} over ${denominator}`,
      );
  }
  return [...observations];
}
