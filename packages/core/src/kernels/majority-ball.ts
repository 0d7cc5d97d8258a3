import { BezoarError } from '../errors.ts';
import { binomial, combinations } from './combinations.ts';
import { kthLargest } from './kth-largest.ts';

/** Relative to the largest closeness there can be: below it two radii differ by rounding only. */
const NEGLIGIBLE = 1e-12;
/** `padTight` looks from many combinations at all: above this many it is not computed. */
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
  /** null where the majority is missing, above 1,000 combinations,  */
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
  /** Every combination's factor and offset in the closeness to it, and what a threshold of closeness is multiplied with to fit its sum. */
  readonly scales: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  /** Some sum of embeddings cancels: it has no direction, and thresholds do not fit it. */
  readonly cancels: boolean;
  /** The combination that `look` last looked from, so that partial sums of the same first members stand; members 255 before that. */
  readonly from: Uint8Array;
  readonly slots: Float64Array;
  readonly row: Float64Array;
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
  const scales = new Float64Array(total).fill(distance === 'euclidean' ? 2 : 1);
  const offsets = new Float64Array(total);
  const lengths = new Float64Array(total);
  let largest = distance === 'angular' ? 1 : 0;
  let cancels = false;
  if (distance === 'manhattan') for (const pair of table) largest = Math.max(largest, pair * size);
  else {
    for (let i = 0; i < total; i++) {
      const squares = squaredLength(space, rows, i * size);
      if (distance === 'euclidean') {
        offsets[i] = squares;
        largest = Math.max(largest, squares);
      } else {
        lengths[i] = Math.sqrt(squares);
        scales[i] = squares > 0 ? 1 / lengths[i] : 0;
        cancels ||= squares === 0;
      }
    }
  }
  return {
    space,
    pairs: distance === 'manhattan' ? table.map((pair) => -pair) : table,
    subsets: rows,
    total,
    slack: NEGLIGIBLE * largest,
    ...prefixes(rows, size),
    scales,
    offsets,
    lengths,
    cancels,
    from: new Uint8Array(size).fill(255),
    slots: new Float64Array(size * count),
    row: new Float64Array(total),
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
  for (let candidate = 0; candidate < total; candidate++) {
    if (candidate % portion === portion - 1) yield;
    // Better by more than rounding exactly when this many lie closer than the best radius so far: most candidates need no selection.
    if (!reaches(view, candidate, best + slack, place)) continue;
    const closeness = kthLargest(closenessFrom(view, candidate), place);
    if (closeness <= best + slack) continue;
    best = closeness;
    centre = candidate;
  }
  return { subset: subsetAt(view, centre).slice(), radius: distanceOf(view, best, place) };
}

/** The radius of every combination, in order, where `majorityBall` gives the smallest: for diagnostics. */
export function majorityRadii(view: CombinationView): Float64Array {
  const place = (view.total >> 1) + 1;
  return Float64Array.from({ length: view.total }, (_, i) => distanceOf(view, kthLargest(closenessFrom(view, i), place), place));
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
 * Cost: O(L) from the centre; `padTight` O(L^2).
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
  const radius = distanceOf(view, kthLargest(closenessFrom(view, indexOf(view, centre)), place), place);
  const bounded = tight && holds && total <= MAX_TIGHT;
  const padTight = bounded ? radius + distanceOf(view, worstSpared(view, place, corruption), place) : null;
  return { holds, radius, pad: (1 + beta) * radius, padTight };
}

interface Spared {
  readonly subset: Uint8Array;
  readonly closeness: number;
}

/** A set J of passages that may be replaced, and the closeness of the closest combination in the list that is without any of J. */
interface Worst {
  readonly replaced: readonly number[];
  readonly closeness: number;
}

const touches = (subset: Uint8Array, replaced: readonly number[]): boolean => replaced.some((passage) => subset.includes(passage));

/**
 * Closeness of rho. The list holds combinations with their own radius; the worst J for it is an upper bound of rho. Only a combination
 * without any of that J and of a smaller radius can lower it: the others wait until J is another one, and most are never looked at. When
 * none is left, the worst J has its true value.
 */
function worstSpared(view: CombinationView, place: number, corruption: number): number {
  const spared: Spared[] = [];
  let worst: Worst = { replaced: [], closeness: -Infinity };
  let waiting = [...view.row.keys()];
  for (let before = -1; before < spared.length; ) {
    before = spared.length;
    waiting = waiting.filter((index) => {
      const subset = subsetAt(view, index);
      if (touches(subset, worst.replaced)) return true;
      if (reaches(view, index, worst.closeness, place)) {
        const closeness = kthLargest(closenessFrom(view, index), place);
        if (closeness <= worst.closeness) return false;
        const after = spared.findIndex((other) => other.closeness < closeness);
        spared.splice(after < 0 ? spared.length : after, 0, { subset, closeness });
        worst = worstWithout(spared, [], corruption);
      }
      return false;
    });
  }
  return worst.closeness;
}

