import { BezoarError } from '../errors.ts';

/**
 * The n x n matrix (row-major) of inner products of the rows, every pair computed once; empty for no rows.
 *
 * @param rows - Vectors of one length, finite.
 * @throws {BezoarError} `SHAPE_MISMATCH` when rows differ in length.
 *
 * Cost: O(n^2 d / 2) time, O(n d + n^2) memory.
 */
export function gramMatrix(rows: readonly (Float32Array | Float64Array)[]): Float64Array {
  const n = rows.length;
  const width = n === 0 ? 0 : rows[0].length;
  // One flat copy in doubles: the hot loop then sees one array type, whatever the caller's.
  const flat = new Float64Array(n * width);
  for (let i = 0; i < n; i++) {
    if (rows[i].length !== width) {
      throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${rows[i].length} dimensions, row 0 has ${width}`);
    }
    flat.set(rows[i], i * width);
  }
  const gram = new Float64Array(n * n);
  const unrolled = width - (width % 4);
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      let a = i * width;
      let b = j * width;
      let sum0 = 0;
      let sum1 = 0;
      let sum2 = 0;
      let sum3 = 0;
      for (const end = a + unrolled; a < end; a += 4, b += 4) {
        sum0 += flat[a] * flat[b];
        sum1 += flat[a + 1] * flat[b + 1];
        sum2 += flat[a + 2] * flat[b + 2];
        sum3 += flat[a + 3] * flat[b + 3];
      }
      for (const end = (i + 1) * width; a < end; a++, b++) sum0 += flat[a] * flat[b];
      gram[i * n + j] = gram[j * n + i] = sum0 + sum1 + (sum2 + sum3);
    }
  }
  return gram;
}

/**
 * Cosines from a Gram matrix (n x n, row-major): in [-1, 1], 1 on the diagonal, and 0 in the whole row and column of a zero vector.
 */
export function cosineMatrix(gram: Float64Array, n: number): Float64Array {
  const cosines = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const squares = gram[i * n + i];
    if (!(squares > 0)) continue;
    cosines[i * n + i] = 1;
    for (let j = i + 1; j < n; j++) {
      const cosine = gram[i * n + j] / Math.sqrt(squares * gram[j * n + j]);
      if (Number.isFinite(cosine)) cosines[i * n + j] = cosines[j * n + i] = Math.max(-1, Math.min(1, cosine));
    }
  }
  return cosines;
}
