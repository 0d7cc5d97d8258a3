import { defineMetric } from '../define-metric.ts';

/**
 * The share of questions with at least one gold passage in the context, under attack where there is one.
 *
 * Source: Pathmanathan et al. 2025 (RAGPart, RAGMask), SR.
 */
export const successRate = defineMetric({
  name: 'successRate',
  title: 'success',
  summary: 'The share of questions with at least one gold passage in the context.',
  unit: 'share',
  better: 'higher',
  kind: 'rate',
  observe: ({ goldGrades, context }) => (goldGrades.length > 0 ? [context.some(({ grade }) => grade > 0) ? 1 : 0, 1] : null),
});
