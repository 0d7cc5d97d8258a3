import { defineMetric } from '../define-metric.ts';

/** The mean number of language-model calls that the defense makes for a question. Source: ours. */
export const modelCalls = defineMetric({
  name: 'modelCalls',
  title: 'model calls',
  summary: 'The mean number of language-model calls for a question.',
  unit: 'calls',
  better: 'lower',
  kind: 'ratio',
  observe: (outcome) => [outcome.modelCalls, 1],
});
