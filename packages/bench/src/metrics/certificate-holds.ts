import { defineMetric } from '../define-metric.ts';

/**
 * Of the questions with a certificate, the share for which its majority condition holds.
 *
 * Source: anonymous 2026 (PRA-RAG), the condition of Theorem 2; the released code reports bounds without it.
 */
export const certificateHolds = defineMetric({
  name: 'certificateHolds',
  title: 'certified',
  summary: 'Of the questions with a certificate, the share for which it holds.',
  unit: 'share',
  better: 'higher',
  kind: 'rate',
  observe: ({ certificate }) => (certificate ? [certificate.holds ? 1 : 0, 1] : null),
});
