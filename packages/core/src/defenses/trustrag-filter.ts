import { defineDefense, type Judgement } from '../core/define-defense.ts';
import { option } from '../core/options.ts';
import type { Encoder } from '../core/ports.ts';
import { cosineMatrix, gramMatrix } from '../kernels/gram-matrix.ts';
import { createRandom } from '../kernels/random.ts';
import { rougeLAbove } from '../kernels/rouge-l.ts';
import { standardizeRows } from '../kernels/standardize-rows.ts';
import { twoMeans } from '../kernels/two-means.ts';
import type { JsonObject } from '../types.ts';

/** A literal in the released code, which embeds with SimCSE; the paper has no number. */
const RELEASED_DENSITY = 0.88;

/** Tokens that ROUGE reads of all passages together, so that hostile ones cost at most about a tenth of a second. */
const MAX_TOKENS = 50_000;

/** Tokens that it reads of one passage. */
const MAX_TOKENS_EACH = 2000;

/** Passages named in the evidence of a verdict. */
const NAMED_PASSAGES = 3;

/** What stands against a passage; the first two leave it in. */
const SUSPICION = { kept: 0, 'dense-representative': 0.5, 'lone-cluster': 0.5, 'shared-wording': 1, 'dense-cluster': 1 } as const;
type Finding = keyof typeof SUSPICION;

const trustragFilterOptions = {
  mode: option.choice(
    ['resolved', 'repo'],
    'resolved',
    'resolved mends what the released code gets wrong (see the reference); repo does what that code does wherever it is defined.',
  ),
  density: option.nullable(
    option.number(RELEASED_DENSITY, 'Mean cosine above which a cluster counts as dense.', { min: -1, max: 1 }),
    "the encoder's calibrated density in mode=resolved, else 0.88",
  ),
  rouge: option.number(0.25, 'ROUGE-L F1 above which two passages share their wording.', { min: 0, max: 1 }),
  gate: option.flag(true, 'Remove nothing unless some two passages share their wording.'),
  unicode: option.flag(
    false,
    'Compare words of every script; the released code compares only a-z and 0-9, so that other scripts have none.',
  ),
};

/** What the rules see of the pool; positions count from 0 in retrieval order. */
interface Pool {
  readonly n: number;
  readonly cosines: Float64Array;
  /** 1 where two passages share their wording. */
  readonly above: Uint8Array;
  readonly density: number;
}

interface Cluster {
  /** In retrieval order. The first cluster has the first passage. */
  readonly members: readonly number[];
  /** Mean cosine of its pairs; null for a cluster of one. */
  readonly mean: number | null;
}

