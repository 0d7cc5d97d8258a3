import { BezoarError } from '../errors.ts';
import { binomial, combinations } from './combinations.ts';
import { kthLargest } from './kth-largest.ts';

/** Relative to the largest closeness there can be: below it two radii differ by rounding only. */
const NEGLIGIBLE = 1e-12;
/** `padTight` looks from every combination at every other; above this many it is not computed. */
const MAX_TIGHT = 1000;

/** What the combinations are made of, and how far apart two of them are. */
export interface CombinationSpace {
  /** K x K, row-major: inner products of the embeddings for `angular` and `euclidean`, their Manhattan distances for `manhattan`. */
  readonly table: Float64Array;
  /** K, the number of passages, in retrieval order. */
  readonly count: number;
  /** n, the passages of a combination. */
  readonly size: number;
  /** `angular` in radians; the others in the embeddings' own unit. */
  readonly distance: 'angular' | 'euclidean' | 'manhattan';
  /** A combination's vector: its embeddings one after the other in retrieval order, or their sum. */
  readonly combination: 'ordered' | 'symmetric';
}

export interface MajorityBall {
  /** The n indices of the centre, ascending. */
  readonly subset: Uint8Array;
  /** Distance from the centre within which lies half of the other combinations. */
  readonly radius: number;
  /** The same distance of every combination, where asked for; otherwise null. */
  readonly radii: Float64Array | null;
}

export interface DeviationBound {
  /** Whether the combinations that no poisoned passage touches are a strict majority. */
  readonly holds: boolean;
  /** null where the majority is missing and `bound` is `strict`. */
  readonly radius: number | null;
  readonly pad: number | null;
  /** null where the majority is missing or there are more than 1,000 combinations. */
  readonly padTight: number | null;
}

/**
 * The combination of n of K passages around which half of all others lie nearest: the centre of the smallest ball over a majority.
 * Equal radii (closeness within 1e-12 of the scale) give the lexicographically smallest indices; a single combination has radius 0.
 *
 * The radius of a combination is the floor(L / 2)-th smallest of its distances to the L - 1 others. A combination vector is never
 * made: its products with others are sums over the table. All comparisons are between closenesses, which fall as distance grows (cosine,
 * minus the squared Euclidean distance, minus the Manhattan distance); only the result becomes a distance.
 *
 * Source: PRA-RAG (anonymous ARR submission 2026), Algorithm 1 steps 2 to 4, https://arxiv.org/abs/2607.00012.
 *
 * @param subsets - Flat rows of n ascending indices in lexicographic order: a sample instead of all C(K, n).
 * @param options.radii - Return every combination's radius too. Default false.
 * @throws {BezoarError} `INVALID_OPTION` for a size outside 1..K, or `manhattan` with `symmetric`, which the table does not determine;
 *   `SHAPE_MISMATCH` when the table is not K x K; `TOO_LARGE` above 200,000 combinations.
 *
 * Cost: O(L^2) time, O(L n) memory.
 */
export function majorityBall(
  space: CombinationSpace,
  subsets: Uint8Array = combinations(space.count, space.size),
  options: { readonly radii?: boolean } = {},
): MajorityBall {
  const view = closenessView(space, subsets);
  const rank = view.total >> 1;
  const radii = options.radii ? new Float64Array(view.total) : null;
  let best = -Infinity;
  let centre = 0;
  for (let candidate = 0; candidate < view.total && rank > 0; candidate++) {
    const row = view.from(view.subset(candidate));
    row[candidate] = -Infinity;
    // Closer than the best so far by more than rounding exactly when `rank` others are; most candidates need no selection.
    const wins = radii !== null || countAbove(row, best + view.slack) >= rank;
    if (!wins) continue;
    const closeness = kthLargest(row, rank);
    if (radii) radii[candidate] = view.distanceOf(closeness);
    if (closeness > best + view.slack) {
      best = closeness;
      centre = candidate;
    }
  }
  return { subset: view.subset(centre).slice(), radius: rank > 0 ? view.distanceOf(best) : 0, radii };
}

