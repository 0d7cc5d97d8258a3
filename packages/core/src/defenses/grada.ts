import { defineDefense, type Judgement, type StageInput, type StageOutcome } from '../core/define-defense.ts';
import { type OptionValues, option } from '../core/options.ts';
import type { RunContext } from '../core/run-context.ts';
import { BezoarError } from '../errors.ts';
import { type Bm25Similarity, bm25Similarity } from '../kernels/bm25.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { cosineMatrix, gramMatrix } from '../kernels/gram-matrix.ts';
import { pageRank } from '../kernels/page-rank.ts';
import { rankOrder } from '../kernels/rank-order.ts';
import type { JsonObject } from '../types.ts';

/** A weight this small beside the largest similarity is rounding of zero; as a node's only edge it would decide the node's whole row. */
const NEGLIGIBLE = 1e-9;

/** More passages than this are not compared by a cross-encoder, which takes one model pass an ordered pair: 4,032 here. */
const MAX_CROSS_ENCODED = 64;

const gradaOptions = {
  weights: option.choice(
    ['hybrid', 'embedding', 'bm25'],
    'hybrid',
    "Edge weights: hybrid takes off a pair's similarity what the question explains (HRSIM); embedding and bm25 are the plain similarity (D2DSIM).",
  ),
  similarity: option.text(
    'bm25',
    'What hybrid measures with; without effect on weights=embedding and weights=bm25, which name their measure themselves.',
    'bm25 | embedding | cross-encoder | the SPEC of an encoder',
  ),
  alpha: option.number(0.4, "Share of both passages' similarity to the question that hybrid takes off their similarity to each other.", {
    min: 0,
  }),
  damping: option.number(0.85, 'Share of a score that comes over edges; the rest is the same for all (see initial).', {
    min: 0,
    max: 0.99,
  }),
  initial: option.choice(
    ['uniform', 'query'],
    'uniform',
    'How the rest is shared out: equally, or by similarity to the question (found worse by the paper).',
  ),
  statistics: option.choice(
    ['single-document', 'pool', 'corpus'],
    'single-document',
    "Where BM25 takes the rarity of words and the mean length from: nowhere (all words count alike, as in the released code), the pool, or the run's bm25Corpus.",
  ),
  componentCorrection: option.flag(
    false,
    'Multiply scores by the size of the connected component, so that a few passages linked only to each other do not rank with the many.',
  ),
};

type Options = OptionValues<typeof gradaOptions>;
type Measure = 'bm25' | 'embedding' | 'cross-encoder';

/** Row-major n x n similarities of the passages, and n similarities to the question. */
type Similarity = Bm25Similarity;

