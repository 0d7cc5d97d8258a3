import { definePolicy } from '../core/define-policy.ts';
import { grada } from '../defenses/grada.ts';

/** GRADA with BM25 weights (D2DSIM-BM25), as in Zheng et al. 2025, sections 3 and 4: pool of ten, five go on. Give it ten passages. */
export const gradaBm25Zheng2025 = definePolicy({
  name: 'grada-bm25-zheng-2025',
  description: 'GRADA, BM25 weights, damping 0.85; ten passages in, five out.',
  source: grada.definition.source,
  // The released code reads the text without the title and merges no duplicates.
  stages: [grada({ weights: 'bm25', damping: 0.85, keep: 5, passageText: 'text', collapseDuplicates: false })],
});
