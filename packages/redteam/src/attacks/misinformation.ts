import { composeText } from '../compose-text.ts';
import { defineAttack } from '../define-attack.ts';

/**
 * Plants the dataset's wrong texts as they are, in the order of their file; texts that repeat in the file repeat in the corpus, blank ones are
 * passed over. A question with fewer wrong texts than asked for is not attacked, unless fewer will do.
 *
 * The poisoned passage has a payload and no retrieval part: it is found as far as it speaks of what the question asks. That is the generation
 * condition alone, and the plainest case of false information that nobody shaped for a retriever.
 *
 * Source: Pan et al. 2023, On the Risk of Misinformation Pollution with Large Language Models,
 * https://arxiv.org/abs/2305.13661. Reference code: none used.
 * Deviations: the paper has a language model write the texts; here they come with the dataset.
 *
 * @returns `count` texts whose payload is the whole text.
 * @throws {BezoarError} `ABORTED` when the signal fired.
 *
 * Cost: O(characters) time; 0 model calls. Deterministic; draws nothing.
 * Assumes: the attacker adds passages to the corpus and knows neither the retriever nor its documents. Fails when: the texts stray from the
 * question's words, or stand against many true passages.
 *
 * @example
 * const target = { query: { id: 'q', text: 'Who won?' }, correctAnswers: ['Ann'], targetAnswer: 'Bob', wrongTexts: ['Bob won the cup.'] };
 * const crafted = await misinformation().craft(target, context);
 * crafted.texts[0].text; // 'Bob won the cup.'
 */
export const misinformation = defineAttack({
  name: 'misinformation',
  summary: "Plants the dataset's wrong texts as they are.",
  source: {
    authors: 'Pan, Pan, Chen, Nakov, Kan, Wang',
    year: 2023,
    title: 'On the Risk of Misinformation Pollution with Large Language Models',
    url: 'https://arxiv.org/abs/2305.13661',
  },
  options: {},
  needs: () => ['wrong-texts'],
  run: ({ wrongTexts, targetAnswer }, _, { count }) => ({
    texts: wrongTexts.slice(0, count).map((wrong) => composeText([[wrong, 'payload']])),
    targetAnswer,
  }),
});
