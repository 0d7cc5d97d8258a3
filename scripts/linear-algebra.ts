/** The little dense linear algebra that making the static encoder needs; matrices are row-major. */

/** Solves `a x = b` for a symmetric positive definite `a` [size, size] and `b` [size, columns], by Cholesky. */
export function solvePositive(a: Float64Array, b: Float64Array, size: number, columns: number): Float64Array {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * size + j]!;
      for (let k = 0; k < j; k++) sum -= lower[i * size + k]! * lower[j * size + k]!;
      lower[i * size + j] = i === j ? Math.sqrt(sum) : sum / lower[j * size + j]!;
    }
  }
  const x = b.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) subtractRow(x, i, k, columns, lower[i * size + k]!);
    for (let c = 0; c < columns; c++) x[i * columns + c]! /= lower[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) subtractRow(x, i, k, columns, lower[k * size + i]!);
    for (let c = 0; c < columns; c++) x[i * columns + c]! /= lower[i * size + i]!;
  }
  return x;
}

function subtractRow(x: Float64Array, row: number, other: number, columns: number, factor: number): void {
  for (let c = 0; c < columns; c++) x[row * columns + c]! -= factor * x[other * columns + c]!;
}

/** Eigenvalues of a symmetric matrix, largest first, and its eigenvectors as rows, by cyclic Jacobi rotations. */
export function eigen(matrix: Float64Array, size: number): { values: Float64Array; vectors: Float64Array } {
  const a = matrix.slice();
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < size; i++) {
      diagonal += a[i * size + i]! ** 2;
      for (let j = i + 1; j < size; j++) off += a[i * size + j]! ** 2;
    }
    if (off <= 1e-20 * diagonal) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const apq = a[p * size + q]!;
        if (apq === 0) continue;
        const theta = (a[q * size + q]! - a[p * size + p]!) / (2 * apq);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < size; k++) {
          const kp = a[k * size + p]!;
          const kq = a[k * size + q]!;
          a[k * size + p] = c * kp - s * kq;
          a[k * size + q] = s * kp + c * kq;
        }
        for (let k = 0; k < size; k++) {
          const pk = a[p * size + k]!;
          const qk = a[q * size + k]!;
          a[p * size + k] = c * pk - s * qk;
          a[q * size + k] = s * pk + c * qk;
          const vp = vectors[p * size + k]!;
          const vq = vectors[q * size + k]!;
          vectors[p * size + k] = c * vp - s * vq;
          vectors[q * size + k] = s * vp + c * vq;
        }
      }
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => a[j * size + j]! - a[i * size + i]!);
  const sorted = new Float64Array(size * size);
  for (const [rank, i] of order.entries()) sorted.set(vectors.subarray(i * size, (i + 1) * size), rank * size);
  return { values: Float64Array.from(order, (i) => a[i * size + i]!), vectors: sorted };
}
