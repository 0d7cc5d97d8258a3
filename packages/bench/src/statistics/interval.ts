/** A number with the ends of its 95 % interval: all finite, low <= value <= high. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}
