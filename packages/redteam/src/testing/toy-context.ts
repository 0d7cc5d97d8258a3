import type { Passage } from '@bezoar/core';
import { toyEncoder } from '@bezoar/core/testing';
import type { AttackContext } from '../types.ts';

const PASSAGES: readonly Passage[] = Array.from({ length: 8 }, (_, index) => ({
  id: `c${index}`,
  ...(index % 2 ? { title: `Notes ${index}` } : {}),
  text: `Bread number ${index} wants flour, water, salt and a warm place for some hours before it goes into the oven.`,
}));

/** A context for tests without a bench: one text, seed 1, the toy encoder, and eight passages about bread (or those given) to draw in order. */
export function toyContext(more: Partial<AttackContext> = {}, passages: readonly Passage[] = PASSAGES): AttackContext {
  return {
    seed: 1,
    count: 1,
    allowFewer: false,
    drawPassages: async (count) => passages.slice(0, count),
    encoder: toyEncoder(),
    signal: null,
    ...more,
  };
}
