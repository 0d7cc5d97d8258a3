import { definePolicy } from '../core/define-policy.ts';
import { praRag } from '../defenses/pra-rag.ts';

/**
 * PRA-RAG's selection, as in the anonymous submission of 2026 (arXiv 2607.00012), section 5 and appendix C.8: eight passages in, three go on,
 * 200 sampled combinations where there are more. What the paper feeds to the language model as averaged embeddings is here the selected
 * texts, which the paper calls PRA-RAG_cat.
 */
export const praRagAnonymous2026 = definePolicy({
  name: 'pra-rag-anonymous-2026',
  description: 'PRA-RAG selection, subsets of three, one poisoned passage assumed, beta 2, 200 samples; eight passages in.',
  source: praRag.definition.source,
  stages: [praRag({ subset: 3, corruption: 1, beta: 2, samples: 200, passageText: 'text', collapseDuplicates: false })],
});
