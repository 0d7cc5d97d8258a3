import { definePolicy } from '../core/define-policy.ts';
import { grada } from '../defenses/grada.ts';

/** GRADA with hybrid weights (HRSIM), as in Zheng et al. 2025, sections 3 and 4: pool of ten, five go on. Give it ten passages. */
export const gradaHybridZheng2025 = definePolicy({
  name: 'grada-hybrid-zheng-2025',
  description: 'GRADA, HRSIM weights over BM25, alpha 0.4, damping 0.85; ten passages in, five out.',
  source: grada.definition.source,
  // The released code reads the text without the title and merges no duplicates.
  stages: [
    grada({ weights: 'hybrid', similarity: 'bm25', alpha: 0.4, damping: 0.85, keep: 5, passageText: 'text', collapseDuplicates: false }),
  ],
});
