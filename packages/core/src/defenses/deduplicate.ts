import { defineDefense, type Judgement } from '../core/define-defense.ts';
import { option } from '../core/options.ts';
import { nearestEarlier } from '../kernels/near-duplicates.ts';

/**
 * Drops passages that are near copies of a passage ranked before them. The first of a group stays, so one passage or none is kept as it is;
 * a passage without a word is kept with score null. Exact copies are collapsed by the seal, with reason `duplicate`.
 *
 * similarity(a, b) = shingles in both / shingles in either, a shingle being three words in a row, lower-cased, without punctuation. It counts
 * against earlier passages that stay, so a chain of small changes is not dropped for likeness to a passage that is gone.
 *
 * Source: Broder 1997, On the resemblance and containment of documents, section 2 (resemblance over shingles, bottom-k sketches),
 * https://doi.org/10.1109/SEQUEN.1997.666900. Reference code: none.
 * Deviations: the paper leaves the shingle's length open and its examples take long ones for whole web pages; three, because one changed
 * word in a snippet of 25 already changes 3 of 23. Texts of more than 512 shingles are compared by sketches of 512 (standard error below
 * 0.022), shorter ones exactly.
 *
 * @param options.similarity - Resemblance in [0.1, 1]; at or above it the later passage is dropped. Default 0.9: it drops 25 of
 * 10,435 clean candidates of four question-answering sets (0.2 percent; by set 0.2 to 0.3), while 0.8 drops 0.7 percent, 0.7 1.4 and 0.5 3.4.
 * @returns One verdict per passage, in input order; score: the highest similarity to an earlier passage that stays, 0 for the first. Suspicion
 * is 0: honest news is syndicated, and a copy alone is no attack.
 * @throws {BezoarError} `DUPLICATE_ID` when two passages share an id; `TOO_LARGE` above 1000 passages; `ABORTED` when the signal fired.
 *
 * Cost: O(characters + pairs that share a shingle * 1024) time, O(n * 512) memory; 0 model calls. Deterministic.
 * Assumes: a flood of copies is what tips majorities and graphs. Fails when: the attacker paraphrases; or copies a true passage almost word
 * for word, changes the answer and ranks above it: then the true one is dropped (20 of 155 wrong texts of RAMDocs resemble a true candidate that much).
 * Put it after stages that judge content where that matters.
 *
 * @example
 * const passages = ['The tower of Pisa leans to the south.', 'The tower of Pisa leans to the south!'];
 * const result = await deduplicate().run(createRetrieval('which way?', passages), createRunContext());
 * result.verdicts[1].reason; // 'near-duplicate'
 */
export const deduplicate = defineDefense({
  name: 'deduplicate',
  summary: 'Drops passages that are near copies of a passage ranked before them.',
  kind: 'filter',
  source: {
    authors: 'Broder',
    year: 1997,
    title: 'On the resemblance and containment of documents',
    section: '2',
    url: 'https://doi.org/10.1109/SEQUEN.1997.666900',
  },
  setLevel: true,
  options: {
    similarity: option.number(0.9, 'Share of common word shingles at or above which the later passage is dropped.', { min: 0.1, max: 1 }),
  },
  reasons: {
    'near-duplicate': {
      meaning: 'almost the same words as an earlier passage of this retrieval',
      sentence: ({ sameAs, similarity }) => `repeats ${String(sameAs)} almost word for word (similarity ${Number(similarity).toFixed(2)})`,
    },
  },
  needs: () => [],
  run: ({ passages, texts }, { similarity }) => ({
    judgements: nearestEarlier(texts, similarity).map((nearest): Judgement => {
      if (nearest === null) return { action: 'keep', score: null, suspicion: 0, reason: 'kept' };
      const score = nearest.similarity;
      if (nearest.index < 0 || score < similarity) return { action: 'keep', score, suspicion: 0, reason: 'kept' };
      return {
        action: 'drop',
        score,
        suspicion: 0,
        reason: 'near-duplicate',
        evidence: { sameAs: passages[nearest.index]!.id, similarity: score },
      };
    }),
  }),
});
