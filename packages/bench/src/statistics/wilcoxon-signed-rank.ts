import { BezoarError } from '@bezoar/core';
import { roundScore } from '@bezoar/core/kernels/round-score';
import { normalTail } from './normal-tail.ts';

/** Up to this many differences the exact distribution is summed; above, and with ties, the normal one stands in. */
const EXACT_UP_TO = 25;

export interface WilcoxonSignedRank {
  /** Questions that differ. */
  readonly n: number;
  /** The smaller of the two sums of ranks: of the questions where the second is higher, and of those where it is lower. */
  readonly statistic: number;
  readonly p: number;
}

/** How many of the 2^n choices among the ranks 1 to n sum to at most `bound`, as a share of them. */
function shareUpTo(bound: number, n: number): number {
  const ways = new Float64Array(bound + 1);
  ways[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    for (let sum = bound; sum >= rank; sum--) ways[sum] += ways[sum - rank];
  }
  return ways.reduce((total, count) => total + count, 0) / 2 ** n;
}

/**
 * Whether two measurements of the same questions differ, two-sided, by the ranks of their differences. Equal pairs are dropped, equal
 * differences (within 1e-12 relative) share their mean rank; p is 1 where nothing differs.
 *
 * Source: Wilcoxon 1945. Exact to 25 differences without ties: scipy.stats.wilcoxon(second - first, method='exact'); otherwise
 * wilcoxon(..., zero_method='wilcox', correction=True, method='asymptotic'), normal with corrections for ties and continuity.
 *
 * @param first - One number a question; `second` holds those of the same questions in the same order.
 * @throws {BezoarError} `SHAPE_MISMATCH` unless the two are of one length; `BAD_INPUT` where a number is not finite.
 */
export function wilcoxonSignedRank(first: readonly number[], second: readonly number[]): WilcoxonSignedRank {
  if (first.length !== second.length) {
    throw new BezoarError('SHAPE_MISMATCH', `${first.length} observations cannot be paired with ${second.length}`);
  }
  if (![...first, ...second].every(Number.isFinite)) throw new BezoarError('BAD_INPUT', 'an observation is not finite');
  const differences = first
    .flatMap((value, i) => (roundScore(value) === roundScore(second[i]) ? [] : [second[i] - value]))
    .sort((a, b) => Math.abs(a) - Math.abs(b));
  const n = differences.length;
  let higher = 0;
  let tied = 0;
  for (let start = 0, end = 0; start < n; start = end) {
    while (end < n && roundScore(Math.abs(differences[end])) === roundScore(Math.abs(differences[start]))) end++;
    // Ranks start + 1 to end.
    for (let i = start; i < end; i++) higher += differences[i] > 0 ? (start + 1 + end) / 2 : 0;
    tied += (end - start) ** 3 - (end - start);
  }
  const statistic = Math.min(higher, (n * (n + 1)) / 2 - higher);
  if (n === 0) return { n, statistic, p: 1 };
  if (n <= EXACT_UP_TO && tied === 0) return { n, statistic, p: Math.min(1, 2 * shareUpTo(statistic, n)) };
  const distance = (n * (n + 1)) / 4 - statistic;
  const variance = (n * (n + 1) * (2 * n + 1) - tied / 2) / 24;
  return { n, statistic, p: Math.min(1, 2 * normalTail(Math.max(0, distance - 0.5) / Math.sqrt(variance))) };
}
