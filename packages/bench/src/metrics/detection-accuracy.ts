import { defineMetric } from '../define-metric.ts';
import { removalCounts } from '../removal-counts.ts';

/**
 * The mean over questions of the share of the pool that was treated as it deserves: poisoned and removed, or clean and kept; 0 for an empty pool.
 *
 * Source: Zhang et al. 2025 (RAGForensics), DACC as the authors' script averages it.
 */
export const detectionAccuracy = defineMetric({
  name: 'detectionAccuracy',
  title: 'detection accuracy',
  summary: 'The mean over questions of the share of the pool that was poisoned and removed, or clean and kept.',
  unit: 'share',
  better: 'higher',
  kind: 'ratio',
  observe: (outcome) => {
    if (!outcome.attacked) return null;
    const { poisonRemoved, cleanKept } = removalCounts(outcome);
    return [(poisonRemoved + cleanKept) / Math.max(outcome.pool.length, 1), 1];
  },
});
