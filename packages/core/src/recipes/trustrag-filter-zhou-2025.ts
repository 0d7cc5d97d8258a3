import { definePolicy } from '../core/define-policy.ts';
import { trustragFilter } from '../defenses/trustrag-filter.ts';

/**
 * TrustRAG's first stage (clean retrieval), as the code of Zhou et al. 2025 runs it: five passages in. The thresholds are literals of that
 * code; the paper gives none, and 0.88 belongs to SimCSE embeddings.
 */
export const trustragFilterZhou2025 = definePolicy({
  name: 'trustrag-filter-zhou-2025',
  description: 'TrustRAG stage 1 as released: ROUGE gate 0.25, density 0.88, two clusters; five passages in.',
  source: trustragFilter.definition.source,
  stages: [trustragFilter({ mode: 'repo', density: 0.88, rouge: 0.25, gate: true, passageText: 'text', collapseDuplicates: false })],
});
