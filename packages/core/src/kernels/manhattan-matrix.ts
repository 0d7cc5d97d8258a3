import { BezoarError } from '../errors.ts';

/**
 * The n x n matrix (row-major) of Manhattan distances between the rows; empty for no rows.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` when rows differ in length.
 */
export function manhattanMatrix(rows: readonly Float32Array[]): Float64Array {
  const n = rows.length;
  const distances = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    if (rows[i].length !== rows[0].length) {
      throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${rows[i].length} dimensions, row 0 has ${rows[0].length}`);
    }
    for (let j = 0; j < i; j++) {
      let sum = 0;
      for (let d = 0; d < rows[i].length; d++) sum += Math.abs(rows[i][d] - rows[j][d]);
      distances[i * n + j] = distances[j * n + i] = sum;
    }
  }
  return distances;
}
