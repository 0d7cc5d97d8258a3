import type { Placement, PoolSettings } from './types.ts';

/** Keeps a share like 0.29 of 100 from losing a passage to the last binary digit. */
const ROUNDING = 1e-9;

/** How many poisoned passages are made for a question: with placement `ratio` the whole ones in the share of the pool. */
export function poisonCount({ placement, poisons, pool }: Pick<PoolSettings, 'placement' | 'poisons' | 'pool'>): number {
  return placement === 'ratio' ? Math.floor(poisons * pool + ROUNDING) : poisons;
}

/**
 * A pool of `size` in which the poisoned passages have the places they are given, whatever their similarity; clean ones fill the rest in their
 * order. `slot` and `ratio` put them first, `slot-last` last, `slot-middle` behind half of the clean ones, rounded down. Poisoned passages beyond
 * the size of the pool find no place.
 *
 * Source: ALGORITHMS 0.9: forced slot as in RobustRAG and TrustRAG's prompt injection, forced ratio as in PRA-RAG.
 */
export function placePoison<T>(clean: readonly T[], poisoned: readonly T[], size: number, placement: Exclude<Placement, 'retrieval'>): T[] {
  const placed = poisoned.slice(0, size);
  const rest = clean.slice(0, size - placed.length);
  const before = { slot: 0, ratio: 0, 'slot-middle': Math.floor((size - placed.length) / 2), 'slot-last': rest.length }[placement];
  return [...rest.slice(0, before), ...placed, ...rest.slice(before)];
}