/**
 * Drops what lies in a dense cluster of embeddings, and passages that share their wording, when some of the pool do share wording;
 * otherwise everything goes on, as it does for fewer than two passages. What goes on keeps the retriever's order. Of two passages the
 * second is dropped if they are dense and share their wording. Passages with one and the same embedding are one cluster.
 *
 * Poisoned passages for one question say the same thing in about the same words. The rows are standardised, brought to unit length and
 * split by 2-means; a cluster is dense when the mean cosine of its pairs (as given, not standardised) is above `density`.
 *
 * mode=resolved: of a dense cluster the first passage stays as its representative (true news that many carry is dense too) and the rest
 * goes; a second dense cluster, or a single passage, whose first passage has a cosine above `density` to the representative belongs to
 * it. Where both clusters have two or more passages, those of a cluster that is not dense go when they share wording within it. A single
 * passage otherwise stays, and with it the cluster beside it.
 * mode=repo: of two dense clusters nothing stays, of one nothing of it; a cluster that is not dense goes through the released filter of
 * shared wording; a single passage is dropped beside a cluster that is not dense, and alone stays beside one that is.
 *
 * Source: Zhou et al. 2025, TrustRAG: Enhancing Robustness and Trustworthiness in RAG, section 3.3, https://arxiv.org/abs/2501.00879.
 * Reference code: HuichiZhou/TrustRAG defend_module.py, `k_mean_filtering`, `group_n_gram_filtering`.
 * Deviations: the paper prints no threshold; both are literals of the code. The paper keeps a single malicious passage for its second
 * stage, the code drops it unless the gate is shut: mode=resolved keeps it. The code misses passages of a second group that share wording
 * and keeps no representative: mode=resolved does both. In both modes 2-means is exact up to 16 passages, where the code takes the best of
 * ten starts, and the retriever's order is kept, where the code returns one cluster after the other. Where the code raises or depends on
 * which cluster it calls 1 (fewer than three passages, one embedding for all) the rules of mode=resolved hold; a mean equal to the density
 * is not above it, where the code drops the denser cluster. Like the code, both modes may return nothing: the language model then has no
 * passage to read, and TrustRAG falls back on what it knows.
 *
 * @param options.mode - `resolved` or `repo`. Default resolved.
 * @param options.density - Cosine, -1 to 1; a cluster is dense when its mean is above. Default: with mode=resolved the density
 *   calibrated for the encoder, where it has one; else 0.88 (a literal in the released code). The evidence says which.
 * @param options.rouge - ROUGE-L F1, 0 to 1; a pair shares its wording when it is above. Default 0.25 (a literal in the released code).
 * @param options.gate - Whether shared wording is a condition for removing anything. Default on; the paper's ablation turns it off.
 * @param options.unicode - Whether ROUGE reads words of every script. Default off, as the released code.
 * @returns One verdict per passage, in input order. `score` is the mean cosine of the passage's cluster, null alone in one or where the
 *   gate kept the pool from being clustered. `suspicion` is 1 for a dense cluster or shared wording, 0.5 for the representative of a
 *   dense cluster and for a single passage that mode=repo drops, else 0.
 * @throws {BezoarError} `NEEDS_EMBEDDINGS`; `SHAPE_MISMATCH`; `DUPLICATE_ID`; `ABORTED`.
 *
 * Cost: O(characters + n^2 (w^2 / 32 + d) + n 2^(n-1)) for w words and d dimensions, above 16 passages without the power of two; n
 * encodings where no embeddings are given. ROUGE reads the first 2,000 tokens of a passage, fewer (50,000 / n) above 25 passages.
 * Deterministic given `context.seed`, which only matters above 16 passages.
 * Assumes: several poisoned passages for one question, alike in meaning and wording, and benign ones that differ. Fails when: there is
 * one poisoned passage; the benign ones are near-copies and the poisoned one is not; long texts keep poisoned passages below the gate.
 *
 * @example
 * const texts = ['q? it is bob by all accounts', 'q? it is bob by all reports', 'ann won'];
 * const embeddings = [[1, 0], [0.99, 0.1], [0, 1]].map((row) => Float32Array.from(row));
 * const passages = texts.map((text, index) => ({ text, embedding: embeddings[index]! }));
 * const result = await trustragFilter().run(createRetrieval('q?', passages), createRunContext());
 * result.passages.map(({ id }) => id); // ['p1', 'p3']
 */
