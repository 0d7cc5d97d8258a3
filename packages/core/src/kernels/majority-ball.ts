import { BezoarError } from '../errors.ts';
import { binomial, combinations } from './combinations.ts';
import { kthLargest } from './kth-largest.ts';

/** Relative to the largest closeness there can be: below it two radii differ by rounding only. */
const NEGLIGIBLE = 1e-12;
/** `padTight` looks from many combinations at all, and branches over the passages that may be replaced: above either it is not computed. */
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
  /** Distance from the centre within which half of the other combinations lie. */
  readonly radius: number;
}

export interface DeviationBound {
  /** Whether the combinations that no poisoned passage touches are a strict majority. */
  readonly holds: boolean;
  /** null where the majority is missing and `bound` is `strict`. */
  readonly radius: number | null;
  readonly pad: number | null;
  /** null where the majority is missing, above 1,000 combinations, or where size ^ corruption is over 1,000. */
  readonly padTight: number | null;
}

/**
 * Combinations of one space, ready to be looked at from any one of them. Its fields belong to this file.
 *
 * Nothing here makes a combination's vector: its product with another is a sum over the table, and combinations that begin with the same
 * members share their partial sum. "Closeness" is what falls as distance grows: the cosine, minus the squared Euclidean distance, minus the
 * Manhattan distance. From a to b it is sum * factor(a) * scale(b) - offset(a) - offset(b).
 */
export interface CombinationView {
  readonly space: CombinationSpace;
  /** The table, negative for Manhattan distances. */
  readonly pairs: Float64Array;
  readonly subsets: Uint8Array;
  readonly total: number;
  /** Differences of closeness up to this are rounding. */
  readonly slack: number;
  /** Prefixes of length 0 to n - 1: which shorter one each extends, by which member, and its partial sum. */
  readonly levels: readonly { readonly parents: Uint32Array; readonly members: Uint8Array; readonly sums: Float64Array }[];
  /** Runs of combinations with one prefix of length n - 1 and consecutive last members: where each starts, and the end of all. */
  readonly starts: Uint32Array;
  /** The last member that each run starts with. */
  readonly lasts: Uint8Array;
  readonly squares: Float64Array;
  readonly scales: Float64Array;
  /** What `look` last looked from, so that partial sums of the same first members stand; first member 255 before that. */
  readonly from: Uint8Array;
  readonly slots: Float64Array;
  readonly row: Float64Array;
  readonly limits: Float64Array;
}

/**
 * Prepares the combinations of n of K passages, or a sample of them, for `majorityBall` and `certifyDeviation`.
 *
 * @param subsets - Flat rows of n ascending indices, all different, in lexicographic order. Default all C(K, n).
 * @throws {BezoarError} `INVALID_OPTION` for a size outside 1..K, or `manhattan` with `symmetric`, which the table does not determine;
 *   `SHAPE_MISMATCH` when the table is not K x K; `TOO_LARGE` above 200,000 combinations.
 */
export function combinationView(space: CombinationSpace, subsets?: Uint8Array): CombinationView {
  const { table, count, size, distance } = space;
  if (!(size >= 1 && size <= count)) throw new BezoarError('INVALID_OPTION', `a combination has 1 to ${count} passages, not ${size}`);
  if (table.length !== count * count) {
    throw new BezoarError('SHAPE_MISMATCH', `${count} passages need ${count * count} pairs, not ${table.length}`);
  }
  if (distance === 'manhattan' && space.combination === 'symmetric') {
    throw new BezoarError('INVALID_OPTION', 'manhattan distances between sums do not follow from those between passages: use ordered');
  }
  const rows = subsets ?? combinations(count, size);
  const total = rows.length / size;
  const squares = new Float64Array(total);
  const scales = new Float64Array(total).fill(distance === 'euclidean' ? 2 : 1);
  let largest = 1;
  if (distance === 'manhattan') for (const pair of table) largest = Math.max(largest, pair * size);
  else {
    for (let i = 0; i < total; i++) {
      squares[i] = squaredLength(space, rows, i * size);
      if (distance === 'angular') scales[i] = squares[i] > 0 ? 1 / Math.sqrt(squares[i]) : 0;
      else largest = Math.max(largest, squares[i]);
    }
  }
  return {
    space,
    pairs: distance === 'manhattan' ? table.map((pair) => -pair) : table,
    subsets: rows,
    total,
    slack: NEGLIGIBLE * largest,
    ...prefixes(rows, size),
    squares,
    scales,
    from: new Uint8Array(size).fill(255),
    slots: new Float64Array(size * count),
    row: new Float64Array(total),
    limits: new Float64Array(total),
  };
}

