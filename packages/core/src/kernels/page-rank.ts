import { BezoarError } from '../errors.ts';

/** Up to here elimination (n^3 / 3 steps) is cheaper than the 150 or more sweeps of n^2 that power iteration needs at damping 0.85. */
const LARGEST_SOLVE = 50;
/** L1 change at which power iteration stops, and the sweeps after which it stops anyway (enough for damping 0.997). */
const TOLERANCE = 1e-12;
const MAX_SWEEPS = 10_000;
/** An edge this small beside the largest is rounding of zero, and must not decide where a node's whole row goes. */
const NEGLIGIBLE = 1e-9;

/**
 * The PageRank of every node of a weighted graph: positive, summing to 1; empty for no nodes.
 *
 * s = damping * transpose(P) s + (1 - damping) * t, with P the weights divided by their row sums, t the teleport vector, and t in
 * place of the row of a node without edges. Weights below 1e-9 of the largest, negative or not finite count as zero.
 *
 * Source: Page et al. 1999, The PageRank Citation Ranking; as in networkx 3.6.1 `pagerank`, with the teleport vector also for dangling nodes.
 * Deviations: solved exactly up to 50 nodes, where networkx iterates to 1e-6, which reorders close scores.
 *
 * @param weights - Row-major n x n, symmetric. A weight on the diagonal is a self-loop.
 * @param options.damping - In [0, 1). Default 0.85.
 * @param options.teleport - Any non-negative weights, normalised here; all zero is uniform. Default uniform.
 * @throws {BezoarError} `SHAPE_MISMATCH` when an array has another length; `INVALID_OPTION` for a damping outside [0, 1).
 */
export function pageRank(
  weights: Float64Array,
  n: number,
  options: { readonly damping?: number; readonly teleport?: Float64Array } = {},
): Float64Array {
  const damping = options.damping ?? 0.85;
  if (!(damping >= 0 && damping < 1)) throw new BezoarError('INVALID_OPTION', `damping must be at least 0 and below 1, not ${damping}`);
  if (weights.length !== n * n) throw new BezoarError('SHAPE_MISMATCH', `${n} nodes need ${n * n} weights, not ${weights.length}`);
  const teleport = teleportVector(n, options.teleport);
  const transitions = transitionMatrix(weights, n, teleport);
  return n <= LARGEST_SOLVE ? solve(transitions, n, damping, teleport) : iterate(transitions, n, damping, teleport);
}

const usable = (weight: number): number => (weight > 0 && weight < Infinity ? weight : 0);

function teleportVector(n: number, wanted: Float64Array | undefined): Float64Array {
  if (wanted && wanted.length !== n) throw new BezoarError('SHAPE_MISMATCH', `${n} nodes need ${n} teleport weights, not ${wanted.length}`);
  const teleport = new Float64Array(n);
  let total = 0;
  for (let i = 0; wanted && i < n; i++) {
    teleport[i] = usable(wanted[i]);
    total += teleport[i];
  }
  if (!(total > 0)) return teleport.fill(1 / n);
  for (let i = 0; i < n; i++) teleport[i] /= total;
  return teleport;
}

function transitionMatrix(weights: Float64Array, n: number, teleport: Float64Array): Float64Array {
  let largest = 0;
  for (let index = 0; index < weights.length; index++) largest = Math.max(largest, usable(weights[index]));
  const transitions = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    let total = 0;
    for (let j = 0; j < n; j++) {
      const weight = usable(weights[i * n + j]);
      if (weight > 0 && weight >= largest * NEGLIGIBLE) {
        // Shares of the largest, so that the sum of huge weights is finite.
        transitions[i * n + j] = weight / largest;
        total += weight / largest;
      }
    }
    if (total > 0) for (let j = 0; j < n; j++) transitions[i * n + j] /= total;
    else transitions.set(teleport, i * n);
  }
  return transitions;
}

/**
 * Gaussian elimination of (I - damping * transpose(P)) s = (1 - damping) t, in the place of P: what stands at [j, i] is the coefficient of
 * s_j in row i. Each column's diagonal outweighs the rest of the column (damping below 1, rows of P sum to 1), and elimination keeps it so:
 * the pivot is always the largest, no rows are exchanged.
 */
function solve(transitions: Float64Array, n: number, damping: number, teleport: Float64Array): Float64Array {
  const system = transitions;
  for (let index = 0; index < n * n; index++) system[index] *= -damping;
  const scores = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    system[i * n + i] += 1;
    scores[i] = (1 - damping) * teleport[i];
  }
  for (let pivot = 0; pivot < n; pivot++) {
    for (let row = pivot + 1; row < n; row++) {
      const factor = system[pivot * n + row] / system[pivot * n + pivot];
      for (let column = pivot + 1; column < n; column++) system[column * n + row] -= factor * system[column * n + pivot];
      scores[row] -= factor * scores[pivot];
    }
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let column = row + 1; column < n; column++) scores[row] -= system[column * n + row] * scores[column];
    scores[row] /= system[row * n + row];
  }
  return scores;
}

function iterate(transitions: Float64Array, n: number, damping: number, teleport: Float64Array): Float64Array {
  let scores = teleport;
  let change = Infinity;
  for (let sweep = 0; sweep < MAX_SWEEPS && change > TOLERANCE; sweep++) {
    const next = teleport.map((weight) => (1 - damping) * weight);
    for (let i = 0; i < n; i++) {
      const flow = damping * scores[i];
      for (let j = 0; j < n; j++) next[j] += flow * transitions[i * n + j];
    }
    change = 0;
    for (let i = 0; i < n; i++) change += Math.abs(next[i] - scores[i]);
    scores = next;
  }
  return scores;
}
