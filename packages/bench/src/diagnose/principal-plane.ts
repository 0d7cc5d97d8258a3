import { symmetricEigen } from './symmetric-eigen.ts';

export interface PrincipalPlane {
  /** One a row, in their order; the mean of all is (0, 0). */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Share of the variance that the plane shows, 0 to 1; 1 where all rows are equal and there is nothing to lose. */
  readonly explained: number;
}

/**
 * Rows of numbers in the plane of their first two principal components. A component's sign is free: it is the one that makes the coordinate
 * farthest from 0 positive, of equally far ones the first. Rows of one dimension have y 0; no rows have no points.
 *
 * @param rows - Finite, of one length.
 *
 * Cost: O(rows d^2 + d^3) for d dimensions: give it rows of few, not embeddings.
 */
export function principalPlane(rows: readonly Float64Array[]): PrincipalPlane {
  const width = rows[0]?.length ?? 0;
  const mean = new Float64Array(width);
  for (const row of rows) for (let i = 0; i < width; i++) mean[i] += row[i] / rows.length;
  const centred = rows.map((row) => row.map((value, i) => value - mean[i]));
  const scatter = new Float64Array(width * width);
  for (const row of centred) {
    for (let i = 0; i < width; i++) for (let j = 0; j < width; j++) scatter[i * width + j] += row[i] * row[j];
  }
  const { values, vectors } = symmetricEigen(scatter, width);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  // What rounding leaves of equal rows has no direction.
  const scale = rows.reduce((sum, row) => sum + dot(row, row), 0);
  if (!(total > 1e-24 * scale)) return { points: rows.map(() => ({ x: 0, y: 0 })), explained: 1 };
  const [x, y] = [0, 1].map((component) => coordinates(centred, vectors[component]));
  const shown = Math.max(0, values[0]) + Math.max(0, values[1] ?? 0);
  return { points: rows.map((_, i) => ({ x: x[i], y: y[i] })), explained: Math.min(1, shown / total) };
}

function coordinates(centred: readonly Float64Array[], axis: Float64Array | undefined): readonly number[] {
  if (axis === undefined) return centred.map(() => 0);
  const along = centred.map((row) => dot(row, axis));
  let farthest = 0;
  // Coordinates of mirrored points differ by rounding only, which must not choose the sign.
  for (const value of along) if (Math.abs(value) > Math.abs(farthest) * (1 + 1e-9)) farthest = value;
  return farthest < 0 ? along.map((value) => -value) : along;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
