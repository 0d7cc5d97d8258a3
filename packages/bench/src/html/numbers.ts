import type { MetricValue } from '../types.ts';

/** What stands where nothing could be assessed; never a zero. */
export const DASH = '–';

/** A share as a percentage with one digit after the point. */
export const percent = (share: number | null): string => (share === null ? DASH : `${(100 * share).toFixed(1)}\u00a0%`);

/** A number of any unit: three digits after the point, fewer for large ones, none for whole ones. */
export const decimal = (value: number | null): string =>
  value === null ? DASH : Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 3 : 1);

/** `35.0 to 50.1`, without a unit; a dash where there is no interval. */
export const span = ({ low, high }: MetricValue, print: (value: number) => string): string =>
  low === null || high === null ? DASH : `${print(low)} to ${print(high)}`;

/** Everything about a share in one line, for a tooltip. */
export function shareInWords(metric: MetricValue): string {
  if (metric.value === null) return `not assessed (${metric.notAssessed} questions)`;
  const deviation =
    metric.deviation === undefined || metric.deviation === null ? '' : `, standard deviation over seeds ${percent(metric.deviation)}`;
  const missing = metric.notAssessed === 0 ? '' : `, ${metric.notAssessed} not assessed`;
  return `${percent(metric.value)}, 95 % interval ${span(metric, percent)}, n = ${metric.n}${missing}${deviation}`;
}

/** `1 question`, `3 questions`. */
export const count = (number: number, thing: string): string => `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

/** `poisonInContext` as `poison in context`. */
export const words = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
