import { defineIndexDefense, encodeTexts } from '../core/define-index-defense.ts';
import { paraphrased } from '../core/paraphrased.ts';

/**
 * Says the question in other words and retrieves for those: poison that was made for the question as it is asked is further from them. A question
 * without text, or whose paraphrase has no direction, is searched for as it is; equal similarities go by id.
 *
 * Source: Zou et al. 2024, PoisonedRAG: Knowledge Corruption Attacks to Retrieval-Augmented Generation, section 7.1 (paraphrasing),
 * https://arxiv.org/abs/2402.07867, after Jain et al. 2023. Reference code: none.
 * Deviations: the paper draws one of five paraphrases; here the paraphraser gives one.
 *
 * @param context - Encoder and `paraphrase`, both at query time.
 * @returns At most `keep` passages; the score is the similarity to the paraphrase; evidence is the paraphrase, at most 200 characters of it.
 * @throws {BezoarError} `NEEDS_PARAPHRASER` without a paraphraser; `ABORTED`.
 *
 * Cost: nothing at ingest; a query is one call of the paraphraser, one encoding and one search. Deterministic where the paraphraser is.
 * Assumes: the attacker wrote for the wording of the question. Fails when: the poison resembles every wording of it, as PoisonedRAG's does: the
 * paper finds hardly any effect.
 *
 * @example
 * const defense = paraphraseQuestion();
 * defense.vectorNames; // []
 */
export const paraphraseQuestion = defineIndexDefense({
  name: 'paraphrase-question',
  summary: 'Retrieves for the question said in other words.',
  source: {
    authors: 'Zou et al.',
    year: 2024,
    title: 'PoisonedRAG: Knowledge Corruption Attacks to Retrieval-Augmented Generation',
    section: '7.1',
    url: 'https://arxiv.org/abs/2402.07867',
  },
  options: {},
  make: () => ({
    vectorNames: [],

    protect: async (passages) => passages.map(() => ({})),

    async retrieve({ text, vector, keep }, store, context) {
      const { approximate, signal } = context;
      const [question] = await paraphrased('paraphrase-question', [text], context);
      const same = question === text;
      const [made] = same ? [vector] : await encodeTexts([question!], context, 'query');
      const asked = made!.some((x) => x !== 0) ? made! : vector;
      const hits = await store.search({ name: 'passage', vector: asked, k: keep, exact: !approximate, ...(signal ? { signal } : {}) });
      const evidence = { paraphrase: question!.slice(0, 200) };
      return { hits: hits.map(({ id, score }) => ({ id, score, evidence })), exact: !approximate, encoded: same ? 0 : 1 };
    },
  }),
});