/**
 * The worst J of `left` more passages. One that spares the closest combination not yet touched does no worse than that, so only that
 * combination's members are worth adding.
 */
function worstWithout(closestFirst: readonly Spared[], replaced: readonly number[], left: number): Worst {
  const first = closestFirst.find(({ subset }) => !touches(subset, replaced));
  let worst: Worst = { replaced, closeness: first?.closeness ?? -Infinity };
  if (first && left > 0) {
    for (const passage of first.subset) {
      const deeper = worstWithout(closestFirst, [...replaced, passage], left - 1);
      if (deeper.closeness < worst.closeness) worst = deeper;
    }
  }
  return worst;
}

const subsetAt = ({ subsets, space: { size } }: CombinationView, index: number): Uint8Array =>
  subsets.subarray(index * size, (index + 1) * size);

/** The first place is a combination itself, at distance 0 whatever rounding says. */
function distanceOf({ space: { distance } }: CombinationView, closeness: number, place: number): number {
  if (place === 1) return 0;
  if (distance === 'angular') return Math.acos(Math.max(-1, Math.min(1, closeness)));
  return distance === 'euclidean' ? Math.sqrt(Math.max(0, -closeness)) : Math.max(0, -closeness);
}

function indexOf({ subsets, total, space: { size } }: CombinationView, subset: Uint8Array): number {
  for (let index = 0; index < total; index++) {
    let same = 0;
    while (same < size && subsets[index * size + same] === subset[same]) same++;
    if (same === size) return index;
  }
  throw new BezoarError('INVALID_OPTION', `${subset.join(', ')} is not one of the combinations`);
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
function look({ space, pairs, subsets, levels, slots, from }: CombinationView, index: number): void {
  const { count, size, combination } = space;
  const first = index * size;
  let same = 0;
  while (same < size && from[same] === subsets[first + same]) same++;
  if (same === size) return;
  // A sum of embeddings changes in every slot with any member.
  if (combination === 'symmetric') same = 0;
  for (let slot = same; slot < size; slot++) from[slot] = subsets[first + slot];
  for (let slot = same; slot < size; slot++) {
    for (let j = 0; j < count; j++) {
      let sum = 0;
      if (combination === 'ordered') sum = pairs[from[slot] * count + j];
      else for (let i = 0; i < size; i++) sum += pairs[from[i] * count + j];
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
function closenessFrom(view: CombinationView, index: number): Float64Array {
  const { space, levels, starts, lasts, scales, offsets, slots, row } = view;
  look(view, index);
  const { sums } = levels[space.size - 1];
  const factor = space.distance === 'angular' ? scales[index] : 1;
  const own = offsets[index];
  const slot = (space.size - 1) * space.count;
  for (let run = 0; run < lasts.length; run++) {
    const sum = sums[run];
    const end = starts[run + 1];
    const shift = slot + lasts[run] - starts[run];
    for (let i = starts[run]; i < end; i++) row[i] = (sum + slots[shift + i]) * factor * scales[i] - offsets[i] - own;
  }
  return row;
}

/**
 * Whether at least `needed` combinations, itself included, are closer to this one than the threshold; gives up when that is no longer
 * possible. Always true where thresholds do not fit.
 *
 * Closer means sum > threshold |a| |b| for angles, sum > (threshold + offset(a) + offset(b)) / scale for the others.
 */
function reaches(view: CombinationView, index: number, threshold: number, needed: number): boolean {
  if (view.cancels) return true;
  const { space, levels, starts, lasts, scales, offsets, lengths, slots, total } = view;
  look(view, index);
  const { sums } = levels[space.size - 1];
  const angular = space.distance === 'angular';
  const fits = angular ? lengths : offsets;
  const factor = angular ? threshold * lengths[index] : 1 / scales[0];
  const rest = angular ? 0 : (threshold + offsets[index]) / scales[0];
  const slot = (space.size - 1) * space.count;
  let spare = total - needed;
  for (let run = 0; run < lasts.length; run++) {
    const sum = sums[run] - rest;
    const end = starts[run + 1];
    const shift = slot + lasts[run] - starts[run];
    // Subtracting the comparison itself, because a branch on it would be mispredicted half of the time.
    for (let i = starts[run]; i < end; i++) spare -= Number(sum + slots[shift + i] <= fits[i] * factor);
    if (spare < 0) return false;
  }
  return true;
}
