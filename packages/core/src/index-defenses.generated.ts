// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import { naiveCombination } from './index-defenses/naive-combination.ts';
import { paraphrasePassages } from './index-defenses/paraphrase-passages.ts';
import { paraphraseQuestion } from './index-defenses/paraphrase-question.ts';
import { ragmask } from './index-defenses/ragmask.ts';
import { ragpart } from './index-defenses/ragpart.ts';

/** Every index defense by its SPEC name. */
export const INDEX_DEFENSES = {
  'naive-combination': naiveCombination,
  'paraphrase-passages': paraphrasePassages,
  'paraphrase-question': paraphraseQuestion,
  'ragmask': ragmask,
  'ragpart': ragpart,
};

export { naiveCombination, paraphrasePassages, paraphraseQuestion, ragmask, ragpart };