/**
 * Ranks passages by PageRank in a graph of how much they agree with each other, and lets the best go on: a passage that resembles the
 * question but no other passage comes last. No passages give none; one stays; two tie, as do all passages when nothing links any of them,
 * and a tie keeps the retriever's order.
 *
 * s_i = (1 - d) t_i + d sum over j of s_j w_ij / sum over k of w_jk, with d the damping, t the initial share (uniform: 1/n), and
 * w_ij = max(sim(i, j) - alpha (sim(i, question) + sim(j, question)), 0) for hybrid, max(sim(i, j), 0) else. A passage without an edge
 * hands its score to all by t.
 *
 * Source: Zheng et al. 2025, GRADA: Graph-based Reranker against Adversarial Documents Attack, section 3, https://arxiv.org/abs/2505.07546.
 * Reference code: agrzheng/GRADA grada.py @ a65e7e0.
 * Deviations: t_i where equation 1 prints t_j, and sim(j, question) where the zero-edge condition repeats sim(i, question). Passages
 * without an edge, undefined in the paper, are treated as by networkx, which the code calls; scores are solved for, where the code stops
 * at 1e-6. BM25 has the code's statistics (each text its own index) and direction (the passage searched for in the question). Negative
 * similarities count as 0 both between passages, where the code keeps them, and to the question, where they would reward an edge. Weights
 * below 1e-9 of the largest similarity count as 0. If hybrid leaves no edge at all, alpha counts as 0, since a tie would give the attacker
 * his rank back; if that leaves none either, the retriever's order stands and the evidence says `degenerate`. Ties go by the retriever's
 * rank, where the code's go by text. Given embeddings are used as they are; the code encodes every pair anew. Texts without words are
 * isolated, where the code raises. Exact duplicates are collapsed first, which the paper assumes; `collapseDuplicates=off` does not.
 *
 * @param options.weights - `hybrid` (HRSIM), `embedding` or `bm25` (D2DSIM). Default hybrid.
 * @param options.similarity - For hybrid only: `bm25`, `embedding` (cosine of the embeddings at hand), `cross-encoder` (mean of both
 *   directions; at most 64 passages), or an encoder's SPEC. Default bm25.
 * @param options.alpha - At least 0, no unit. Default 0.4 (the paper's choice).
 * @param options.damping - 0 to 0.99, no unit. Default 0.85 (the paper's).
 * @param options.initial - `uniform` or `query` (the paper's appendix C.2). Default uniform.
 * @param options.statistics - `single-document`, `pool`, or `corpus`, which needs `bm25Corpus` in the run. Default single-document.
 * @param options.componentCorrection - Scores times component size, made to sum to 1 again. Ours; default off, as in the paper.
 * @param options.keep - How many passages go on, at least 1. Default: the policy's; the paper keeps 5 of 10.
 * @returns One verdict per passage, in input order. `score` is the PageRank; those of the passages judged sum to 1. `suspicion` is
 *   max(0, 1 - n score): 0 for an equal share or more, near 1 for a passage that nothing links to.
 * @throws {BezoarError} `NEEDS_EMBEDDINGS`, `NEEDS_CROSS_ENCODER` when the measure's vectors or model are missing; `INVALID_OPTION` when
 *   statistics=corpus and the run has no `bm25Corpus`; `ENCODER_FAILED` when a cross-encoder skips pairs; `TOO_LARGE` above its bound;
 *   `DUPLICATE_ID`; `SHAPE_MISMATCH`; `ABORTED`.
 *
 * Cost: O(characters + n^2 w + n^3 / 3) for w words in common, the cube up to 50 passages and sweeps of n^2 above; 0 model calls, or
 * n encodings, or n^2 cross-encoder pairs. Deterministic.
 * Assumes: most of the pool is benign and agrees with itself; a poisoned passage wins its rank by resembling the question. Fails when:
 * poisoned passages reach half the pool, or agree with the benign ones, or (without componentCorrection) agree only with each other: a
 * component's mean score is 1/n whatever its size. Longer passages score higher.
 *
 * @example
 * const result = await grada({ keep: 2 }).run(createRetrieval('who?', ['ann won the cup', 'the cup went to ann', 'who? bob']), createRunContext());
 * result.passages.map(({ id }) => id); // ['p1', 'p2']
 */
