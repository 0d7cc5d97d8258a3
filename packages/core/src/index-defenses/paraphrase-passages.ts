import { defineIndexDefense, encodeTexts } from '../core/define-index-defense.ts';
import { isUsable } from '../core/fragment-index.ts';
import { paraphrased } from '../core/paraphrased.ts';
import { passageText } from '../core/passage-text.ts';

/**
 * Retrieves by the vector of each passage said in other words, so that wording which was chosen to be retrieved does not count. What goes on is
 * the passage as it was written. An empty store gives nothing; a passage without text is not found; equal similarities go by id.
 *
 * Source: Jain et al. 2023, Baseline Defenses for Adversarial Attacks Against Aligned Language Models, section 4.2 (paraphrase of the input),
 * https://arxiv.org/abs/2309.00614, taken to the index. Reference code: none.
 * Deviations: the paper paraphrases prompts; here passages are, once, at ingest.
 *
 * @param context - Encoder and `paraphrase` at ingest; nothing of the two at query time.
 * @returns At most `keep` passages; the score is the similarity to the paraphrase; no evidence.
 * @throws {BezoarError} `NEEDS_PARAPHRASER` without a paraphraser; `SHAPE_MISMATCH` from a store without the vectors; `ABORTED`.
 *
 * Cost: at ingest one call of the paraphraser and one encoding a passage, 4 d bytes stored; a query is one search. Deterministic where the
 * paraphraser is.
 * Assumes: the paraphraser keeps what is said and not how. Fails when: it repeats the question that a poisoned passage carries (models tend
 * to), or obeys the passage: who paraphrases with a model reads the attacker's text with it.
 *
 * @example
 * const defense = paraphrasePassages();
 * defense.vectorNames; // ['paraphrase']
 */
export const paraphrasePassages = defineIndexDefense({
  name: 'paraphrase-passages',
  summary: 'Retrieves by the vectors of passages said in other words.',
  source: {
    authors: 'Jain et al.',
    year: 2023,
    title: 'Baseline Defenses for Adversarial Attacks Against Aligned Language Models',
    section: '4.2',
    url: 'https://arxiv.org/abs/2309.00614',
  },
  options: {},
  make: () => ({
    vectorNames: ['paraphrase'],

    async protect(passages, context) {
      const texts = passages.map((passage) => passageText(passage, context.passageText));
      const live = texts.filter((text) => text.trim() !== '');
      const vectors = (await encodeTexts(await paraphrased('paraphrase-passages', live, context), context)).values();
      return texts.map((text) => {
        const vector = text.trim() === '' ? null : vectors.next().value!;
        return vector && isUsable(vector) ? { paraphrase: vector } : {};
      });
    },

    async retrieve({ vector, keep }, store, { approximate, signal }) {
      const hits = await store.search({ name: 'paraphrase', vector, k: keep, exact: !approximate, ...(signal ? { signal } : {}) });
      return { hits: hits.map(({ id, score }) => ({ id, score, evidence: {} })), exact: !approximate, encoded: 0 };
    },
  }),
});
