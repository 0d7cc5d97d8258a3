import type { Histogram } from '../types.ts';

/**
 * Counts values in equal bins from `from` to `to`. A value on an edge belongs to the bin above it, `to` itself to the last; values beyond
 * fall into the outer bins. No values: no counts, mean null.
 */
export function makeHistogram(values: readonly number[], from: number, to: number, bins: number): Histogram {
  const counts = new Array<number>(bins).fill(0);
  let sum = 0;
  for (const value of values) {
    sum += value;
    // Multiplied first: (0.3 - 0) / 1 * 10 and 0.3 / 0.1 are on different sides of an edge.
    const bin = Math.floor(((value - from) * bins) / (to - from));
    counts[Math.max(0, Math.min(bins - 1, bin))] += 1;
  }
  return { from, to, counts, mean: values.length === 0 ? null : sum / values.length };
}

/** The smallest of 1, 2 and 5 times a power of ten that is not below the value; 1 for what is not above 0. An axis that ends at a number people read. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  // The logarithm of a power of ten may come out one too low or too high.
  return [power, 2 * power, 5 * power, 10 * power, 20 * power].find((end) => end >= value)!;
}