export const grada = defineDefense({
  name: 'grada',
  summary: 'Ranks passages by PageRank in a graph of how much they agree with each other beyond the question itself.',
  kind: 'rerank',
  source: {
    authors: 'Zheng et al.',
    year: 2025,
    title: 'GRADA: Graph-based Reranker against Adversarial Documents Attack',
    section: '3',
    url: 'https://arxiv.org/abs/2505.07546',
  },
  setLevel: true,
  options: gradaOptions,
  reasons: {
    'supported-in-graph': {
      meaning: 'agrees with other passages enough to be among those that go on',
      sentence: (evidence) => `agrees most with ${named(evidence)}`,
    },
    'low-in-graph': {
      meaning: 'agrees less with the other passages than those that go on do',
      sentence: (evidence) => `agrees less with the other passages than those that go on, most with ${named(evidence)}`,
    },
    'isolated-in-graph': {
      meaning: 'no other passage agrees with it, beyond what the question explains',
    },
    'no-graph': {
      meaning: "no two passages agree in anything, so the retriever's order stands",
    },
  },
  needs: (options) => {
    const measure = measureOf(options);
    if (measure === 'cross-encoder') return ['cross-encoder'];
    if (measure === 'bm25') return [];
    return readsQuestion(options) ? ['embeddings', 'query-embedding'] : ['embeddings'];
  },
  encoder: ({ weights, similarity }) =>
    weights !== 'hybrid' || similarity === 'bm25' || similarity === 'embedding' || similarity === 'cross-encoder' ? null : similarity,
  run: (input, options, context) => {
    const measure = measureOf(options);
    if (measure === 'cross-encoder') return crossEncoded(input, context).then((similarity) => rank(input, options, similarity));
    return rank(input, options, measure === 'bm25' ? inWords(input, options, context) : inEmbeddings(input, options));
  },
});

function measureOf({ weights, similarity }: Pick<Options, 'weights' | 'similarity'>): Measure {
  if (weights !== 'hybrid') return weights;
  return similarity === 'bm25' || similarity === 'cross-encoder' ? similarity : 'embedding';
}

/** Plain similarity with an equal start never looks at the question. */
const readsQuestion = ({ weights, initial }: Pick<Options, 'weights' | 'initial'>): boolean => weights === 'hybrid' || initial === 'query';

function inWords({ texts, query }: StageInput, options: Options, context: RunContext): Similarity {
  if (options.statistics !== 'corpus') return bm25Similarity(texts, query.text, { statistics: options.statistics });
  if (!context.bm25Corpus) {
    throw new BezoarError(
      'INVALID_OPTION',
      'grada: statistics is "corpus" and the run has no bm25Corpus; pass one (at the command line: --corpus)',
      {
        details: { field: 'statistics' },
      },
    );
  }
  return bm25Similarity(texts, query.text, { statistics: context.bm25Corpus });
}

function inEmbeddings({ embeddings, queryEmbedding }: StageInput, options: Options): Similarity {
  const n = embeddings.length;
  const query = new Float64Array(n);
  if (queryEmbedding && readsQuestion(options)) for (let i = 0; i < n; i++) query[i] = cosineSimilarity(embeddings[i], queryEmbedding);
  return { passages: cosineMatrix(gramMatrix(embeddings), n), query };
}

/** Both directions of every pair are asked for and averaged: a cross-encoder treats its two texts differently. */
async function crossEncoded({ texts, query }: StageInput, context: RunContext): Promise<Similarity> {
  const n = texts.length;
  if (n > MAX_CROSS_ENCODED) {
    throw new BezoarError('TOO_LARGE', `grada: similarity=cross-encoder compares every pair, so of at most ${MAX_CROSS_ENCODED} passages`);
  }
  const pairs: [string, string][] = texts.map((text) => [query.text, text]);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) if (i !== j) pairs.push([texts[i], texts[j]]);
  const given = n === 0 ? [] : await context.crossEncoder!.score(pairs, context.signal ? { signal: context.signal } : {});
  if (given.length !== pairs.length) {
    throw new BezoarError('ENCODER_FAILED', `${context.crossEncoder!.name} returned ${given.length} scores for ${pairs.length} pairs`);
  }
  const scores = given.map((score) => (Number.isFinite(score) ? score : 0));
  const passages = new Float64Array(n * n);
  let position = n;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      passages[i * n + j] += scores[position] / 2;
      passages[j * n + i] += scores[position] / 2;
      position++;
    }
  }
  return { passages, query: Float64Array.from(scores.slice(0, n)) };
}

