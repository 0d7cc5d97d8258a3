import { option } from '@bezoar/core';
import { composeText, type TextPart } from '../compose-text.ts';
import { defineAttack } from '../define-attack.ts';

/**
 * Plants question + "." + wrong text, without a space between, for the first wrong texts in file order. The question is not changed, an empty
 * one leaves the full stop; a question with fewer wrong texts than asked for is not attacked, unless fewer will do.
 *
 * P = S + I: S, the question itself, makes the passage similar to the question whatever the retriever is (retrieval condition), and I, a text
 * that argues for the target answer, makes the model say it (generation condition).
 *
 * Source: Zou et al. 2024, PoisonedRAG: Knowledge Corruption Attacks to Retrieval-Augmented Generation, section 4 (black box),
 * https://arxiv.org/abs/2402.07867. Reference code: sleeepeer/PoisonedRAG src/attack.py, `LM_targeted`.
 * Deviations: the paper has a language model write I for the attack and tries it on the model; here I is the dataset's wrong text, untried.
 *
 * @param options.question - `on` or `off`. Default on. With off the texts are I alone (GRADA, Table 5).
 * @returns `count` texts; the question is the retrieval part, the wrong text the payload.
 * @throws {BezoarError} `ABORTED` when the signal fired.
 *
 * Cost: O(characters) time; 0 model calls. Deterministic; draws nothing.
 * Assumes: the attacker adds passages to the corpus, knows the question as it will be asked, and has no access to the retriever. Fails when: the
 * question is asked in other words, or a defense looks for passages that repeat it.
 *
 * @example
 * const target = { query: { id: 'q', text: 'Who won?' }, correctAnswers: ['Ann'], targetAnswer: 'Bob', wrongTexts: ['Bob won the cup.'] };
 * const crafted = await poisonedrag().craft(target, context);
 * crafted.texts[0].text; // 'Who won?.Bob won the cup.'
 */
export const poisonedrag = defineAttack({
  name: 'poisonedrag',
  summary: 'Plants the question, a full stop and a wrong text in one passage.',
  source: {
    authors: 'Zou, Geng, Wang, Jia',
    year: 2024,
    title: 'PoisonedRAG: Knowledge Corruption Attacks to Retrieval-Augmented Generation of Large Language Models',
    section: '4',
    url: 'https://arxiv.org/abs/2402.07867',
  },
  options: { question: option.flag(true, 'Put the question in front of the wrong text.') },
  needs: () => ['wrong-texts'],
  run: ({ query, wrongTexts, targetAnswer }, { question }, { count }) => {
    const front: readonly TextPart[] = question ? [[query.text, 'retrieval'], ['.']] : [];
    return { texts: wrongTexts.slice(0, count).map((wrong) => composeText([...front, [wrong, 'payload']])), targetAnswer };
  },
});
