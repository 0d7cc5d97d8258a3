import type { IngestRule } from './finding.ts';
import { contradictsTrusted } from './rules/contradicts-trusted.ts';
import { embeddingOutlier } from './rules/embedding-outlier.ts';
import { injectedInstruction } from './rules/injected-instruction.ts';
import { invisibleText } from './rules/invisible-text.ts';
import { nearDuplicateFlood } from './rules/near-duplicate-flood.ts';
import { repeatsQuestion } from './rules/repeats-question.ts';
import { tightGroup } from './rules/tight-group.ts';
import { unsupportedEncoding } from './rules/unsupported-encoding.ts';

/** Every rule, in the order in which findings of one passage are listed. */
export const INGEST_RULES: readonly IngestRule[] = [
  injectedInstruction,
  invisibleText,
  repeatsQuestion,
  unsupportedEncoding,
  nearDuplicateFlood,
  tightGroup,
  embeddingOutlier,
  contradictsTrusted,
];
