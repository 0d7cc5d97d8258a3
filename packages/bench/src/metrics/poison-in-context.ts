import { defineMetric } from '../define-metric.ts';

/**
 * The share of questions with at least one of their own poisoned passages in the context: attack success at retrieval.
 *
 * Source: Pathmanathan et al. 2025 (RAGPart, RAGMask), ASR; Zheng et al. 2025 (GRADA), Tables 6 to 8. It is no answer-level ASR.
 */
export const poisonInContext = defineMetric({
  name: 'poisonInContext',
  title: 'poison in context',
  summary: 'The share of questions with at least one poisoned passage of their own in the context.',
  unit: 'share',
  better: 'lower',
  kind: 'rate',
  observe: ({ attacked, context }) => (attacked ? [context.some(({ label }) => label === 'poisoned') ? 1 : 0, 1] : null),
});