/**
 * How far the centre can move, at most, when `corruption` of the K passages are replaced by anything: Algorithm 2, from one centre.
 *
 * `radius` is the distance at place floor(L / 2) + L - C(K - corruption, n), from 0, in the ascending distances from the centre to all L
 * combinations, itself included; `pad` is (1 + beta) times that. It speaks only where C(K, n) < 2 C(K - corruption, n): the untouched
 * combinations are a majority, so two majority balls share one of them. Otherwise the numbers are null, or with `bound: 'clamp'` those of
 * the last place, as the released code prints them, with `holds` false.
 *
 * `padTight` is radius + rho. Whatever set J of passages is replaced, a combination c without any of J keeps a ball of its own radius
 * around a majority, so the new centre's ball is no larger than the smallest such radius; rho is the worst of these over J. It replaces
 * beta by a number of this very pool and holds for the enumerated centre only.
 *
 * Source: PRA-RAG, Algorithm 2 and Theorem 2; `padTight` is ours.
 *
 * @param centre - The indices of the centre, ascending.
 * @param options.tight - Compute `padTight`. Default true; false for a centre that was not found among all combinations.
 * @throws {BezoarError} As `majorityBall`.
 *
 * Cost: O(L) time from the centre; `padTight` O(L^2).
 */
export function certifyDeviation(
  space: CombinationSpace,
  centre: Uint8Array,
  options: { readonly corruption: number; readonly beta: number; readonly bound: 'strict' | 'clamp'; readonly tight?: boolean },
): DeviationBound {
  const { corruption, beta, bound, tight = true } = options;
  const untouched = binomial(space.count - corruption, space.size);
  const holds = binomial(space.count, space.size) < 2 * untouched;
  if (!holds && bound === 'strict') return { holds, radius: null, pad: null, padTight: null };
  const view = closenessView(space, combinations(space.count, space.size));
  const place = Math.min((view.total >> 1) + view.total - untouched, view.total - 1);
  const radiusFrom = (subset: Uint8Array): number => {
    const row = view.from(subset);
    row[view.indexOf(subset)] = view.self;
    return view.distanceOf(kthLargest(row, place + 1));
  };
  const radius = radiusFrom(centre);
  let padTight: number | null = null;
  if (holds && tight && view.total <= MAX_TIGHT) {
    const subsets = Array.from({ length: view.total }, (_, i) => view.subset(i));
    const radii = Float64Array.from(subsets, radiusFrom);
    const nearestFirst = [...radii.keys()].sort((a, b) => radii[a] - radii[b]);
    padTight = radius + worstUntouched(radii, nearestFirst, subsets, [], corruption);
  }
  return { holds, radius, pad: (1 + beta) * radius, padTight };
}

/**
 * The largest, over sets J of `left` more passages, of the smallest radius of a combination without any of J. A J that spares
 * the smallest combination not yet touched can do no better than its radius, so only that combination's members are worth adding.
 */
function worstUntouched(radii: Float64Array, nearestFirst: number[], subsets: Uint8Array[], replaced: number[], left: number): number {
  const spared = nearestFirst.find((index) => !subsets[index].some((passage) => replaced.includes(passage))) as number;
  if (left === 0) return radii[spared];
  let worst = 0;
  for (const passage of subsets[spared]) {
    worst = Math.max(worst, worstUntouched(radii, nearestFirst, subsets, [...replaced, passage], left - 1));
  }
  return worst;
}

function countAbove(values: Float64Array, threshold: number): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > threshold) count++;
  return count;
}

/** The combinations seen from any one of them. */
interface ClosenessView {
  readonly total: number;
  /** Differences of closeness up to this are rounding. */
  readonly slack: number;
  /** The closeness of a combination to itself. */
  readonly self: number;
  subset(index: number): Uint8Array;
  indexOf(subset: Uint8Array): number;
  /** Closeness of every combination to this one; the next call overwrites the array. */
  from(subset: Uint8Array): Float64Array;
  distanceOf(closeness: number): number;
}

/**
 * closeness(a, b) = (base_a + factor_a * sum over slots of table) * scale_b - offset_b. With inner products and lengths |a|, |b|:
 * angular 1 / |a| and 1 / |b| as factors; euclidean 2 a.b - |a|^2 - |b|^2; manhattan minus the sum. The sums of combinations that share
 * their first members share the partial sum: one addition a combination and slot prefix, not n.
 */