export const trustragFilter = defineDefense({
  name: 'trustrag-filter',
  summary: 'Drops passages in a dense cluster of embeddings, and those that share their wording, where some of the pool do.',
  kind: 'filter',
  source: {
    authors: 'Zhou et al.',
    year: 2025,
    title: 'TrustRAG: Enhancing Robustness and Trustworthiness in RAG',
    section: '3.3',
    url: 'https://arxiv.org/abs/2501.00879',
  },
  setLevel: true,
  options: trustragFilterOptions,
  reasons: {
    'no-shared-wording': {
      meaning: 'no two passages share their wording, so none was removed',
      sentence: ({ rouge }) => `no two passages share their wording (ROUGE-L above ${String(rouge)}), so none was removed`,
    },
    'dense-cluster': {
      meaning: 'lies in a cluster of passages that say nearly the same',
      sentence: (evidence) => `says nearly the same as other passages, ${cosineOf(evidence)}`,
    },
    'dense-representative': {
      meaning: 'is the first of a cluster of passages that say nearly the same, and stands for them',
      sentence: (evidence) => `stands for passages that say nearly the same, ${cosineOf(evidence)}`,
    },
    'shared-wording': {
      meaning: 'shares its wording with another passage of its cluster',
      sentence: ({ rouge, sharesWith }) =>
        `shares its wording (ROUGE-L above ${String(rouge)}) with ${(sharesWith as readonly string[]).join(', ')}`,
    },
    'lone-cluster': {
      meaning: 'is alone in its cluster beside one that is not dense; the released code drops it',
    },
  },
  needs: () => ['embeddings'],
  run: ({ passages, texts, embeddings, encoder }, options, context) => {
    const n = passages.length;
    const { rouge } = options;
    const maxTokens = Math.min(MAX_TOKENS_EACH, Math.floor(MAX_TOKENS / Math.max(n, 1)));
    const above = rougeLAbove(texts, rouge, { unicode: options.unicode, maxTokens });
    if (n < 2 || (options.gate && !above.includes(1))) {
      return { judgements: passages.map(() => judgement(n < 2 ? 'kept' : 'no-shared-wording', 0, null, { rouge })) };
    }
    const { density, densityFrom } = densityOf(options, encoder);
    const pool: Pool = { n, above, density, cosines: cosineMatrix(gramMatrix(embeddings), n) };
    const clusters = n === 2 ? clusterPair(pool) : cluster(pool, embeddings, context.seed);
    const findings = options.mode === 'repo' ? findAsReleased(pool, clusters) : findResolved(pool, clusters);
    const clusterOf = passages.map((_, index) => clusters.find(({ members }) => members.includes(index))!);
    return {
      judgements: passages.map((_, index) => {
        const finding = findings[index];
        const { members, mean } = clusterOf[index];
        const sharesWith = (): string[] =>
          members
            .filter((other) => above[index * n + other] === 1)
            .slice(0, NAMED_PASSAGES)
            .map((other) => passages[other].id);
        return judgement(finding, SUSPICION[finding], mean, {
          density,
          densityFrom,
          rouge,
          cluster: { size: members.length, meanCosine: mean },
          ...(finding === 'shared-wording' ? { sharesWith: sharesWith() } : {}),
        });
      }),
    };
  },
});

function judgement(finding: Finding | 'no-shared-wording', suspicion: number, score: number | null, evidence: JsonObject): Judgement {
  const action = finding === 'dense-cluster' || finding === 'shared-wording' || finding === 'lone-cluster' ? 'drop' : 'keep';
  return { action, score, suspicion, reason: finding, evidence };
}

function cosineOf({ cluster, density }: JsonObject): string {
  const { size, meanCosine } = cluster as { readonly size: number; readonly meanCosine: number | null };
  return meanCosine === null
    ? `with a cosine above ${String(density)} to theirs`
    : `${size} in its cluster with a mean cosine of ${meanCosine.toFixed(2)}, above ${String(density)}`;
}

function densityOf(
  options: { readonly mode: string; readonly density: number | null },
  encoder: Encoder | null,
): { readonly density: number; readonly densityFrom: string } {
  if (options.density !== null) return { density: options.density, densityFrom: 'option' };
  if (options.mode === 'resolved' && encoder?.calibration) return { density: encoder.calibration.density, densityFrom: 'calibration' };
  return { density: RELEASED_DENSITY, densityFrom: 'released-code' };
}

function makeCluster({ n, cosines }: Pool, members: readonly number[]): Cluster {
  let sum = 0;
  let pairs = 0;
  for (const [position, i] of members.entries()) {
    for (const j of members.slice(position + 1)) {
      sum += cosines[i * n + j];
      pairs++;
    }
  }
  return { members, mean: pairs === 0 ? null : sum / pairs };
}

