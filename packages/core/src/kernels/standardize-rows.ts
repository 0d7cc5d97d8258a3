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
  for (let i = 0; i < n; i++) {
    if (rows[i].length !== width) throw new BezoarError('SHAPE_MISMATCH', `row ${i} has ${rows[i].length} dimensions, row 0 has ${width}`);
    flat.set(rows[i], i * width);
  }
  const squares = new Float64Array(n);
  for (let d = 0; d < width; d++) {
    let sum = 0;
    for (let at = d; at < flat.length; at += width) sum += flat[at];
    const mean = sum / n;
    let spread = 0;
    for (let at = d; at < flat.length; at += width) spread += (flat[at] - mean) * (flat[at] - mean);
    const deviation = Math.sqrt(spread / n);
    // Below this share of the mean the deviation is what rounding left of equal numbers, which dividing would blow up to 1.
    const scale = deviation > Math.abs(mean) * 1e-14 ? 1 / deviation : 0;
    for (let i = 0, at = d; i < n; i++, at += width) {
      const value = (flat[at] - mean) * scale;
      flat[at] = value;
      squares[i] += value * value;
    }
  }
  for (let i = 0; i < n; i++) {
    const scale = squares[i] > 0 ? 1 / Math.sqrt(squares[i]) : 0;
    for (let at = i * width; at < (i + 1) * width; at++) flat[at] *= scale;
  }
  return flat;
}
