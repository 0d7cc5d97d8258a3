import { defineIndexDefense, encodeTexts } from '../core/define-index-defense.ts';
import {
  aggregateVotes,
  checkFragmentOptions,
  FRAGMENT_OPTIONS,
  fragmentTexts,
  innerProduct,
  isUsable,
  type Tally,
} from '../core/fragment-index.ts';
import type { IndexContext, IndexQuery } from '../core/index-defense.ts';
import { option } from '../core/options.ts';
import type { VectorStore } from '../core/store-port.ts';
import { BezoarError } from '../errors.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { countFragmentVotes } from '../kernels/fragment-votes.ts';
import { gramMatrix } from '../kernels/gram-matrix.ts';

/** Up to so many passages a store is looked at whole where nothing less is known to be exact. */
const WHOLE = 5000;

const ragpartOptions = {
  ...FRAGMENT_OPTIONS,
  normalize: option.flag(false, "Bring every fragment's vector to unit length, so that none outweighs the others."),
  similarity: option.choice(
    ['native', 'mean'],
    'native',
    "Compares the mean of fragments as the store compares, or takes the mean of the fragments' own similarities.",
  ),
  depth: option.nullable(
    option.number(200, "How many passages each fragment's search brings for the vote.", { min: 1, max: WHOLE, integer: true }),
    'one in a hundred, from 200 to 1000',
  ),
};

/** Passages compared between two pauses, about 5 ms. */
const CHUNK = 2000;

interface Count {
  readonly tallies: readonly Tally[];
  readonly databases: number;
  readonly exact: boolean;
}

interface Candidates {
  /** Ascending. */
  readonly ids: readonly string[];
  /** The score of the last passage of each list; null where a list ended before the depth, so that every passage was seen. */
  readonly ceilings: Float64Array | null;
}

/**
 * Retrieves the passages that most of many databases name, each database made of the mean of `combine` of a passage's `fragments`: poison that
 * sits in few fragments is in few databases alone. An empty store gives nothing; fewer passages than asked for give all that any database names;
 * a passage without text has no fragments and is not found; equal votes go by mean fragment score, then id.
 *
 * The C(N, k) databases are never made: only the N fragments are stored, and the votes are those that the databases would give (kernel
 * `fragment-votes`). Each fragment's own search brings `depth` passages; among them the votes are exact, and `exact` says whether no other
 * passage could have been in any list: by inner product from the score at which each search ended, by cosine when every passage was seen or
 * `combine` is 1. Without an approximate index the searches go deeper until that holds or they have brought 5,000 passages each; by the cosine of means a store
 * of at most 5,000 passages is looked at whole, and one of more is answered from `depth` with `exact` false.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation, section 3.1 and appendix C, https://arxiv.org/abs/2512.24268. Reference code: none.
 * Deviations: fragments are counted in the encoder's tokens, at floor(i T / N), over the whole text and not only its first window (the paper names no unit). A text of fewer
 *   tokens, or with fragments that have no usable vector, reuses those it has, in turn. p is the number of passages asked for (the paper gives none). Similarity is the store's
 *   own. Ties, ubiquitous among so few votes, go by mean fragment score (the paper says nothing). Intersection may give fewer than asked for; only when it is empty, as in the paper,
 *   passages are drawn, seeded, from the union of the lists. The paper's robustness condition is no certificate and is not reported with answers: `bezoar theory ragpart`.
 *
 * @param options.fragments - N, 1 to 20 fragments a passage. Default 5 (the paper's). 1 is plain retrieval.
 * @param options.combine - k, 1 to N fragments a database. Default 3 (the paper's). N is one database of the sum of all fragments.
 * @param options.aggregate - `vote`: most databases first; `intersection`: only what all of them name. Default vote (the paper's).
 * @param options.places - p, 1 to 1000 passages that each database names. Default as many as are asked for; fewer give poison fewer votes.
 * @param options.topUp - With intersection: fill up by votes instead of returning fewer, or a draw. Default off.
 * @param options.split - `tokens`, or `sentences`: fragments begin at the sentences nearest to where they would. Default tokens.
 * @param options.normalize - Unit length for every fragment at ingest, against a fragment of huge norm; with `combine` = `fragments` the plain sum of unit fragments. Default off (the paper's).
 * @param options.similarity - `native`: the similarity of the mean, by cosine or inner product as the store has it; `mean`: the mean of the fragments' own similarities, which by cosine is the
 *   inner product with a mean of unit fragments, and exact in stores of any size. By inner product both are the same. Default native.
 * @param options.depth - 1 to 5,000 passages from each fragment's search. Default one in a hundred of the store, from 200 to 1,000; 200 with an approximate index.
 * @param context - Encoder at ingest; seed of the draw, `approximate` and signal at query time.
 * @returns At most `keep` passages; the score is votes; evidence is votes, databases, mean fragment score.
 * @throws {BezoarError} `INVALID_OPTION` when more is combined than there is, or for an option out of range; `SHAPE_MISMATCH` from a store without the fragments; `ABORTED`.
 *
 * Cost: at ingest N short texts encoded instead of one, N vectors stored (4 N d bytes a passage). A query is N searches and m k C(N, k) sums for m passages seen; nothing is encoded.
 * Deterministic given `context.seed`.
 * Assumes: poison is in few fragments, and the encoder sees from a fragment what the passage is about. Fails when: every fragment carries the question (spread or repeated poison), one
 * fragment's vector outweighs the others by inner product without `normalize`, or the corpus is so small that lists fill with passages that have few votes, which any poison beats.
 *
 * @example
 * const defense = ragpart({ fragments: 3, combine: 2 });
 * defense.vectorNames; // ['fragment-0', 'fragment-1', 'fragment-2']
 */
