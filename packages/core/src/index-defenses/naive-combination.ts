import { defineIndexDefense, encodeTexts } from '../core/define-index-defense.ts';
import { aggregateVotes, checkFragmentOptions, FRAGMENT_OPTIONS, fragmentTexts, innerProduct, isUsable } from '../core/fragment-index.ts';
import { BezoarError } from '../errors.ts';
import { binomial, combinations } from '../kernels/combinations.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';

/** Vectors a passage may have; (10, 5) makes 252. */
const MOST_DATABASES = 300;

/**
 * Retrieves the passages that most of C(N, k) databases name, each database made of the texts of `combine` of a passage's `fragments`, put together
 * and encoded. The baseline that `ragpart` is compared with: one poisoned fragment poisons the whole text it is put into. An empty store gives
 * nothing; a passage without text is not found; equal votes go by mean score over the databases, then id.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation, section 3.1, after Sun et al. 2022, https://arxiv.org/abs/2512.24268. Reference code: none.
 * Deviations: as `ragpart` where the paper leaves things open (unit of fragments, short texts, p, similarity, ties, empty intersections). Texts are put together with a space. The paper's Table 13
 *   contradicts its Tables 14 and 16; compare with the latter.
 *
 * @param options.fragments - N, 1 to 20 fragments a passage. Default 5 (the paper's).
 * @param options.combine - k, 1 to N fragments a database. Default 3 (the paper's).
 * @param options.aggregate - `vote`: most databases first; `intersection`: only what all of them name. Default vote.
 * @param options.places - p, 1 to 1000 passages that each database names. Default as many as are asked for.
 * @param options.topUp - With intersection: fill up by votes instead of returning fewer, or a draw. Default off.
 * @param options.split - `tokens`, or `sentences`: fragments begin at the sentences nearest to where they would. Default tokens.
 * @param context - Encoder at ingest; seed of the draw, `approximate` and signal at query time.
 * @returns At most `keep` passages; the score is votes; evidence is votes, databases, mean score.
 * @throws {BezoarError} `INVALID_OPTION` when more is combined than there is, above 300 databases, or for an option out of range; `SHAPE_MISMATCH` from a store without the databases; `ABORTED`.
 *
 * Cost: at ingest C(N, k) texts of k / N of the length encoded instead of one, as many vectors stored (4 C(N, k) d bytes a passage: ten for the default). A query is C(N, k) searches.
 * Deterministic given `context.seed`.
 * Assumes: poison is in few fragments. Fails when: any fragment of a combination carries the question, which is what every poison does: the paper measures hardly any effect by votes.
 *
 * @example
 * const defense = naiveCombination({ fragments: 3, combine: 2 });
 * defense.vectorNames; // ['combination-0', 'combination-1', 'combination-2']
 */
export const naiveCombination = defineIndexDefense({
  name: 'naive-combination',
  summary: 'Retrieves what most databases of texts put together from fragments name: the baseline of ragpart.',
  source: {
    authors: 'Pathmanathan et al.',
    year: 2025,
    title: 'RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation',
    section: '3.1',
    url: 'https://arxiv.org/abs/2512.24268',
  },
  options: FRAGMENT_OPTIONS,
  make(options) {
    checkFragmentOptions('naive-combination', options);
    const { fragments: n, combine } = options;
    const databases = binomial(n, combine);
    if (databases > MOST_DATABASES) {
      throw new BezoarError(
        'INVALID_OPTION',
        `naive-combination: ${combine} of ${n} fragments are ${databases} vectors a passage, at most ${MOST_DATABASES}; take fewer fragments, or ragpart, which stores one a fragment`,
        { details: { field: 'combine', expected: `at most ${MOST_DATABASES} combinations` } },
      );
    }
    const subsets = Array.from({ length: databases }, (_, i) => combinations(n, combine).subarray(i * combine, (i + 1) * combine));
    const names = subsets.map((_, i) => `combination-${i}`);
    return {
      vectorNames: names,

      async protect(passages, context) {
        const texts = fragmentTexts(passages, options, context).map((fragments) => {
          if (fragments.length === 0) return [];
          return subsets.map((subset) => Array.from(subset, (member) => fragments[member % fragments.length]!).join(' '));
        });
        const vectors = (await encodeTexts(texts.flat(), context)).values();
        return texts.map((combined) => {
          const made = combined.map((_, i) => [names[i]!, vectors.next().value!] as const);
          return Object.fromEntries(made.filter(([, vector]) => isUsable(vector)));
        });
      },

      async retrieve({ vector, keep }, store, { approximate, seed, signal }) {
        const places = options.places ?? keep;
        const votes = new Map<string, number>();
        for (const name of names) {
          const hits = await store.search({ name, vector, k: places, exact: !approximate, ...(signal ? { signal } : {}) });
          for (const { id } of hits) votes.set(id, (votes.get(id) ?? 0) + 1);
        }
        const ids = [...votes.keys()].sort((a, b) => (a < b ? -1 : 1));
        const records = await store.fetch(ids, { vectors: names });
        const similarity = store.shape.similarity === 'cosine' ? cosineSimilarity : innerProduct;
        const tallies = ids.map((id, i) => {
          const made = Object.values(records[i]?.vectors ?? {});
          return {
            id,
            votes: votes.get(id)!,
            mean: made.reduce((sum, other) => sum + similarity(vector, other), 0) / Math.max(1, made.length),
          };
        });
        return { hits: aggregateVotes(tallies, databases, keep, options, seed), exact: !approximate, encoded: 0 };
      },
    };
  },
});
