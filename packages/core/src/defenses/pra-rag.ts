import { defineDefense, type Judgement, type StageInput, type StageOutcome } from '../core/define-defense.ts';
import { type OptionValues, option } from '../core/options.ts';
import { type RunContext, throwIfAborted } from '../core/run-context.ts';
import { BezoarError } from '../errors.ts';
import { binomial, MAX_COMBINATIONS, sampleCombinations } from '../kernels/combinations.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { gramMatrix } from '../kernels/gram-matrix.ts';
import {
  type CombinationSpace,
  certifyDeviation,
  combinationView,
  majorityBall,
  passageDistance,
  searchMajorityBall,
} from '../kernels/majority-ball.ts';
import { manhattanMatrix } from '../kernels/manhattan-matrix.ts';
import { createRandom } from '../kernels/random.ts';
import { rankOrder } from '../kernels/rank-order.ts';
import type { Certificate, JsonObject } from '../types.ts';

/** Beyond this an exact selection takes seconds: 20,000 combinations are 400 million pairs. Fifty passages in threes are 19,600. */
const MAX_EXACT = 20_000;

/** Up to here the selection takes milliseconds and is done at once; above it lets others run in between. */
const MAX_AT_ONCE = 1500;

/** Selected passages named in the evidence of a verdict. */
const NAMED_PASSAGES = 8;

/** Most combinations leave most passages out, so being left out says little of a passage. */
const LEFT_OUT = 0.5;

const praRagOptions = {
  subset: option.number(
    3,
    'How many passages go on. Where twice as many are not fewer than the passages, the largest number that is so, at least 1.',
    { min: 1, max: 50, integer: true },
  ),
  corruption: option.number(1, 'How many poisoned passages the certificate speaks of.', { min: 0, max: 1000, integer: true }),
  beta: option.number(2, 'The certified deviation is 1 + beta times the radius; the theorem is about 2.', { min: 0, max: 100 }),
  distance: option.choice(['angular', 'euclidean', 'manhattan'], 'angular', 'How far apart two combinations are.'),
  combination: option.choice(
    ['ordered', 'symmetric'],
    'ordered',
    'Embeddings of a combination one after the other in retrieval order, or their sum, which no order changes (not with manhattan).',
  ),
  bound: option.choice(
    ['strict', 'clamp'],
    'strict',
    'Where the clean combinations are no majority: no numbers, or those of the farthest combination as the released code gives them.',
  ),
  weights: option.choice(
    ['similarity', 'softmax'],
    'similarity',
    "Weights of the selected: in proportion to their cosine with the question, or the softmax of the retriever's relevance (else of the cosine).",
  ),
  samples: option.nullable(
    option.number(200, 'Combinations drawn where there are more; the selection is then a heuristic, and the certificate does not hold.', {
      min: 1,
      max: 5000,
      integer: true,
    }),
    'all combinations',
  ),
};

type Options = OptionValues<typeof praRagOptions>;

interface Selection {
  /** Input positions, in retrieval order. */
  readonly chosen: readonly number[];
  readonly weights: readonly number[];
  readonly weighting: Options['weights'] | 'uniform';
  readonly evidence: JsonObject;
  readonly certificate: Certificate;
}