/**
 * The combination of n of K passages around which half of all others lie nearest: the centre of the smallest ball over a majority.
 * Equal radii (closeness within 1e-12 of its scale) give the lexicographically smallest indices; a single combination has radius 0.
 *
 * The radius of a combination is the floor(L / 2)-th smallest of its distances to the L - 1 others.
 *
 * Source: PRA-RAG (anonymous ARR submission 2026), Algorithm 1 steps 2 to 4, https://arxiv.org/abs/2607.00012.
 *
 * Cost: O(L^2) time, O(L n) memory.
 */
export function majorityBall(view: CombinationView): MajorityBall {
  const search = searchMajorityBall(view);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
}

/** The same in portions of about a million pairs, a few milliseconds each, so that a caller can let others run between them. */
export function* searchMajorityBall(view: CombinationView): Generator<undefined, MajorityBall> {
  const { total, slack } = view;
  // Its own closeness is the largest of a combination's row, so the floor(L / 2)-th other is one place further down.
  const place = (total >> 1) + 1;
  const portion = Math.ceil(1e6 / total);
  let best = -Infinity;
  let centre = 0;
  setThreshold(view, best);
  for (let candidate = 0; candidate < total; candidate++) {
    if (candidate % portion === portion - 1) yield;
    // Better by more than rounding exactly when this many lie closer than the best radius so far: most candidates need no selection.
    if (!reaches(view, subsetAt(view, candidate), best + slack, place)) continue;
    best = kthLargest(closenessFrom(view, subsetAt(view, candidate)), place);
    centre = candidate;
    setThreshold(view, best + slack);
  }
  return { subset: subsetAt(view, centre).slice(), radius: distanceOf(view, best, place) };
}

/** The radius of every combination, in order, where `majorityBall` gives the smallest: for diagnostics. */
export function majorityRadii(view: CombinationView): Float64Array {
  const place = (view.total >> 1) + 1;
  return Float64Array.from({ length: view.total }, (_, i) =>
    distanceOf(view, kthLargest(closenessFrom(view, subsetAt(view, i)), place), place),
  );
}

