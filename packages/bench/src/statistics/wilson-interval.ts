import { BezoarError } from '@bezoar/core';
import type { Interval } from './interval.ts';

/** The 97.5th percentile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * A share of n questions with Wilson's 95 % score interval, without continuity correction; null where n is 0.
 *
 * With p = successes / n: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n). It never leaves 0 to 1 and has a width where
 * nothing or everything succeeded. `successes` may be a fraction: a mean of several looks at each question.
 *
 * Source: Wilson 1927, Probable inference, the law of succession, and statistical inference.
 *
 * @throws {BezoarError} `BAD_INPUT` unless n is a whole number and 0 <= successes <= n.
 */
export function wilsonInterval(successes: number, n: number): Interval | null {
  if (!Number.isSafeInteger(n) || !(successes >= 0 && successes <= n)) {
    throw new BezoarError('BAD_INPUT', `successes must be from 0 to n, a whole number; got ${successes} of ${n}`);
  }
  if (n === 0) return null;
  const value = successes / n;
  const center = value + (Z * Z) / (2 * n);
  const reach = Z * Math.sqrt((value * (1 - value)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  return {
    value,
    low: Math.min(value, Math.max(0, (center - reach) / scale)),
    high: Math.max(value, Math.min(1, (center + reach) / scale)),
  };
}