/**
 * Lets the n passages go on whose combination lies at the centre of the smallest ball over half of all combinations of n, the heaviest
 * first, and certifies how far an attacker can move that centre. No passages give none; one or two go on uncertified; of equal centres
 * the one of the earlier passages wins.
 *
 * A combination is its n embeddings as one vector. While poisoned passages are few, most combinations hold none, and the ball around a
 * majority cannot leave them. Weights are max(0, cosine with the question), made to sum to 1.
 *
 * Source: anonymous 2026, PRA-RAG: Provably Robust Aggregation in RAG against Retrieval Corruption, Algorithms 1 and 2, equation 4,
 * https://arxiv.org/abs/2607.00012. Reference code: simpleaday/PRA-RAG src/models/Mistral.py.
 * Deviations: vectors are joined as in the paper, where the code embeds the joined texts; the median is the paper's, one place earlier
 * than the code's when the number of combinations is odd. What goes on are the selected texts, heaviest first (the paper's PRA-RAG_cat):
 * averaged embeddings cannot be given to a model that takes text. Without a clean majority there is no certificate, where the code takes
 * the farthest combination (`bound=clamp`). Equation 4 has no value when no similarity is positive: weights are then equal. The number of
 * poisoned passages is an assumption, `corruption`, where the code counts them. The paper calls a sampled selection certified, but its
 * theorem needs the optimum: here `holds` stays the majority condition alone, and `reason` says `heuristic-selection`. `padTight` is ours: the radius plus the worst radius that the clean combinations leave the attacker.
 * Exact duplicates are collapsed first, because a copy is a vote; `collapseDuplicates=off` does not.
 *
 * @param options.subset - n, 1 to 50 passages. Default 3 (the paper's).
 * @param options.corruption - Poisoned passages assumed, 0 to 1,000. Default 1 (a fifth of eight, rounded down, as in the paper).
 * @param options.beta - 0 to 100, no unit. Default 2 (the paper's).
 * @param options.distance - `angular` (radians), `euclidean` or `manhattan` (units of the embedding). Default angular.
 * @param options.combination - `ordered`, or `symmetric`, under which re-ordering the pool changes nothing. Default ordered (the paper's).
 * @param options.bound - `strict` or `clamp`. Default strict.
 * @param options.weights - `similarity` (the paper's) or `softmax` (the code's). Default similarity.
 * @param options.samples - 1 to 5,000 combinations. Default: all of them.
 * @returns One verdict per passage, in input order. `score` is the weight, 0 outside the selection; `suspicion` is 0 inside and 0.5 outside.
 *   The certificate's `holds` is the majority condition only; `radius`, `pad` and `padTight` are null when it does not hold, but for
 *   `bound=clamp` (reason `uncertified-clamp`), which gives radius and pad. A sampled selection has them too, with reason
 *   `heuristic-selection` and without `padTight`: no theorem covers it.
 * @throws {BezoarError} `TOO_LARGE` above 20,000 combinations without `samples`, or above 255 passages; `INVALID_OPTION` for manhattan with
 *   symmetric; `NEEDS_EMBEDDINGS`; `DUPLICATE_ID`; `SHAPE_MISMATCH`; `ABORTED`.
 *
 * Cost: O(K^2 d + L^2) for L = K over n combinations of d-dimensional embeddings; 0 model calls, or K + 1 encodings. Deterministic given
 * `context.seed`, which only `samples` uses.
 * Assumes: at most `corruption` of the passages are poisoned, and fewer than half of the combinations hold one of them. Fails when:
 * poisoned passages lie where the clean ones do (the question plays no part in the selection), or are more than assumed. The certificate
 * bounds how far the centre moves, not what an answer says; above pi / 2 radians it excludes next to nothing.
 *
 * @example
 * const result = await praRag({ subset: 2 }).run(createRetrieval('who?', ['ann won', 'ann did', 'it was ann', 'bob', 'ann']), createRunContext({ encoder }));
 * result.passages.length; // 2
 */
export const praRag = defineDefense({
  name: 'pra-rag',
  summary: 'Keeps the combination of passages at the centre of the majority of combinations, and certifies how far it can be moved.',
  kind: 'filter',
  source: {
    authors: 'Anonymous',
    year: 2026,
    title: 'PRA-RAG: Provably Robust Aggregation in Retrieval-Augmented Generation against Retrieval Corruption',
    section: '4',
    url: 'https://arxiv.org/abs/2607.00012',
  },
  setLevel: true,
  options: praRagOptions,
  reasons: {
    'inside-majority': {
      meaning: 'is of the combination of passages nearest to the majority of combinations',
      sentence: (evidence) => `is one of the ${evidence.subset} passages nearest to the majority`,
    },
    'outside-majority': {
      meaning: 'the combination of passages nearest to the majority does not include it',
      sentence: (evidence) => `is not of the combination nearest to the majority, ${(evidence.selected as string[]).join(', ')}`,
    },
    'too-few-to-compare': { meaning: 'one or two passages have no majority among them, so they go on' },
  },
  needs: () => ['embeddings'],
  run: (input, options, context) => {
    const count = input.passages.length;
    if (count === 0) return { judgements: [] };
    if (count < 3) return outcome(input, 'too-few-to-compare', tooFew(input, options));
    const size = Math.min(options.subset, Math.floor((count - 1) / 2));
    const total = binomial(count, size);
    const sampled = options.samples !== null && total > options.samples;
    if (!sampled && total > MAX_EXACT) {
      throw new BezoarError(
        'TOO_LARGE',
        `${count} passages have ${total} combinations of ${size}, at most ${MAX_EXACT} are compared; set samples or pass on fewer passages`,
      );
    }
    const { distance, combination } = options;
    const table = distance === 'manhattan' ? manhattanMatrix(input.embeddings) : gramMatrix(input.embeddings);
    const space: CombinationSpace = { table, count, size, distance, combination };
    const subsets = sampled ? sampleCombinations(count, size, options.samples as number, createRandom(context.seed)) : undefined;
    const view = combinationView(space, subsets);
    const finish = ({ subset, radius }: { readonly subset: Uint8Array; readonly radius: number }): StageOutcome => {
      const whole = sampled ? (total > MAX_COMBINATIONS ? null : combinationView(space)) : view;
      const certificate = certify(whole, subset, options, sampled);
      const facts = { subset: size, combinations: view.total, sampled, majorityRadius: radius };
      return outcome(input, 'inside-majority', select(input, options, [...subset], facts, certificate), space);
    };
    return view.total <= MAX_AT_ONCE ? finish(majorityBall(view)) : inPortions(view, context).then(finish);
  },
});