function cluster(pool: Pool, embeddings: readonly Float32Array[], seed: number): Cluster[] {
  const { n } = pool;
  const width = embeddings[0].length;
  const flat = standardizeRows(embeddings);
  const rows = embeddings.map((_, index) => flat.subarray(index * width, (index + 1) * width));
  const { labels } = twoMeans(gramMatrix(rows), n, createRandom(seed));
  return [0, 1]
    .map((label) => embeddings.flatMap((_, index) => (labels[index] === label ? [index] : [])))
    .filter((members) => members.length > 0)
    .map((members) => makeCluster(pool, members));
}

/** Two points are always two clusters of one, so the pair itself is judged: one cluster if it is suspicious in both ways. */
function clusterPair(pool: Pool): Cluster[] {
  const together = pool.above[1] === 1 && pool.cosines[1] > pool.density;
  return together ? [makeCluster(pool, [0, 1])] : [makeCluster(pool, [0]), makeCluster(pool, [1])];
}

const isDense = ({ mean }: Cluster, { density }: Pool): boolean => mean !== null && mean > density;

/** Whether the first passages of two clusters are as close as those within a dense one. */
const areClose = (a: Cluster, b: Cluster, { n, cosines, density }: Pool): boolean => cosines[a.members[0] * n + b.members[0]] > density;

function findResolved(pool: Pool, clusters: readonly Cluster[]): Finding[] {
  const { n, above } = pool;
  const findings = new Array<Finding>(n).fill('kept');
  const dense = clusters.filter((one) => isDense(one, pool));
  const [first, second] = clusters;
  // A second cluster that is not dense joins a dense one only where it is a single passage: a mean of its own speaks for it.
  const joined =
    first &&
    second &&
    dense.length > 0 &&
    areClose(first, second, pool) &&
    clusters.every((one) => isDense(one, pool) || one.mean === null);
  const groups = joined ? [[...first.members, ...second.members]] : dense.map(({ members }) => members);
  for (const group of groups) {
    for (const index of group) findings[index] = 'dense-cluster';
    findings[group[0]] = 'dense-representative';
  }
  if (clusters.some(({ mean }) => mean === null)) return findings;
  for (const { members } of clusters.filter((one) => !isDense(one, pool))) {
    for (const i of members) if (members.some((j) => above[i * n + j] === 1)) findings[i] = 'shared-wording';
  }
  return findings;
}

function findAsReleased(pool: Pool, clusters: readonly Cluster[]): Finding[] {
  const [first, second] = clusters;
  if (!first || !second || pool.n === 2) return findResolved(pool, clusters);
  const findings = new Array<Finding>(pool.n).fill('kept');
  const drop = ({ members }: Cluster, finding: Finding): void => {
    for (const index of members) findings[index] = finding;
  };
  const single = first.mean === null ? first : second.mean === null ? second : null;
  if (single) {
    const other = single === first ? second : first;
    if (!isDense(other, pool)) {
      drop(single, 'lone-cluster');
      return findings;
    }
    drop(other, 'dense-cluster');
    if (areClose(first, second, pool)) drop(single, 'dense-cluster');
    return findings;
  }
  // Which cluster is the denser, as the code asks, matters only for a mean equal to the density; here that is not dense.
  for (const one of clusters) {
    if (isDense(one, pool)) drop(one, 'dense-cluster');
    else for (const index of sharingAsReleased(pool, one.members)) findings[index] = 'shared-wording';
  }
  return findings;
}

/** The released filter of shared wording: each passage takes at most one later one with it, and only the first that did is compared to. */
function sharingAsReleased({ n, above }: Pool, members: readonly number[]): Set<number> {
  const sharing = new Set<number>();
  let reference: number | null = null;
  for (const [position, index] of members.entries()) {
    if (sharing.has(index)) continue;
    const partner = members.slice(position + 1).find((later) => above[index * n + later] === 1);
    if (partner !== undefined) {
      sharing.add(index).add(partner);
      reference ??= index;
    }
    if (reference !== null && above[index * n + reference] === 1) sharing.add(index);
  }
  return sharing;
}
