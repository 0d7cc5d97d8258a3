import { BezoarError } from '../errors.ts';
import { roundScore } from './round-score.ts';

/**
 * The first `k` indices of `rankOrder(scores)` without sorting the rest; all of them when `k` is larger.
 *
 * Keeps the k best so far in order and inserts from below: one comparison for a score that does not enter, which most do not.
 *
 * @throws {BezoarError} `INVALID_OPTION` when `k` is negative or not a number.
 */
export function topK(scores: ArrayLike<number>, k: number): number[] {
  if (!(k >= 0)) throw new BezoarError('INVALID_OPTION', `k must be 0 or more, not ${k}`);
  const size = Math.min(Math.floor(k), scores.length);
  if (size === 0) return [];
  const best = new Array<number>(size);
  const keys = new Float64Array(size);
  let filled = 0;
  for (let i = 0; i < scores.length; i++) {
    const key = Number.isFinite(scores[i]) ? roundScore(scores[i]) : -Infinity;
    // An equal score found later ranks lower, so it enters only while there is room.
    if (filled === size && key <= keys[size - 1]) continue;
    let place = filled < size ? filled++ : size - 1;
    for (; place > 0 && keys[place - 1] < key; place--) {
      keys[place] = keys[place - 1];
      best[place] = best[place - 1];
    }
    keys[place] = key;
    best[place] = i;
  }
  return best;
}