async function inPortions(view: ReturnType<typeof combinationView>, context: RunContext): Promise<ReturnType<typeof majorityBall>> {
  const search = searchMajorityBall(view);
  for (;;) {
    const step = search.next();
    if (step.done) return step.value;
    await new Promise((resolve) => setTimeout(resolve));
    throwIfAborted(context);
  }
}

function uncertified(options: Options, reason: string): Certificate {
  return { mechanism: 'pra-rag', corruption: options.corruption, holds: false, reason, radius: null, pad: null, padTight: null };
}

function certify(view: ReturnType<typeof combinationView> | null, centre: Uint8Array, options: Options, sampled: boolean): Certificate {
  if (!view) return uncertified(options, 'too-many-combinations');
  const { holds, ...numbers } = certifyDeviation(view, centre, { ...options, tight: !sampled });
  const missing = options.bound === 'clamp' ? 'uncertified-clamp' : 'majority-assumption';
  const reason = holds ? (sampled ? 'heuristic-selection' : null) : missing;
  return { ...uncertified(options, ''), holds, reason, ...numbers };
}

function tooFew(input: StageInput, options: Options): Selection {
  return select(input, options, [...input.passages.keys()], {}, uncertified(options, 'too-few-passages'));
}

function select(input: StageInput, options: Options, chosen: readonly number[], facts: JsonObject, certificate: Certificate): Selection {
  const { weights, weighting } = weigh(input, options, chosen);
  const selected = chosen.slice(0, NAMED_PASSAGES).map((position) => input.passages[position].id);
  return { chosen, weights, weighting, certificate, evidence: { ...facts, selected, weights: weighting } };
}

function weigh(
  { passages, embeddings, queryEmbedding }: StageInput,
  options: Options,
  chosen: readonly number[],
): Pick<Selection, 'weights' | 'weighting'> {
  const cosines = queryEmbedding && chosen.map((position) => cosineSimilarity(embeddings[position], queryEmbedding));
  let raw: readonly number[] = [];
  if (options.weights === 'softmax') {
    const relevances = chosen.map((position) => passages[position].relevance ?? Number.NaN);
    const logits = relevances.every(Number.isFinite) ? relevances : (cosines ?? []);
    const largest = Math.max(...logits);
    raw = logits.map((logit) => Math.exp(logit - largest));
  } else if (cosines) raw = cosines.map((cosine) => Math.max(0, cosine));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  if (total > 0) return { weights: raw.map((weight) => weight / total), weighting: options.weights };
  return { weights: chosen.map(() => 1 / chosen.length), weighting: 'uniform' };
}

function outcome(input: StageInput, reason: string, selection: Selection, space?: CombinationSpace): StageOutcome {
  const { chosen, weights, evidence, certificate } = selection;
  const judgements = input.passages.map((_, position): Judgement => {
    const place = chosen.indexOf(position);
    const others = chosen.filter((other) => other !== position);
    const distances = space ? others.map((other) => passageDistance(space, position, other)) : [];
    const facts =
      distances.length === 0 ? evidence : { ...evidence, meanDistance: distances.reduce((a, b) => a + b, 0) / distances.length };
    return place < 0
      ? { action: 'drop', score: 0, suspicion: LEFT_OUT, reason: 'outside-majority', evidence: facts }
      : { action: 'keep', score: weights[place], suspicion: 0, reason, evidence: facts };
  });
  return { judgements, order: rankOrder(weights).map((place) => chosen[place]), certificate };
}
