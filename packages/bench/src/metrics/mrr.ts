import { defineMetric } from '../define-metric.ts';

/**
 * The mean reciprocal rank in the context of the first gold passage; 0 where there is none.
 *
 * Source: trec_eval, recip_rank, over the whole context.
 */
export const mrr = defineMetric({
  name: 'mrr',
  title: 'MRR',
  summary: 'The mean reciprocal rank in the context of the first gold passage, 0 where there is none.',
  unit: 'score',
  better: 'higher',
  kind: 'ratio',
  observe: ({ goldGrades, context }) => {
    if (goldGrades.length === 0) return null;
    const place = context.findIndex(({ grade }) => grade > 0);
    return [place < 0 ? 0 : 1 / (place + 1), 1];
  },
});