/** The distance between two passages of the space, in the unit of its combinations' distances. */
export function passageDistance({ table, count, distance }: CombinationSpace, i: number, j: number): number {
  const pair = table[i * count + j];
  if (distance === 'manhattan') return pair;
  const squares = [table[i * count + i], table[j * count + j]];
  if (distance === 'euclidean') return Math.sqrt(Math.max(0, squares[0] + squares[1] - 2 * pair));
  return Math.acos(Math.max(-1, Math.min(1, pair / Math.sqrt(squares[0] * squares[1]))));
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
 * beta by a number of this very pool and is sound for the centre found among all combinations only.
 *
 * Source: PRA-RAG, Algorithm 2 and Theorem 2; `padTight` is ours.
 *
 * @param view - All combinations, never a sample.
 * @param centre - The indices of the centre, ascending.
 * @param options.tight - Compute `padTight`. Default true; false for a centre that was not found among all combinations.
 *
 * Cost: O(L) from the centre; `padTight` O(L^2), most rows abandoned early.
 */
export function certifyDeviation(
  view: CombinationView,
  centre: Uint8Array,
  options: { readonly corruption: number; readonly beta: number; readonly bound: 'strict' | 'clamp'; readonly tight?: boolean },
): DeviationBound {
  const { corruption, beta, bound, tight = true } = options;
  const { total } = view;
  const { count, size } = view.space;
  const untouched = binomial(count - corruption, size);
  const holds = total < 2 * untouched;
  if (!holds && bound === 'strict') return { holds, radius: null, pad: null, padTight: null };
  const place = Math.min((total >> 1) + total - untouched, total - 1) + 1;
  const fromCentre = closenessFrom(view, centre).slice();
  const nearestFirst = tight && holds && total <= MAX_TIGHT && size ** corruption <= MAX_TIGHT ? descending(fromCentre) : null;
  const radius = distanceOf(view, kthLargest(fromCentre, place), place);
  const padTight = nearestFirst && radius + distanceOf(view, worstSpared(view, nearestFirst, place, corruption), place);
  return { holds, radius, pad: (1 + beta) * radius, padTight };
}

interface Spared {
  readonly subset: Uint8Array;
  readonly closeness: number;
}

/**
 * Closeness of rho. Combinations join the list only when their own radius is below the worst case that the list leaves so far: any other
 * cannot lower it, now or later. Those near the centre come first, because theirs are small.
 */
function worstSpared(view: CombinationView, order: Uint32Array, place: number, corruption: number): number {
  const spared: Spared[] = [];
  let worst = -Infinity;
  setThreshold(view, worst);
  for (const index of order) {
    const subset = subsetAt(view, index);
    if (!reaches(view, subset, worst, place)) continue;
    const closeness = kthLargest(closenessFrom(view, subset), place);
    const after = spared.findIndex((other) => other.closeness < closeness);
    spared.splice(after < 0 ? spared.length : after, 0, { subset, closeness });
    worst = worstWithout(spared, [], corruption);
    setThreshold(view, worst);
  }
  return worst;
}

/**
 * The smallest, over sets J of `left` more passages, of the closeness of the closest combination in the list without any of J. A J that
 * spares the closest one not yet touched does no worse than that, so only its members are worth adding.
 */
function worstWithout(closestFirst: readonly Spared[], replaced: readonly number[], left: number): number {
  const first = closestFirst.find(({ subset }) => !replaced.some((passage) => subset.includes(passage)));
  if (!first) return -Infinity;
  if (left === 0) return first.closeness;
  let worst = first.closeness;
  for (const passage of first.subset) worst = Math.min(worst, worstWithout(closestFirst, [...replaced, passage], left - 1));
  return worst;
}

function descending(values: Float64Array): Uint32Array {
  return Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a]);
}

const subsetAt = ({ subsets, space: { size } }: CombinationView, index: number): Uint8Array =>
  subsets.subarray(index * size, (index + 1) * size);

/** The first place is a combination itself, at distance 0 whatever rounding says. */
function distanceOf({ space: { distance } }: CombinationView, closeness: number, place: number): number {
  if (place === 1) return 0;
  if (distance === 'angular') return Math.acos(Math.max(-1, Math.min(1, closeness)));
  return distance === 'euclidean' ? Math.sqrt(Math.max(0, -closeness)) : Math.max(0, -closeness);
}

function squaredLength({ table, count, size, combination }: CombinationSpace, rows: Uint8Array, start: number): number {
  let own = 0;
  let cross = 0;
  for (let i = start; i < start + size; i++) {
    own += table[rows[i] * count + rows[i]];
    if (combination === 'symmetric') for (let j = start; j < i; j++) cross += table[rows[i] * count + rows[j]];
  }
  const squares = own + 2 * cross;
  // Embeddings that cancel leave rounding, which has no direction.
  return squares > NEGLIGIBLE * own ? squares : 0;
}

function prefixes(rows: Uint8Array, size: number): Pick<CombinationView, 'levels' | 'starts' | 'lasts'> {
  const nodes = Array.from({ length: size }, () => ({ parents: [] as number[], members: [] as number[] }));
  const starts: number[] = [];
  const lasts: number[] = [];
  const end = size - 1;
  for (let at = 0; at < rows.length; at += size) {
    let shared = 0;
    while (at > 0 && shared < end && rows[at + shared] === rows[at - size + shared]) shared++;
    // A gap in a sample starts a new run, under a copy of the same prefix.
    if (at > 0 && shared === end) {
      if (rows[at + end] === rows[at + end - size] + 1) continue;
      shared = Math.max(0, end - 1);
    }
    starts.push(at / size);
    lasts.push(rows[at + end]);
    if (at === 0 || size === 1) nodes[0].parents.push(0);
    for (let level = shared + 1; level < size; level++) {
      nodes[level].parents.push(nodes[level - 1].parents.length - 1);
      nodes[level].members.push(rows[at + level - 1]);
    }
  }
  starts.push(rows.length / size);
  const levels = nodes.map(({ parents, members }) => ({
    parents: Uint32Array.from(parents),
    members: Uint8Array.from(members),
    sums: new Float64Array(parents.length),
  }));
  return { levels, starts: Uint32Array.from(starts), lasts: Uint8Array.from(lasts) };
}

