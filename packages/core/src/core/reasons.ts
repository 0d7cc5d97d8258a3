import type { JsonObject } from '../types.ts';
import { printable } from './printable.ts';

/** What a reason code means, and how to say it to a person with the evidence of one verdict. */
export interface Reason {
  /** One line for `bezoar list reasons`. */
  readonly meaning: string;
  /** One sentence, without a full stop; passage texts never enter it, ids and numbers may. */
  readonly sentence?: (evidence: JsonObject) => string;
}

export type Reasons = Readonly<Record<string, Reason>>;

/** Reasons that the seal around every defense gives. A defense adds its own in its file. */
export const SEAL_REASONS = {
  kept: { meaning: 'nothing spoke against the passage' },
  duplicate: {
    meaning: 'the same text as an earlier passage of this retrieval',
    sentence: (evidence) => `has the same text as ${String(evidence.sameAs)}`,
  },
  'empty-text': { meaning: 'there is no text to judge' },
  'too-long': {
    meaning: 'it is longer than a passage can be, and judging it would hold everything up',
    sentence: (evidence) => `has ${String(evidence.characters)} characters, more than a passage can have`,
  },
  unscorable: {
    meaning: 'its embedding is missing, not finite or zero, so the mechanism cannot place it',
    sentence: (evidence) => `cannot be compared: its embedding is ${String(evidence.embedding)}`,
  },
  'beyond-keep': { meaning: 'the passages ranked above it filled the places that go on' },
  refused: { meaning: 'a stage failed and the policy lets nothing through' },
} satisfies Reasons;

/** The sentence for one verdict's reason, from the reasons of the stages that may have given it. Ids in it are the attacker's, so it is made fit for print. */
export function explainReason(reason: string, evidence: JsonObject | undefined, sources: readonly Reasons[]): string {
  for (const reasons of [...sources, SEAL_REASONS as Reasons]) {
    const found = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
    if (found) return found.sentence && evidence ? printable(found.sentence(evidence), 500) : found.meaning;
  }
  return printable(reason, 80);
}
