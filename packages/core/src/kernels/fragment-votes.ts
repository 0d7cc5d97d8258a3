import { binomial } from './combinations.ts';
import { kthLargest } from './kth-largest.ts';
import { roundScore } from './round-score.ts';

/** Scores as far apart as this, relatively, are not told apart where one of them is only a bound. */
const SLACK = 1e-9;
/** Below this share of its fragments' squared lengths a sum has cancelled: what is left is rounding and has no direction. */
const CANCELLED = 1e-12;
/** Sums between two pauses, about 5 ms. */
const BREATH = 1 << 20;

/** What is voted on: passages, each with its fragments' scores, in the order that decides ties. */
export interface FragmentBallot {
  readonly count: number;
  /** N, the fragments of a passage. */
  readonly fragments: number;
  /** k, how many of them a database combines, 1 to N. */
  readonly combine: number;
  /** p, how many passages each database may name. */
  readonly places: number;
  /** count x N, row-major: inner product of the question and each fragment. A row that is not finite takes no part. */
  readonly products: Float64Array;
  /** count x N x N, row-major: inner products of a passage's fragments with each other. With them databases compare by cosine, without by inner product. */
  readonly grams?: Float64Array;
  /** For each fragment, the highest inner product that a passage outside the ballot can have. Absent: there is no such passage. */
  readonly ceilings?: Float64Array;
}

export interface FragmentVotes {
  /** In how many databases each passage is among the first p. */
  readonly votes: Uint32Array;
  /** C(N, k). */
  readonly databases: number;
  /** Whether no passage outside the ballot can be among the first p of any database. By cosine nothing follows from ceilings. */
  readonly exact: boolean;
}

/**
 * How many of the C(N, k) databases, each of the mean of k fragments, name each passage among their first p, without making any: an inner product
 * with a mean is the mean of inner products, and the length of a sum follows from the fragments' Gram matrix. Equal scores (1e-12 relative) go by
 * position. Combinations are taken in lexicographic order and share the sums of their first members. Passages whose best possible score is below
 * the p-th best of the worst possible ones are in no list and left out first. A sum of fragments that cancels has cosine 0.
 *
 * Pauses after about 5 ms of work, for the caller to let others in; `fragmentVotes` does not.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask, section 3.1; the sums are ours.
 *
 * Cost: O(m C(N, k)) sums (k times that by cosine), m the passages not left out; O(m (k + N^2)) memory.
 */
export function* countFragmentVotes(ballot: FragmentBallot): Generator<void, FragmentVotes> {
  const { count, fragments, combine, places, ceilings } = ballot;
  const votes = new Uint32Array(count);
  const databases = binomial(fragments, combine);
  const rows = contenders(ballot);
  const m = rows.length;
  const size = Math.min(places, m);
  const products = columns(ballot.products, rows, fragments);
  const grams = ballot.grams && columns(ballot.grams, rows, fragments * fragments);
  const sums = Array.from({ length: combine }, () => new Float64Array(m));
  const squares = Array.from({ length: grams ? combine : 0 }, () => new Float64Array(m));
  const sizes = Array.from({ length: grams ? combine : 0 }, () => new Float64Array(m));
  const bestKeys = new Float64Array(size);
  const best = new Uint32Array(size);
  const subset = Uint8Array.from({ length: combine }, (_, i) => i);
  // With room in the lists anything outside could enter.
  let exact = ceilings === undefined || (grams === undefined && m >= places);
  let work = 0;
  for (let changed = 0; changed >= 0; changed = advance(subset, fragments)) {
    for (let level = changed; level < combine; level++) addMember(level);
    let filled = 0;
    const sum = sums[combine - 1]!;
    for (let row = 0; row < m; row++) {
      const key = roundScore(grams ? cosine(sum[row]!, squares[combine - 1]![row]!, sizes[combine - 1]![row]!) : sum[row]!);
      // An equal score found later ranks lower, so it enters only while there is room.
      if (filled === size && !(key > bestKeys[size - 1]!)) continue;
      let place = filled < size ? filled++ : size - 1;
      for (; place > 0 && bestKeys[place - 1]! < key; place--) {
        bestKeys[place] = bestKeys[place - 1]!;
        best[place] = best[place - 1]!;
      }
      bestKeys[place] = key;
      best[place] = row;
    }
    for (const row of best) votes[rows[row]!]!++;
    if (exact && ceilings) {
      let ceiling = 0;
      for (const member of subset) ceiling += ceilings[member]!;
      exact = below(ceiling, bestKeys[size - 1]!);
    }
    work += m * (combine - changed);
    if (work > BREATH) {
      work = 0;
      yield;
    }
  }
  return { votes, databases, exact };

  /** Sums of the first `level` members, plus the next. */
  function addMember(level: number): void {
    const member = subset[level]!;
    const sum = sums[level]!;
    const before = level === 0 ? null : sums[level - 1]!;
    for (let row = 0, at = member * m; row < m; row++, at++) sum[row] = (before ? before[row]! : 0) + products[at]!;
    if (!grams) return;
    const square = squares[level]!;
    const whole = sizes[level]!;
    for (let row = 0, at = (member * fragments + member) * m; row < m; row++, at++) {
      square[row] = (level === 0 ? 0 : squares[level - 1]![row]!) + grams[at]!;
      whole[row] = (level === 0 ? 0 : sizes[level - 1]![row]!) + grams[at]!;
    }
    for (let other = 0; other < level; other++) {
      for (let row = 0, at = (subset[other]! * fragments + member) * m; row < m; row++, at++) square[row]! += 2 * grams[at]!;
    }
  }
}

