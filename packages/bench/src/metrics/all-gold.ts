import { defineMetric } from '../define-metric.ts';

/**
 * The share of questions with every gold passage of the qrels in the context, which a question of several hops needs.
 *
 * Source: ours. A gold passage that was never retrieved counts as missing.
 */
export const allGold = defineMetric({
  name: 'allGold',
  title: 'all gold',
  summary: 'The share of questions with every gold passage in the context.',
  unit: 'share',
  better: 'higher',
  kind: 'rate',
  observe: ({ goldGrades, context }) =>
    goldGrades.length > 0 ? [context.filter(({ grade }) => grade > 0).length >= goldGrades.length ? 1 : 0, 1] : null,
});
