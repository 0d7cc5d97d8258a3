import { defineMetric } from '../define-metric.ts';

/**
 * The share of all passages in all contexts that are poisoned for the question they are shown to.
 *
 * Source: ours. An empty context has no slots and so no weight.
 */
export const poisonShare = defineMetric({
  name: 'poisonShare',
  title: 'poison share',
  summary: "The share of the context's slots, over all questions, that the questions' own poisoned passages take.",
  unit: 'share',
  better: 'lower',
  kind: 'ratio',
  observe: ({ attacked, context }) => (attacked ? [context.filter(({ label }) => label === 'poisoned').length, context.length] : null),
});
