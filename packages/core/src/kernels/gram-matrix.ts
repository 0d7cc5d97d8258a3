import { BezoarError } from '../errors.ts';

/** Numbers kept for the next call, 1 MB: 340 rows of 384. Larger pools get their own. */
const KEPT = 131_072;
let kept = new Float64Array(0);

/** Room for the rows, with whatever was in it: making and clearing it anew would take a fifth of a pool of ten's time. */
function room(size: number): Float64Array {
  if (size > KEPT) return new Float64Array(size);
  if (kept.length < size) kept = new Float64Array(size);
  return kept;
}

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
  // One flat copy in doubles: the hot loop then sees one array type, whatever the caller's. Zeros make rows and their lengths even.
  const stride = width + (width % 2);
  const flat = room((n + (n % 2)) * stride);
  if (n % 2 === 1) flat.fill(0, n * stride, (n + 1) * stride);
  for (let i = 0; i < n; i++) {
    if (rows[i].length !== width) {
      throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${rows[i].length} dimensions, row 0 has ${width}`);
    }
    flat.set(rows[i], i * stride);
    if (stride > width) flat[i * stride + width] = 0;
  }
  const gram = new Float64Array(n * n);
  const write = (i: number, j: number, product: number): void => {
    if (i < n && j < n) gram[i * n + j] = gram[j * n + i] = product;
  };
  // Two rows against two at a time, even and odd dimensions apart: four products from four loads, and eight sums that do not wait for each other.
  for (let i = 0; i < n; i += 2) {
    for (let j = i; j < n; j += 2) {
      let product = 0;
      let right = 0;
      let below = 0;
      let both = 0;
      let productOdd = 0;
      let rightOdd = 0;
      let belowOdd = 0;
      let bothOdd = 0;
      const end = (i + 1) * stride;
      for (let a = i * stride, b = j * stride; a < end; a += 2, b += 2) {
        const x = flat[a];
        const xNext = flat[a + stride];
        const y = flat[b];
        const yNext = flat[b + stride];
        product += x * y;
        right += x * yNext;
        below += xNext * y;
        both += xNext * yNext;
        const xOdd = flat[a + 1];
        const xNextOdd = flat[a + stride + 1];
        const yOdd = flat[b + 1];
        const yNextOdd = flat[b + stride + 1];
        productOdd += xOdd * yOdd;
        rightOdd += xOdd * yNextOdd;
        belowOdd += xNextOdd * yOdd;
        bothOdd += xNextOdd * yNextOdd;
      }
      write(i, j, product + productOdd);
      write(i, j + 1, right + rightOdd);
      write(i + 1, j, below + belowOdd);
      write(i + 1, j + 1, both + bothOdd);
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
