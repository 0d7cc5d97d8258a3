import { defineMetric } from '../define-metric.ts';

/** The time within which the defense is done with 95 of 100 questions, without encoding and reading. Source: ours. */
export const latencyMsP95 = defineMetric({
  name: 'latencyMsP95',
  title: 'p95',
  summary: "The 95th percentile of the defense's own time for a question.",
  unit: 'milliseconds',
  better: 'lower',
  kind: 'quantile',
  quantile: 0.95,
  observe: ({ ms }) => (ms === null ? null : [ms, 1]),
});