/** `countFragmentVotes` without pauses. */
export function fragmentVotes(ballot: FragmentBallot): FragmentVotes {
  const votes = countFragmentVotes(ballot);
  for (;;) {
    const step = votes.next();
    if (step.done) return step.value;
  }
}

const cosine = (product: number, square: number, size: number): number => (square > CANCELLED * size ? product / Math.sqrt(square) : 0);

const below = (a: number, b: number): boolean => a < b - SLACK * Math.max(Math.abs(a), Math.abs(b));

/** The next subset in lexicographic order, in place; from which member on it differs, or -1 behind the last. */
function advance(subset: Uint8Array, fragments: number): number {
  let place = subset.length - 1;
  while (place >= 0 && subset[place] === fragments - subset.length + place) place--;
  if (place < 0) return -1;
  subset[place]!++;
  for (let after = place + 1; after < subset.length; after++) subset[after] = subset[after - 1]! + 1;
  return place;
}

/** Of row-major values the wanted rows, column by column. */
function columns(values: Float64Array, rows: readonly number[], width: number): Float64Array {
  const out = new Float64Array(rows.length * width);
  for (const [row, from] of rows.entries()) {
    for (let column = 0; column < width; column++) out[column * rows.length + row] = values[from * width + column]!;
  }
  return out;
}

/** The passages that are finite and can be in some list, ascending. */
function contenders({ count, fragments, combine, places, products, grams }: FragmentBallot): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if (hasNumbers(products, row, fragments) && (!grams || hasNumbers(grams, row, fragments * fragments))) rows.push(row);
  }
  if (rows.length <= places) return rows;
  const high = new Float64Array(rows.length);
  const low = new Float64Array(rows.length);
  const sorted = new Float64Array(fragments);
  for (const [place, row] of rows.entries()) {
    sorted.set(products.subarray(row * fragments, (row + 1) * fragments));
    sorted.sort();
    let [top, bottom] = [0, 0];
    for (let i = 0; i < combine; i++) {
      bottom += sorted[i]!;
      top += sorted[fragments - 1 - i]!;
    }
    const [shortest, longest] = grams ? lengthBounds(grams, row, fragments, combine) : [1, 1];
    high[place] = top > 0 ? top / shortest : top / longest;
    low[place] = bottom > 0 ? bottom / longest : bottom / shortest;
    // 0 / 0: a sum that may cancel has cosine 0, which is between the bounds of anything.
    if (grams && shortest === 0) {
      high[place] = top > 0 ? Number.POSITIVE_INFINITY : 0;
      low[place] = bottom < 0 ? Number.NEGATIVE_INFINITY : 0;
    }
  }
  const threshold = kthLargest(low.slice(), places);
  return rows.filter((_, place) => !below(high[place]!, threshold));
}

function hasNumbers(values: Float64Array, row: number, width: number): boolean {
  for (let i = row * width; i < (row + 1) * width; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

/** What the length of a sum of k of the fragments is at least and at most; 0 where it may cancel. */
function lengthBounds(grams: Float64Array, row: number, fragments: number, combine: number): readonly [number, number] {
  const own: number[] = [];
  const pairs: number[] = [];
  for (let i = 0; i < fragments; i++) {
    for (let j = 0; j <= i; j++) (i === j ? own : pairs).push(grams[(row * fragments + i) * fragments + j]!);
  }
  own.sort((a, b) => a - b);
  pairs.sort((a, b) => a - b);
  const all = own.reduce((sum, square) => sum + square, 0);
  let [shortest, longest] = [0, 0];
  for (let i = 0; i < combine; i++) {
    shortest += own[i]!;
    longest += own[fragments - 1 - i]!;
  }
  for (let i = 0; i < (combine * (combine - 1)) / 2; i++) {
    shortest += 2 * pairs[i]!;
    longest += 2 * pairs[pairs.length - 1 - i]!;
  }
  // Above twice the size at which any sum counts as cancelled, so that none of them does.
  return [shortest > 2 * CANCELLED * all ? Math.sqrt(shortest) : 0, Math.sqrt(Math.max(0, longest))];
}
