// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import { corruptragAs } from './attacks/corruptrag-as.ts';
import { misinformation } from './attacks/misinformation.ts';
import { poisonedrag } from './attacks/poisonedrag.ts';
import { promptInjection } from './attacks/prompt-injection.ts';
import { queryAsPoison } from './attacks/query-as-poison.ts';

/** Every attack by its SPEC name. */
export const ATTACKS = {
  'corruptrag-as': corruptragAs,
  'misinformation': misinformation,
  'poisonedrag': poisonedrag,
  'prompt-injection': promptInjection,
  'query-as-poison': queryAsPoison,
};

export { corruptragAs, misinformation, poisonedrag, promptInjection, queryAsPoison };