/** Brings slots and partial sums to where they are when seen from this combination. */
function look({ space, pairs, levels, slots, from }: CombinationView, subset: Uint8Array): void {
  const { count, size, combination } = space;
  let same = 0;
  while (same < size && from[same] === subset[same]) same++;
  if (same === size) return;
  // A sum of embeddings changes in every slot with any member.
  if (combination === 'symmetric') same = 0;
  from.set(subset);
  for (let slot = same; slot < size; slot++) {
    for (let j = 0; j < count; j++) {
      let sum = 0;
      if (combination === 'ordered') sum = pairs[subset[slot] * count + j];
      else for (let i = 0; i < size; i++) sum += pairs[subset[i] * count + j];
      slots[slot * count + j] = sum;
    }
  }
  for (let level = same + 1; level < size; level++) {
    const { parents, members, sums } = levels[level];
    const shorter = levels[level - 1].sums;
    const slot = (level - 1) * count;
    for (let i = 0; i < sums.length; i++) sums[i] = shorter[parents[i]] + slots[slot + members[i]];
  }
}

/** Closeness of every combination to this one, itself included; the next call overwrites the array. */
function closenessFrom(view: CombinationView, subset: Uint8Array): Float64Array {
  const { space, levels, starts, lasts, squares, scales, slots, row } = view;
  look(view, subset);
  const { sums } = levels[space.size - 1];
  const own = space.distance === 'manhattan' ? 0 : squaredLength(space, subset, 0);
  const angular = space.distance === 'angular';
  const factor = angular ? (own > 0 ? 1 / Math.sqrt(own) : 0) : 1;
  for (let run = 0; run < lasts.length; run++) {
    const sum = sums[run];
    const end = starts[run + 1];
    const shift = (space.size - 1) * space.count + lasts[run] - starts[run];
    for (let i = starts[run]; i < end; i++) {
      const product = (sum + slots[shift + i]) * factor * scales[i];
      row[i] = angular ? product : product - own - squares[i];
    }
  }
  return row;
}

/** The sums above which combinations are closer than the threshold, but for the part of the one that is looked from. */
function setThreshold({ space, limits, scales, squares }: CombinationView, threshold: number): void {
  const angular = space.distance === 'angular';
  for (let i = 0; i < limits.length; i++) {
    const limit = angular ? threshold : threshold + squares[i];
    limits[i] = scales[i] > 0 ? limit / scales[i] : limit < 0 ? -Infinity : Infinity;
  }
}

/**
 * Whether at least `needed` combinations, itself included, are closer to this one than the threshold, which `setThreshold` knows; gives up
 * when that is no longer possible.
 */
function reaches(view: CombinationView, subset: Uint8Array, threshold: number, needed: number): boolean {
  const { space, levels, starts, lasts, limits, slots, total } = view;
  look(view, subset);
  const { sums } = levels[space.size - 1];
  const own = space.distance === 'manhattan' ? 0 : squaredLength(space, subset, 0);
  const angular = space.distance === 'angular';
  // The cosine of a sum that cancels is 0 with everything.
  if (angular && own === 0) return threshold < 0;
  const length = angular ? Math.sqrt(own) : 1;
  const offset = angular ? 0 : own / 2;
  const slot = (space.size - 1) * space.count;
  let spare = total - needed;
  for (let run = 0; run < lasts.length; run++) {
    const sum = sums[run] - offset;
    const end = starts[run + 1];
    const shift = slot + lasts[run] - starts[run];
    // Subtracting the comparison itself, because a branch on it would be mispredicted half of the time.
    for (let i = starts[run]; i < end; i++) spare -= Number(sum + slots[shift + i] <= limits[i] * length);
    if (spare < 0) return false;
  }
  return true;
}
