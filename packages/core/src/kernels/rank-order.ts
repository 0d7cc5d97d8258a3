import { roundScore } from './round-score.ts';

/**
 * Indices of the scores from the highest to the lowest; equal scores (within 1e-12 relative) by index, scores that are not finite last.
 *
 * Scores are in retrieval order, so that the index is the retrieval rank and decides ties.
 */
export function rankOrder(scores: ArrayLike<number>): number[] {
  const keys: number[] = [];
  const order: number[] = [];
  for (let i = 0; i < scores.length; i++) {
    keys.push(Number.isFinite(scores[i]) ? roundScore(scores[i]) : -Infinity);
    order.push(i);
  }
  // Two infinities differ by NaN, which is falsy: the index decides.
  return order.sort((a, b) => keys[b] - keys[a] || a - b);
}
