// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import { deduplicate } from './defenses/deduplicate.ts';
import { grada } from './defenses/grada.ts';
import { injectionFilter } from './defenses/injection-filter.ts';
import { lexicalAnomaly } from './defenses/lexical-anomaly.ts';
import { none } from './defenses/none.ts';
import { praRag } from './defenses/pra-rag.ts';
import { questionEcho } from './defenses/question-echo.ts';
import { sanitize } from './defenses/sanitize.ts';
import { trustragFilter } from './defenses/trustrag-filter.ts';
import { gradaBm25Zheng2025 } from './recipes/grada-bm25-zheng-2025.ts';
import { gradaEmbeddingZheng2025 } from './recipes/grada-embedding-zheng-2025.ts';
import { gradaHybridZheng2025 } from './recipes/grada-hybrid-zheng-2025.ts';
import { praRagAnonymous2026 } from './recipes/pra-rag-anonymous-2026.ts';
import { trustragFilterZhou2025 } from './recipes/trustrag-filter-zhou-2025.ts';
import { standard } from './policies/standard.ts';

/** Every defense by its SPEC name. */
export const DEFENSES = {
  'deduplicate': deduplicate,
  'grada': grada,
  'injection-filter': injectionFilter,
  'lexical-anomaly': lexicalAnomaly,
  'none': none,
  'pra-rag': praRag,
  'question-echo': questionEcho,
  'sanitize': sanitize,
  'trustrag-filter': trustragFilter,
};

/** Every named policy: papers' recipes, then our own. */
export const POLICIES = {
  'grada-bm25-zheng-2025': gradaBm25Zheng2025,
  'grada-embedding-zheng-2025': gradaEmbeddingZheng2025,
  'grada-hybrid-zheng-2025': gradaHybridZheng2025,
  'pra-rag-anonymous-2026': praRagAnonymous2026,
  'trustrag-filter-zhou-2025': trustragFilterZhou2025,
  'standard': standard,
};

/** Which of the policies are papers' exact settings. */
export const RECIPE_NAMES = ["grada-bm25-zheng-2025","grada-embedding-zheng-2025","grada-hybrid-zheng-2025","pra-rag-anonymous-2026","trustrag-filter-zhou-2025"] as const;

export { deduplicate, grada, injectionFilter, lexicalAnomaly, none, praRag, questionEcho, sanitize, trustragFilter };
