import { defineMetric } from '../define-metric.ts';
import { removalCounts } from '../removal-counts.ts';

/**
 * The mean over questions of the share of the pool's poisoned passages that were not removed; 0 for a pool without any.
 *
 * Source: Zhang et al. 2025 (RAGForensics), FNR as the authors' script averages it.
 */
export const falseNegativeRate = defineMetric({
  name: 'falseNegativeRate',
  title: 'false negatives',
  summary: "The mean over questions of the share of the pool's poisoned passages that were not removed.",
  unit: 'share',
  better: 'lower',
  kind: 'ratio',
  observe: (outcome) => {
    if (!outcome.attacked) return null;
    const { poisonRemoved, poisonKept } = removalCounts(outcome);
    return [poisonKept / Math.max(poisonRemoved + poisonKept, 1), 1];
  },
});
