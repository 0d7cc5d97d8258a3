import { defineDefense } from '../core/define-defense.ts';
import { option } from '../core/options.ts';
import { longestSharedRun } from '../kernels/longest-shared-run.ts';
import { tokenizeUnicode } from '../kernels/tokenize-unicode.ts';

/** Questions are cut here: longer ones are documents, and the work grows with how often their words recur. */
const MAX_QUESTION_WORDS = 256;

/**
 * Drops passages that repeat the question in one run of words. An empty question, or one of fewer words than `words`, drops nothing.
 *
 * To be retrieved for a question a poisoned passage must resemble it, and the surest way is to carry it: PoisonedRAG's black-box attack and
 * query-as-poison put the question itself in front. Honest sources answer a question without repeating it, except lists of questions.
 *
 * Source: none; the retrieval condition it looks for is that of Zou et al. 2024, PoisonedRAG, section 4, https://arxiv.org/abs/2402.07867.
 * Deviations: none.
 *
 * @param options.share - Length of the longest run over the number of the question's words, 0 to 1; dropped at or above. Default 0.8: so
 *   much survives a changed mark or a dropped first word.
 * @param options.words - Shortest run that counts, in words, at least 1. Default 5: shorter ones are names and common phrases.
 * @returns One verdict per passage, in input order. `score` is the share; `suspicion` is the share of a dropped passage, half the share of a
 *   kept one.
 * @throws {BezoarError} `DUPLICATE_ID` when two passages share an id; `ABORTED` when the signal fired.
 *
 * Cost: O(characters of all passages) time; 0 model calls. Deterministic.
 * Assumes: the attacker carries the question as it will be asked. Fails when: the attacker paraphrases it, splits it, or plants the wrong
 * text alone; a page of frequent questions is dropped although it is true.
 *
 * @example
 * const passages = ['who won the cup that year? bob', 'ann won the cup'];
 * const result = await questionEcho().run(createRetrieval('who won the cup that year?', passages), createRunContext());
 * result.passages.map(({ id }) => id); // ['p2']
 */
export const questionEcho = defineDefense({
  name: 'question-echo',
  summary: 'Drops passages that repeat the question word for word, as planted ones do to be retrieved.',
  kind: 'filter',
  source: null,
  setLevel: false,
  options: {
    share: option.number(0.8, "Share of the question's words, in one run, from which a passage is dropped.", { min: 0, max: 1 }),
    words: option.number(5, 'Shortest run that counts, in words.', { min: 1, max: MAX_QUESTION_WORDS, integer: true }),
  },
  reasons: {
    'repeats-question': {
      meaning: 'repeats the question word for word',
      sentence: ({ run, of }) => `repeats the question word for word (${String(run)} of its ${String(of)} words in one run)`,
    },
  },
  needs: () => [],
  run: ({ query, texts }, { share, words }) => {
    const question = tokenizeUnicode(query.text).slice(0, MAX_QUESTION_WORDS);
    return {
      judgements: texts.map((text) => {
        const run = question.length < words ? 0 : longestSharedRun(question, tokenizeUnicode(text));
        const score = question.length === 0 ? 0 : run / question.length;
        const repeats = run >= words && score >= share;
        return {
          action: repeats ? 'drop' : 'keep',
          score,
          suspicion: repeats ? score : score / 2,
          reason: repeats ? 'repeats-question' : 'kept',
          evidence: { run, of: question.length },
        };
      }),
    };
  },
});
