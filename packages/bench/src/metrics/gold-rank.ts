import { defineMetric } from '../define-metric.ts';

/**
 * The mean rank in the context, from 1, of the best gold passage, over the questions that have one there.
 *
 * Source: ours. Read it beside successRate, which says how many questions it speaks of.
 */
export const goldRank = defineMetric({
  name: 'goldRank',
  title: 'gold rank',
  summary: 'The mean rank in the context of the best gold passage, where there is one.',
  unit: 'rank',
  better: 'lower',
  kind: 'ratio',
  observe: ({ goldGrades, context }) => {
    const place = goldGrades.length > 0 ? context.findIndex(({ grade }) => grade > 0) : -1;
    return place < 0 ? null : [place + 1, 1];
  },
});
