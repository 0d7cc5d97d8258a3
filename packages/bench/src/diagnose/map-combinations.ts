import { binomial, combinations, sampleCombinations } from '@bezoar/core/kernels/combinations';
import { gramMatrix } from '@bezoar/core/kernels/gram-matrix';
import { combinationView, majorityBall } from '@bezoar/core/kernels/majority-ball';
import { createRandom } from '@bezoar/core/kernels/random';
import type { Diagnosis } from '../types.ts';
import { principalPlane } from './principal-plane.ts';
import { symmetricEigen } from './symmetric-eigen.ts';

/** The subsets of PRA-RAG's experiments. */
const SUBSET = 3;
/** All combinations of 23 passages are 1,771; of more a picture shows no more, and the selection among all would take seconds a question. */
const MAX_COMBINATIONS = 2000;

/** What PRA-RAG's selection makes of one pool. Angles are in radians. */
export interface CombinationMap {
  /** How far the selected centre is from the nearest combination with a poisoned passage; null where there is none, 0 where it is one itself. */
  readonly nearestPoisoned: number | null;
  readonly radius: number;
  /** One a combination. */
  readonly marks: readonly { readonly poisoned: number; readonly selected: boolean }[];
  /** The combinations in the plane of their first two principal components: worth its time for a pool that is shown. */
  readonly plane: () => Pick<NonNullable<Diagnosis['combinations']>, 'points' | 'explained'>;
}

/**
 * The combinations of three passages of a pool, as `pra-rag` compares them (embeddings one after the other in retrieval order, by angle),
 * the one it selects, and how far that is from poison. Pools of five and six passages have combinations of two, of three and four of one,
 * as there; smaller pools have no majority, and give null. Copies are not collapsed.
 *
 * @param vectors - Embeddings in retrieval order, finite and not zero.
 * @param seed - Draws 2,000 combinations where there are more.
 */
export function mapCombinations(vectors: readonly Float32Array[], poisoned: readonly boolean[], seed: number): CombinationMap | null {
  const count = vectors.length;
  if (count < 3) return null;
  const size = Math.min(SUBSET, Math.floor((count - 1) / 2));
  const all = binomial(count, size) <= MAX_COMBINATIONS;
  const subsets = all ? combinations(count, size) : sampleCombinations(count, size, MAX_COMBINATIONS, createRandom(seed));
  const table = gramMatrix(vectors);
  const view = combinationView({ table, count, size, distance: 'angular', combination: 'ordered' }, subsets);
  const { subset: centre, radius } = majorityBall(view);
  const rows = Array.from({ length: view.total }, (_, index) => subsets.subarray(index * size, (index + 1) * size));
  const marks = rows.map((row) => ({
    poisoned: row.reduce((sum, passage) => sum + Number(poisoned[passage]), 0),
    selected: row.every((passage, slot) => passage === centre[slot]),
  }));
  let nearestPoisoned: number | null = null;
  for (const [index, mark] of marks.entries()) {
    if (mark.poisoned === 0) continue;
    const angle = mark.selected ? 0 : angleBetween(table, count, centre, rows[index]);
    nearestPoisoned = Math.min(nearestPoisoned ?? angle, angle);
  }
  const plane = (): ReturnType<CombinationMap['plane']> => {
    const places = placesFrom(table, count);
    const { points, explained } = principalPlane(rows.map((row) => Float64Array.from([...row].flatMap((passage) => [...places[passage]]))));
    return { points: points.map((point, index) => ({ ...point, ...marks[index] })), explained };
  };
  return { nearestPoisoned, radius, marks, plane };
}

function angleBetween(table: Float64Array, count: number, a: Uint8Array, b: Uint8Array): number {
  const product = (left: Uint8Array, right: Uint8Array): number =>
    left.reduce((sum, passage, slot) => sum + table[passage * count + right[slot]], 0);
  return Math.acos(Math.max(-1, Math.min(1, product(a, b) / Math.sqrt(product(a, a) * product(b, b)))));
}

/** A place for each passage, in as many dimensions as there are passages, with the same inner products as the embeddings. */
function placesFrom(table: Float64Array, count: number): readonly Float64Array[] {
  const { values, vectors } = symmetricEigen(table, count);
  return Array.from({ length: count }, (_, passage) =>
    Float64Array.from(values, (value, axis) => Math.sqrt(Math.max(0, value)) * vectors[axis][passage]),
  );
}
