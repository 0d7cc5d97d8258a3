import { definePolicy } from '../core/define-policy.ts';
import { grada } from '../defenses/grada.ts';

/**
 * GRADA with embedding weights (D2DSIM-EBD), as in Zheng et al. 2025, sections 3 and 4: pool of ten, five go on. Give it ten passages.
 * The paper embeds with Contriever; any encoder can stand in, and the figures then are that encoder's.
 */
export const gradaEmbeddingZheng2025 = definePolicy({
  name: 'grada-embedding-zheng-2025',
  description: "GRADA, weights from the retriever's own embeddings, damping 0.85; ten passages in, five out.",
  source: grada.definition.source,
  // The released code reads the text without the title and merges no duplicates.
  stages: [grada({ weights: 'embedding', damping: 0.85, keep: 5, passageText: 'text', collapseDuplicates: false })],
});
