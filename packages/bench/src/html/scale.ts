/** From a domain to a range, straight. A domain without extent goes to the middle. */
export const linear =
  (from: number, to: number, start: number, end: number) =>
  (value: number): number =>
    from === to ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start);

/** Round numbers (1, 2 or 5 times a power of ten apart) from `from` to `to`, about so many. One where the two are equal. */
export function ticks(from: number, to: number, wanted: number): number[] {
  if (!(to > from)) return [from];
  const rough = (to - from) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  // The quotient of two integers is the nearest double to the decimal, so that 3 * 0.1 prints as 0.3.
  return Array.from({ length: last - first + 1 }, (_, index) =>
    step < 1 ? (first + index) / Math.round(1 / step) : (first + index) * step,
  );
}

/** A coordinate as it stands in SVG: a tenth of a unit is finer than a pixel. */
export const px = (value: number): number => Math.round(value * 10) / 10;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The `d` of a line through the points; empty without any. */
export const linePath = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('');

/** The `d` of the area between two lines. */
export const bandPath = (upper: readonly Point[], lower: readonly Point[]): string =>
  upper.length === 0 ? '' : `${linePath([...upper, ...[...lower].reverse()])}Z`;
