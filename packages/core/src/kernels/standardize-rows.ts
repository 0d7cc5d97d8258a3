import { BezoarError } from '../errors.ts';

/**
 * Every dimension brought to mean 0 and standard deviation 1 over the rows, then every row to length 1; flat, n x width.
 *
 * Population deviation; a dimension that does not vary stays 0, and a row that is all 0 stays 0, so identical rows give zeros.
 *
 * Source: what TrustRAG's released code does before k-means (scikit-learn's `StandardScaler`, then unit length).
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` when rows differ in length.
 */
export function standardizeRows(rows: readonly Float32Array[]): Float64Array {
  const n = rows.length;
  const width = n === 0 ? 0 : rows[0].length;
  const flat = new Float64Array(n * width);
  const means = new Float64Array(width);
  const deviations = new Float64Array(width);
  for (const [i, row] of rows.entries()) {
    if (row.length !== width) throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${row.length} dimensions, row 0 has ${width}`);
    for (let d = 0; d < width; d++) means[d] += row[d];
  }
  for (let d = 0; d < width; d++) means[d] /= n;
  for (let i = 0; i < n; i++) {
    const row = rows[i];
    for (let d = 0; d < width; d++) {
      const centred = row[d] - means[d];
      flat[i * width + d] = centred;
      deviations[d] += centred * centred;
    }
  }
  for (let d = 0; d < width; d++) {
    const deviation = Math.sqrt(deviations[d] / n);
    // Below this share of the mean the deviation is what rounding left of equal numbers, which dividing would blow up to 1.
    deviations[d] = deviation > Math.abs(means[d]) * 1e-14 ? 1 / deviation : 0;
  }
  for (let i = 0; i < n; i++) {
    const start = i * width;
    let squares = 0;
    for (let d = 0; d < width; d++) {
      const value = flat[start + d] * deviations[d];
      flat[start + d] = value;
      squares += value * value;
    }
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let d = 0; d < width; d++) flat[start + d] *= scale;
  }
  return flat;
}
