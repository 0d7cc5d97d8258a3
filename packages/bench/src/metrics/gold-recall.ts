import { defineMetric } from '../define-metric.ts';

/**
 * The mean share of a question's gold passages, retrieved or not, that stand in the first `keep` of the context.
 *
 * Source: trec_eval, recall cut at `keep`.
 */
export const goldRecall = defineMetric({
  name: 'goldRecall',
  title: 'gold recall',
  summary: "The mean share of a question's gold passages that are among the first `keep` of the context.",
  unit: 'share',
  better: 'higher',
  kind: 'ratio',
  observe: ({ goldGrades, context, keep }) =>
    goldGrades.length > 0 ? [context.slice(0, keep).filter(({ grade }) => grade > 0).length / goldGrades.length, 1] : null,
});
