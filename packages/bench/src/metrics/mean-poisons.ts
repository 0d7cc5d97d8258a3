import { defineMetric } from '../define-metric.ts';

/** The mean number of the question's own poisoned passages in the context. Source: ours, after GRADA's Tables 6 to 8, which plant one. */
export const meanPoisons = defineMetric({
  name: 'meanPoisons',
  title: 'mean poisons',
  summary: "The mean number of the question's own poisoned passages in the context.",
  unit: 'passages',
  better: 'lower',
  kind: 'ratio',
  observe: ({ attacked, context }) => (attacked ? [context.filter(({ label }) => label === 'poisoned').length, 1] : null),
});
