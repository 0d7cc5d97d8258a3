import { BezoarError } from '../errors.ts';

/**
 * The cosine of the angle between two vectors, in [-1, 1]; 0 when either is a zero vector, is not finite, or has no dimensions.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` when the lengths differ.
 */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new BezoarError('SHAPE_MISMATCH', `cannot compare vectors of ${a.length} and ${b.length} dimensions`);
  let dot = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    squaresOfA += a[i] * a[i];
    squaresOfB += b[i] * b[i];
  }
  const cosine = dot / Math.sqrt(squaresOfA * squaresOfB);
  return Number.isFinite(cosine) ? Math.max(-1, Math.min(1, cosine)) : 0;
}