/** Edge weights, zero on the diagonal; null when there is no edge. */
function edges({ passages, query }: Similarity, n: number, alpha: number): Float64Array | null {
  let largest = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) largest = Math.max(largest, passages[i * n + j]);
  const least = largest * NEGLIGIBLE;
  const weights = new Float64Array(n * n);
  let any = false;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const weight = passages[i * n + j] - alpha * (Math.max(query[i], 0) + Math.max(query[j], 0));
      if (weight > least) {
        weights[i * n + j] = weights[j * n + i] = weight;
        any = true;
      }
    }
  }
  return any ? weights : null;
}

function rank({ passages, keep }: StageInput, options: Options, similarity: Similarity): StageOutcome {
  const n = passages.length;
  const intended = edges(similarity, n, options.weights === 'hybrid' ? options.alpha : 0);
  const weights = intended ?? edges(similarity, n, 0);
  const scores = weights ? scoresOf(weights, n, options, similarity) : new Float64Array(n).fill(1 / n);
  const order = rankOrder(scores).slice(0, keep);
  const kept = new Set(order);
  const note: JsonObject | null = weights ? (intended ? null : { fallback: 'alpha-0' }) : { degenerate: true };
  const judgements = passages.map((_, index): Judgement => {
    const score = scores[index];
    const neighbours = weights ? nearest(weights, n, index) : [];
    const goesOn = kept.has(index);
    const evidence = {
      score,
      uniform: 1 / n,
      neighbours: neighbours.map((other) => ({ id: passages[other].id, weight: weights![index * n + other] })),
    };
    return {
      action: goesOn ? 'keep' : 'drop',
      score,
      suspicion: Math.max(0, 1 - n * score),
      reason: weights
        ? neighbours.length === 0
          ? 'isolated-in-graph'
          : goesOn
            ? 'supported-in-graph'
            : 'low-in-graph'
        : goesOn
          ? 'no-graph'
          : 'beyond-keep',
      evidence: note ? { ...evidence, ...note } : evidence,
    };
  });
  return { judgements, order };
}

function scoresOf(weights: Float64Array, n: number, options: Options, similarity: Similarity): Float64Array {
  const { damping, initial } = options;
  const scores = pageRank(weights, n, initial === 'query' ? { damping, teleport: similarity.query } : { damping });
  if (!options.componentCorrection) return scores;
  const sizes = componentSizes(weights, n);
  const corrected = scores.map((score, index) => score * sizes[index]);
  const total = corrected.reduce((sum, score) => sum + score, 0);
  return corrected.map((score) => score / total);
}

function componentSizes(weights: Float64Array, n: number): Float64Array {
  const sizes = new Float64Array(n);
  for (let start = 0; start < n; start++) {
    if (sizes[start] > 0) continue;
    const members = [start];
    const seen = new Set(members);
    for (const member of members) {
      for (let other = 0; other < n; other++) {
        if (weights[member * n + other] > 0 && !seen.has(other)) {
          seen.add(other);
          members.push(other);
        }
      }
    }
    for (const member of members) sizes[member] = members.length;
  }
  return sizes;
}

/** The three neighbours with the heaviest edges, heaviest first, equal ones by rank; fewer where there are fewer. */
function nearest(weights: Float64Array, n: number, index: number): number[] {
  let [first, second, third] = [-1, -1, -1];
  const row = index * n;
  for (let other = 0; other < n; other++) {
    const weight = weights[row + other];
    if (!(weight > 0)) continue;
    if (first < 0 || weight > weights[row + first]) [third, second, first] = [second, first, other];
    else if (second < 0 || weight > weights[row + second]) [third, second] = [second, other];
    else if (third < 0 || weight > weights[row + third]) third = other;
  }
  return first < 0 ? [] : second < 0 ? [first] : third < 0 ? [first, second] : [first, second, third];
}

function named({ neighbours }: JsonObject): string {
  const ids = (neighbours as readonly { readonly id: string }[]).map(({ id }) => id);
  return ids.length > 1 ? `${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}` : String(ids[0]);
}
