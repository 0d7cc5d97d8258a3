/** Adding and subtracting a number this many times as large cuts a double to its 40 leading bits (Veltkamp's split). */
const SPLITTER = 2 ** 13 + 1;

/**
 * The nearest number with 40 significant bits, so that scores within about 1e-12 of each other (relative) become the same number.
 *
 * Rounding, unlike a tolerance, is transitive, so an order built on it is one. Above 1e300, where the split would overflow,
 * the number is returned as it is.
 *
 * Source: Dekker 1971, A floating-point technique for extending the available precision, section 4 (the split).
 */
export function roundScore(score: number): number {
  if (!(Math.abs(score) < 1e300)) return score;
  const scaled = score * SPLITTER;
  return scaled - (scaled - score);
}
