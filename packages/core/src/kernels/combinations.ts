import { BezoarError } from '../errors.ts';
import type { Random } from './random.ts';

/** 200,000 rows of 5 are 1 MB; beyond that nothing here finishes in a time a caller would wait. */
export const MAX_COMBINATIONS = 200_000;

/** How many subsets of `k` there are of `n` things; 0 when k is negative or more than n. Exact below 2^53. */
export function binomial(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let rows = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) rows = (rows * (n - i + 1)) / i;
  return rows;
}

function assertRows(n: number, rows: number): void {
  if (n > 255 || rows > MAX_COMBINATIONS) {
    throw new BezoarError('TOO_LARGE', `${rows} combinations of ${n} things are over the bound of ${MAX_COMBINATIONS} of 255`);
  }
}

/**
 * Every subset of `k` of the numbers 0..n-1 in lexicographic order, as flat rows of `k` ascending numbers.
 *
 * @throws {BezoarError} `TOO_LARGE` when n is over 255 or there are more than 200,000 rows.
 */
export function combinations(n: number, k: number): Uint8Array {
  const rows = binomial(n, k);
  assertRows(n, rows);
  const flat = new Uint8Array(rows * k);
  const row = Array.from({ length: k }, (_, i) => i);
  for (let start = 0; start < flat.length; start += k) {
    flat.set(row, start);
    // The last place that can still grow does; all places after it follow closely.
    let place = k - 1;
    while (place > 0 && row[place] === n - k + place) place--;
    row[place]++;
    for (let after = place + 1; after < k; after++) row[after] = row[after - 1] + 1;
  }
  return flat;
}

/**
 * `count` different subsets of `k` of the numbers 0..n-1, each equally likely, in lexicographic order; all of them when there are no more.
 *
 * @throws {BezoarError} `TOO_LARGE` when n is over 255 or more than 200,000 rows are asked for.
 */
export function sampleCombinations(n: number, k: number, count: number, random: Random): Uint8Array {
  if (count >= binomial(n, k)) return combinations(n, k);
  assertRows(n, count);
  const drawn = new Map<string, number[]>();
  while (drawn.size < count) {
    const row: number[] = [];
    while (row.length < k) {
      const item = random.integer(n);
      if (!row.includes(item)) row.push(item);
    }
    row.sort((a, b) => a - b);
    // Fixed width, so that the order of the keys is the order of the rows.
    drawn.set(String.fromCharCode(...row), row);
  }
  return Uint8Array.from([...drawn.keys()].sort().flatMap((key) => drawn.get(key) ?? []));
}
