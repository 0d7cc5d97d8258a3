import type { Passage } from '@bezoar/core';
import { deriveSeed } from './derive-seed.ts';
import type { CraftedPoison } from './types.ts';

/** Whose poison a passage is. Kept apart from the passage: only a bench that judges may look. */
export interface PoisonLabel {
  readonly queryId: string;
  /** The SPEC that made it. */
  readonly attack: string;
}

export interface PlantedPoison {
  /** One a crafted text, in its order. */
  readonly passages: readonly Passage[];
  /** By passage id. */
  readonly labels: ReadonlyMap<string, PoisonLabel>;
}

/**
 * Makes passages of crafted texts and splits the labels off at once. An id is 96 bits of a hash of seed, attack, question and position in
 * hex: it says nothing to who reads it, sorts in no order, is the same in every run and differs over questions, attacks and seeds.
 */
export function plantPoison(
  crafted: CraftedPoison,
  { queryId, attack, seed }: { readonly queryId: string; readonly attack: string; readonly seed: number },
): PlantedPoison {
  const word = (salt: string, index: number): string =>
    deriveSeed(seed, salt, attack, queryId, String(index)).toString(16).padStart(8, '0');
  const passages = crafted.texts.map(
    ({ title, text }, index): Passage => ({
      id: word('a', index) + word('b', index) + word('c', index),
      ...(title === undefined ? {} : { title }),
      text,
    }),
  );
  return { passages, labels: new Map(passages.map(({ id }) => [id, { queryId, attack }])) };
}
