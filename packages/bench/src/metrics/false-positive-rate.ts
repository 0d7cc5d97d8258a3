import { defineMetric } from '../define-metric.ts';
import { removalCounts } from '../removal-counts.ts';

/**
 * The mean over questions of the share of the pool's clean passages that were removed; 0 for a pool without any.
 *
 * Source: Zhang et al. 2025 (RAGForensics), FPR as the authors' script averages it.
 */
export const falsePositiveRate = defineMetric({
  name: 'falsePositiveRate',
  title: 'false positives',
  summary: "The mean over questions of the share of the pool's clean passages that were removed.",
  unit: 'share',
  better: 'lower',
  kind: 'ratio',
  observe: (outcome) => {
    const { cleanRemoved, cleanKept } = removalCounts(outcome);
    return [cleanRemoved / Math.max(cleanRemoved + cleanKept, 1), 1];
  },
});
