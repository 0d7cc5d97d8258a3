import { defineMetric } from '../define-metric.ts';

/**
 * The mean certified deviation over the questions whose certificate holds: how far poison can move the selection at most.
 *
 * Source: anonymous 2026 (PRA-RAG), PAD, section 5. A value above pi bounds nothing.
 */
export const pad = defineMetric({
  name: 'pad',
  title: 'PAD',
  summary: 'The mean certified deviation of the selection, over the questions whose certificate holds.',
  unit: 'radians',
  better: 'lower',
  kind: 'ratio',
  observe: ({ certificate }) => (certificate?.holds && certificate.pad !== null ? [certificate.pad, 1] : null),
});
