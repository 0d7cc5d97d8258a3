import { defineMetric } from '../define-metric.ts';

/** The median of the defense's own time for a question, without encoding and reading. Source: ours. */
export const latencyMsP50 = defineMetric({
  name: 'latencyMsP50',
  title: 'p50',
  summary: "The median of the defense's own time for a question.",
  unit: 'milliseconds',
  better: 'lower',
  kind: 'quantile',
  quantile: 0.5,
  observe: ({ ms }) => (ms === null ? null : [ms, 1]),
});