export const ragpart = defineIndexDefense({
  name: 'ragpart',
  summary: 'Retrieves what most databases of averaged fragments name, so that poison in a few fragments is outvoted.',
  source: {
    authors: 'Pathmanathan et al.',
    year: 2025,
    title: 'RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation',
    section: '3.1',
    url: 'https://arxiv.org/abs/2512.24268',
  },
  options: ragpartOptions,
  make(options) {
    checkFragmentOptions('ragpart', options);
    const names = Array.from({ length: options.fragments }, (_, i) => `fragment-${i}`);
    return {
      vectorNames: names,

      async protect(passages, context) {
        const texts = fragmentTexts(passages, options, context);
        const vectors = (await encodeTexts(texts.flat(), context)).values();
        return texts.map((fragments) => {
          const usable = fragments.map(() => vectors.next().value!).filter(isUsable);
          if (usable.length === 0) return {};
          const stored = options.normalize ? usable.map(unit) : usable;
          return Object.fromEntries(names.map((name, i) => [name, stored[i % stored.length]!]));
        });
      },

      async retrieve(query, store, context) {
        // Where there is an index to ask, counting a large table would cost more than the question.
        const count = context.approximate ? 0 : await store.count();
        const cosine = needsLengths(store) && options.combine > 1;
        // By cosine only a look at every passage is exact, so there is no use in looking at some first.
        const whole = cosine && !context.approximate && count <= WHOLE;
        const some = options.depth ?? Math.min(1000, Math.max(200, Math.ceil(count / 100)));
        let depth = whole ? WHOLE + 1 : Math.max(some, options.places ?? query.keep);
        for (;;) {
          const candidates = await search(names, query, store, depth, context);
          const { tallies, databases, exact } = await tally(candidates, query, store, context);
          if (exact || context.approximate || cosine || depth > WHOLE) {
            return {
              hits: aggregateVotes(tallies, databases, query.keep, options, context.seed),
              exact: exact && !context.approximate,
              encoded: 0,
            };
          }
          depth *= 4;
        }
      },
    };

    function needsLengths({ shape }: VectorStore): boolean {
      return shape.similarity === 'cosine' && options.similarity === 'native';
    }

    /** The votes on the candidates, and whether they are those on all passages. */
    async function tally({ ids, ceilings }: Candidates, query: IndexQuery, store: VectorStore, context: IndexContext): Promise<Count> {
      const records = (await store.fetch(ids, { vectors: names })).flatMap((record) => {
        const vectors = record ? names.flatMap((name) => record.vectors[name] ?? []) : [];
        return vectors.length === names.length ? [{ id: record!.passage.id, vectors }] : [];
      });
      const n = options.fragments;
      const cosine = needsLengths(store);
      const similarity = store.shape.similarity === 'cosine' ? cosineSimilarity : innerProduct;
      const products = new Float64Array(records.length * n);
      const grams = new Float64Array(cosine ? records.length * n * n : 0);
      const means: number[] = [];
      for (const [row, { vectors }] of records.entries()) {
        if (row % CHUNK === CHUNK - 1) await breathe(context);
        // With the question as its last row, one Gram matrix has all there is to know of a passage.
        const gram = cosine ? gramMatrix([...vectors, query.vector]) : null;
        let sum = 0;
        for (let i = 0; i < n; i++) {
          const product = gram ? gram[i * (n + 1) + n]! : similarity(vectors[i]!, query.vector);
          products[row * n + i] = product;
          if (gram) grams.set(gram.subarray(i * (n + 1), i * (n + 1) + n), (row * n + i) * n);
          const squares = gram ? gram[i * (n + 2)]! * gram[n * (n + 2)]! : 1;
          sum += squares > 0 ? product / Math.sqrt(squares) : 0;
        }
        // Divided once: scores that add up to nothing must not leave a rest that decides a tie.
        means.push(sum / n);
      }
      const ballot = {
        count: records.length,
        fragments: n,
        combine: options.combine,
        places: options.places ?? query.keep,
        products,
        ...(cosine ? { grams } : {}),
        // The lists of single fragments are the databases themselves.
        ...(ceilings && options.combine > 1 ? { ceilings } : {}),
      };
      const counting = countFragmentVotes(ballot);
      for (;;) {
        const step = counting.next();
        if (!step.done) {
          await breathe(context);
          continue;
        }
        const { votes, databases, exact } = step.value;
        return { tallies: records.map(({ id }, row) => ({ id, votes: votes[row]!, mean: means[row]! })), databases, exact };
      }
    }
  },
});

/** What each fragment's search brings, together. */
async function search(
  names: readonly string[],
  { vector }: IndexQuery,
  store: VectorStore,
  depth: number,
  { approximate, signal }: IndexContext,
): Promise<Candidates> {
  const ids = new Set<string>();
  const ceilings = new Float64Array(names.length);
  let complete = false;
  for (const [i, name] of names.entries()) {
    const hits = await store.search({ name, vector, k: depth, exact: !approximate, ...(signal ? { signal } : {}) });
    for (const { id } of hits) ids.add(id);
    if (hits.length < depth) complete = true;
    else ceilings[i] = hits.at(-1)!.score;
  }
  return { ids: [...ids].sort((a, b) => (a < b ? -1 : 1)), ceilings: complete ? null : ceilings };
}

/** Lets others in, and an abort. */
async function breathe({ signal }: IndexContext): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  if (signal?.aborted) throw new BezoarError('ABORTED', 'aborted by the caller', { cause: signal.reason });
}

function unit(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(innerProduct(vector, vector));
  return vector.map((x) => x / norm);
}
