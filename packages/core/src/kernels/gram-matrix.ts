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
  // One flat copy in doubles: the hot loop then sees one array type, whatever the caller's. A row of zeros makes the rows pairs.
  const flat = new Float64Array((n + (n % 2)) * width);
  for (let i = 0; i < n; i++) {
    if (rows[i].length !== width) {
      throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${rows[i].length} dimensions, row 0 has ${width}`);
    }
    flat.set(rows[i], i * width);
  }
  const gram = new Float64Array(n * n);
  const write = (i: number, j: number, product: number): void => {
    if (i < n && j < n) gram[i * n + j] = gram[j * n + i] = product;
  };
  // Two rows against two at a time: four products from four loads, and four sums that do not wait for each other.
  for (let i = 0; i < n; i += 2) {
    for (let j = i; j < n; j += 2) {
      let product = 0;
      let productRight = 0;
      let productBelow = 0;
      let productBoth = 0;
      const end = (i + 1) * width;
      for (let a = i * width, b = j * width; a < end; a++, b++) {
        const x = flat[a];
        const xNext = flat[a + width];
        const y = flat[b];
        const yNext = flat[b + width];
        product += x * y;
        productRight += x * yNext;
        productBelow += xNext * y;
        productBoth += xNext * yNext;
      }
      write(i, j, product);
      write(i, j + 1, productRight);
      write(i + 1, j, productBelow);
      write(i + 1, j + 1, productBoth);
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
