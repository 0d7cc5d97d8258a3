/**
 * The number below which a share of ascending numbers lies, at least one of them; between two neighbours on the straight line.
 *
 * It stands at place share (n - 1), counted from 0. Source: Hyndman and Fan 1996, Sample quantiles in statistical packages, definition 7, numpy's default.
 */
export function percentile(ascending: ArrayLike<number>, share: number): number {
  const place = share * (ascending.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, ascending.length - 1);
  return ascending[below] + (place - below) * (ascending[above] - ascending[below]);
}
