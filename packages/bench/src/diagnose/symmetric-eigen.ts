/** Each sweep squares what is left off the diagonal once it is small; ten are more than matrices of some hundred rows take. */
const MAX_SWEEPS = 30;

/**
 * Eigenvalues of a symmetric n x n matrix (row-major), largest first, and its eigenvectors as rows of unit length, by cyclic Jacobi rotations.
 * The same input gives the same output; where eigenvalues are equal the vectors are some basis of their space.
 *
 * Source: Golub and Van Loan, Matrix Computations, section 8.5. Cost: O(n^3) a sweep, under ten sweeps.
 */
export function symmetricEigen(
  matrix: Float64Array,
  n: number,
): { readonly values: Float64Array; readonly vectors: readonly Float64Array[] } {
  const a = matrix.slice();
  const rows = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => Number(i === j)));
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        all += a[i * n + j] ** 2;
        if (i !== j) off += a[i * n + j] ** 2;
      }
    }
    // Far below the rounding of the largest eigenvalue.
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const pivot = a[p * n + q];
        if (pivot === 0) continue;
        const theta = (a[q * n + q] - a[p * n + p]) / (2 * pivot);
        const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const cosine = 1 / Math.sqrt(tangent * tangent + 1);
        rotate(a, n, p, q, cosine, tangent * cosine);
        turn(rows[p], rows[q], cosine, tangent * cosine);
      }
    }
  }
  const order = rows.map((_, index) => index).sort((i, j) => a[j * n + j] - a[i * n + i] || i - j);
  return { values: Float64Array.from(order, (index) => a[index * n + index]), vectors: order.map((index) => rows[index]) };
}

/** Rows and columns p and q of the matrix in the plane's new axes. */
function rotate(a: Float64Array, n: number, p: number, q: number, cosine: number, sine: number): void {
  for (let k = 0; k < n; k++) {
    const atP = a[k * n + p];
    const atQ = a[k * n + q];
    a[k * n + p] = cosine * atP - sine * atQ;
    a[k * n + q] = sine * atP + cosine * atQ;
  }
  turn(a.subarray(p * n, (p + 1) * n), a.subarray(q * n, (q + 1) * n), cosine, sine);
}

function turn(p: Float64Array, q: Float64Array, cosine: number, sine: number): void {
  for (let k = 0; k < p.length; k++) {
    const atP = p[k];
    const atQ = q[k];
    p[k] = cosine * atP - sine * atQ;
    q[k] = sine * atP + cosine * atQ;
  }
}
