/**
 * The record that flows: a query and its retrieved passages go in, the same passages with one verdict each come out.
 * Everything is a new value; nothing is changed in place.
 */

import type { Reasons } from './core/reasons.ts';
import type { RunContext } from './core/run-context.ts';

/** A code for machines; `bezoar list reasons` explains each, and `explain` makes a sentence of it. */
export type ReasonCode = string;

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A question. `embedding` is in the same space as the passages' embeddings. */
export interface Query {
  readonly id: string;
  readonly text: string;
  readonly embedding?: Float32Array;
}

/** A piece of a corpus. Written by anyone, so by the attacker: text, title, id, source and metadata are never trusted. */
export interface Passage {
  readonly id: string;
  readonly text: string;
  readonly title?: string;
  readonly source?: string;
  readonly metadata?: JsonObject;
}

/** A passage as a retriever returned it. `rank` counts from 1, the best; `relevance` is the retriever's own number, higher is better. */
export interface RetrievedPassage extends Passage {
  readonly rank: number;
  readonly relevance?: number;
  readonly embedding?: Float32Array;
}

/** What a retriever answered, in its order, with unique passage ids. */
export interface Retrieval {
  readonly query: Query;
  readonly passages: readonly RetrievedPassage[];
}

export type Action = 'keep' | 'drop' | 'rewrite';

/** What a defense decided about one passage. */
export interface Verdict {
  readonly passageId: string;
  /** `rewrite` keeps the passage with other text. */
  readonly action: Action;
  /** Rank in the retrieval, from 1. */
  readonly rankBefore: number;
  /** Rank after the defense, from 1; null when dropped. */
  readonly rankAfter: number | null;
  /** The mechanism's own number; null where it has none for this passage. */
  readonly score: number | null;
  /** 0..1, higher is worse. */
  readonly suspicion: number;
  readonly reason: ReasonCode;
  /** What the reason rests on: edges, cluster, matched span. JSON-safe and bounded. */
  readonly evidence?: JsonObject;
}

/** What a mechanism guarantees about this retrieval, if anything. Angles are in radians. */
export interface Certificate {
  readonly mechanism: string;
  /** How many poisoned passages it speaks of. */
  readonly corruption: number;
  /** Whether its assumption holds here; for `pra-rag` that untouched combinations are a majority, and nothing else. */
  readonly holds: boolean;
  /** Why it does not hold, or what limits it although it does (`heuristic-selection`); null when nothing does. */
  readonly reason: string | null;
  /** null when it does not hold. */
  readonly radius: number | null;
  /** Certified deviation as the paper states it; neither clamped nor nulled for exceeding pi. null when it does not hold. */
  readonly pad: number | null;
  /** A tighter sound bound; null when it does not hold or was not computed. */
  readonly padTight: number | null;
}

/** One stage of a policy, as it ran. */
export interface StageTrace {
  /** The stage's SPEC name, which is its file's name. */
  readonly name: string;
  /** Milliseconds of the mechanism alone, unrounded: no input, output, encoding or sealing. */
  readonly ms: number;
  readonly verdicts: readonly Verdict[];
  /** Present only when the stage failed, overran its budget or was skipped; says what happened. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** What a stage returns: the passages that go on, in order, and one verdict for every passage it was given, in input order. */
export interface StageResult {
  readonly passages: readonly RetrievedPassage[];
  readonly verdicts: readonly Verdict[];
  readonly certificate: Certificate | null;
  readonly ms: number;
}

/** What a policy returns. */
export interface Defended {
  readonly query: Query;
  /** What may reach the language model, in order. */
  readonly passages: readonly RetrievedPassage[];
  /** One verdict for every passage of the retrieval, in retrieval order. */
  readonly verdicts: readonly Verdict[];
  readonly stages: readonly StageTrace[];
  readonly certificate: Certificate | null;
  /** True when a stage failed or ran out of time, so the policy did less than it says. */
  readonly degraded: boolean;
}

export interface PaperSource {
  readonly authors: string;
  readonly year: number;
  readonly title: string;
  readonly section?: string;
  readonly url: string;
}

export type DefenseKind = 'filter' | 'rerank' | 'rewrite';
export type Need = 'embeddings' | 'query-embedding' | 'likelihood' | 'cross-encoder' | 'language-model';

/** A mechanism over one retrieved set. Made by `defineDefense`, which seals the outside. */
export interface Defense {
  readonly name: string;
  readonly kind: DefenseKind;
  readonly source: PaperSource | null;
  readonly needs: readonly Need[];
  /** How many passages a reranker lets go on; null for the policy's number, and for what is no reranker. */
  readonly keep: number | null;
  /** The reasons it may give beside those of the seal. */
  readonly reasons: Reasons;
  /** The SPEC that makes it again: its name and the options that differ from their defaults. */
  readonly spec: string;
  run(retrieval: Retrieval, context: RunContext): Promise<StageResult>;
}
