import { defineMetric } from '../define-metric.ts';

/**
 * The mean of the tighter bound that every combination gives, over the questions whose certificate holds and whose combinations are few enough.
 *
 * Source: ours, over anonymous 2026 (PRA-RAG), PAD.
 */
export const padTight = defineMetric({
  name: 'padTight',
  title: 'tight PAD',
  summary: 'The mean of the tighter certified deviation, over the questions whose certificate holds and has one.',
  unit: 'radians',
  better: 'lower',
  kind: 'ratio',
  observe: ({ certificate }) => (certificate?.holds && certificate.padTight !== null ? [certificate.padTight, 1] : null),
});
