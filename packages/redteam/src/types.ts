/** What flows between a bench and an attack: a target question goes in, poisoned texts come out. Who planted what is said nowhere in them. */

import type { Encoder, Need, PaperSource, Passage } from '@bezoar/core';

/** A question that the attacker wants answered wrongly. */
export interface AttackTarget {
  readonly query: { readonly id: string; readonly text: string };
  readonly correctAnswers: readonly string[];
  /** The answer that the attacker wants; null where nobody named one. */
  readonly targetAnswer: string | null;
  /** Texts that argue for the target answer, in the order of their file. */
  readonly wrongTexts: readonly string[];
}

/** A stretch of a text in UTF-16 offsets, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A poisoned passage before it is planted. Every span lies in `text`. */
export interface PoisonedText {
  readonly title?: string;
  readonly text: string;
  /** What makes the passage retrieved (S), what it wants to be said (I), and what it waits for in the question. */
  readonly spans: { readonly retrieval: readonly TextSpan[]; readonly payload: readonly TextSpan[]; readonly trigger: readonly TextSpan[] };
}

/** What crafting took. */
export interface AttackCost {
  readonly modelCalls: number;
  readonly encodedTexts: number;
}

/** What an attack made for one target. */
export interface CraftedPoison {
  /** As many as asked for, or fewer where the context allows it. */
  readonly texts: readonly PoisonedText[];
  /** The answer the texts argue for; null for an attack that only wants to be retrieved. */
  readonly targetAnswer: string | null;
  readonly cost: AttackCost;
}

/** Why an attack cannot be run on a target. Such questions are counted, not scored. */
export type Uncraftable = 'too-few-wrong-texts' | 'no-target-answer' | 'too-few-passages';

export interface AttackContext {
  /** Seeds every random choice, together with the question's id and the attack's name. */
  readonly seed: number;
  /** How many poisoned passages to make. */
  readonly count: number;
  /** Fewer than `count` will do, but at least one. */
  readonly allowFewer: boolean;
  /** Passages of the corpus that have nothing to do with the question (neither gold nor candidates), drawn by the context's seed; fewer where there are not so many. */
  readonly drawPassages: (count: number) => Promise<readonly Passage[]>;
  readonly encoder: Encoder | null;
  readonly signal: AbortSignal | null;
}

/** What an attack takes from the dataset, or asks of the context. */
export type AttackNeed = 'wrong-texts' | 'target-answer' | 'passages' | Extract<Need, 'embeddings' | 'language-model'>;

/** A way of poisoning a corpus. Made by `defineAttack`, which seals the outside. */
export interface Attack {
  readonly name: string;
  readonly source: PaperSource | null;
  readonly needs: readonly AttackNeed[];
  /** The SPEC that makes it again: its name and the options that differ from their defaults. */
  readonly spec: string;
  craft(target: AttackTarget, context: AttackContext): Promise<CraftedPoison | Uncraftable>;
}