function closenessView(space: CombinationSpace, subsets: Uint8Array): ClosenessView {
  const { table, count, size, distance, combination } = space;
  if (!(size >= 1 && size <= count)) throw new BezoarError('INVALID_OPTION', `a combination has 1 to ${count} passages, not ${size}`);
  if (table.length !== count * count)
    throw new BezoarError('SHAPE_MISMATCH', `${count} passages need ${count * count} pairs, not ${table.length}`);
  const symmetric = combination === 'symmetric';
  if (symmetric && distance === 'manhattan') {
    throw new BezoarError('INVALID_OPTION', 'manhattan distances between sums do not follow from distances between passages: use ordered');
  }
  const total = subsets.length / size;
  const subset = (index: number): Uint8Array => subsets.subarray(index * size, (index + 1) * size);

  // Every distinct prefix of each length: the prefix it extends, and the member it adds.
  const prefixes: { parents: Uint32Array; members: Uint8Array; sums: Float64Array }[] = [];
  let nodeOf = new Uint32Array(total);
  for (let level = 0; level < size; level++) {
    const parents: number[] = [];
    const members: number[] = [];
    const nodes = new Uint32Array(total);
    for (let i = 0; i < total; i++) {
      const member = subsets[i * size + level];
      const shares = i > 0 && level < size - 1 && nodeOf[i] === nodeOf[i - 1] && member === subsets[(i - 1) * size + level];
      if (!shares) {
        parents.push(nodeOf[i]);
        members.push(member);
      }
      nodes[i] = parents.length - 1;
    }
    prefixes.push({ parents: Uint32Array.from(parents), members: Uint8Array.from(members), sums: new Float64Array(parents.length) });
    nodeOf = nodes;
  }

  const squares = new Float64Array(total);
  for (let i = 0; i < total; i++) squares[i] = distance === 'manhattan' ? 0 : squaredLength(table, count, subset(i), symmetric);
  const inverse = (square: number): number => (square > 0 ? 1 / Math.sqrt(square) : 0);
  const angular = distance === 'angular';
  const scales = angular ? squares.map(inverse) : new Float64Array(total).fill(1);
  const offsets = distance === 'euclidean' ? squares : new Float64Array(total);
  const largest = angular
    ? 1
    : distance === 'euclidean'
      ? squares.reduce((a, b) => Math.max(a, b), 0)
      : size * table.reduce((a, b) => Math.max(a, b), 0);

  const slots = new Float64Array(size * count);
  const from = (centre: Uint8Array): Float64Array => {
    const square = distance === 'manhattan' ? 0 : squaredLength(table, count, centre, symmetric);
    const factor = angular ? inverse(square) : distance === 'euclidean' ? 2 : -1;
    for (let slot = 0; slot < size; slot++) {
      for (let j = 0; j < count; j++) {
        let sum = 0;
        if (symmetric) for (const member of centre) sum += table[member * count + j];
        else sum = table[centre[slot] * count + j];
        slots[slot * count + j] = factor * sum;
      }
    }
    const base = distance === 'euclidean' ? -square : 0;
    for (let level = 0; level < size; level++) {
      const { parents, members, sums } = prefixes[level];
      const start = level * count;
      if (level === 0) for (let i = 0; i < sums.length; i++) sums[i] = base + slots[members[i]];
      else {
        const shorter = prefixes[level - 1].sums;
        for (let i = 0; i < sums.length; i++) sums[i] = shorter[parents[i]] + slots[start + members[i]];
      }
    }
    const row = prefixes[size - 1].sums;
    for (let i = 0; i < total; i++) row[i] = row[i] * scales[i] - offsets[i];
    return row;
  };

  return {
    total,
    slack: NEGLIGIBLE * largest,
    self: angular ? 1 : 0,
    subset,
    indexOf: (wanted) => {
      let index = 0;
      while (subset(index).some((member, place) => member !== wanted[place])) index++;
      return index;
    },
    from,
    distanceOf: (closeness) => {
      if (angular) return Math.acos(Math.max(-1, Math.min(1, closeness)));
      return distance === 'euclidean' ? Math.sqrt(Math.max(0, -closeness)) : -closeness;
    },
  };
}

function squaredLength(table: Float64Array, count: number, subset: Uint8Array, symmetric: boolean): number {
  let square = 0;
  for (const i of subset) {
    if (symmetric) for (const j of subset) square += table[i * count + j];
    else square += table[i * count + i];
  }
  return square;
}
