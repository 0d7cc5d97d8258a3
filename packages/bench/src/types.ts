/**
 * What a measurement is made of, from the dataset to the result. A result holds everything that a reporter needs and nothing that it could
 * compute: who was in which pool under which label, what went on, and the metrics with their intervals.
 */

import type { JsonObject, Passage } from '@bezoar/core';

// ---- a dataset ---------------------------------------------------------------------------------------------------

/** A BEIR folder. Passages stay on disk: only their places are held, so that a million of them fit. */
export interface Dataset {
  /** The folder's name. */
  readonly name: string;
  /** SHA-256 over the names and contents of its files, in hex. */
  readonly fingerprint: string;
  readonly passageCount: number;
  /** In file order. */
  readonly queries: readonly DatasetQuery[];
  /** Whether candidates.jsonl is there. */
  readonly hasCandidates: boolean;
  /** Whether misinformation.jsonl is there. */
  readonly hasWrongTexts: boolean;
  /** The passages at these places of corpus.jsonl (from 0), in the order asked for. */
  passages(places: readonly number[]): Promise<readonly Passage[]>;
  /** The whole corpus in file order, a batch at a time. */
  batches(size: number): AsyncIterable<{ readonly first: number; readonly passages: readonly Passage[] }>;
  close(): Promise<void>;
}

export interface DatasetQuery {
  readonly id: string;
  readonly text: string;
  readonly answers: readonly string[];
  /** The attacker's answer: the query's `metadata.target`, else that of its first wrong text; null where neither says one. */
  readonly targetAnswer: string | null;
  /** In file order. */
  readonly wrongTexts: readonly string[];
  /** Places of the passages that came with the question, in their order; null where candidates.jsonl does not say. */
  readonly candidates: readonly number[] | null;
  /** Place of each gold passage to its grade, above 0. */
  readonly gold: ReadonlyMap<number, number>;
}

// ---- a pool ------------------------------------------------------------------------------------------------------

export const RETRIEVERS = ['candidates', 'dense', 'lexical', 'hybrid'] as const;
export type RetrieverName = (typeof RETRIEVERS)[number];
export const PLACEMENTS = ['retrieval', 'slot', 'slot-middle', 'slot-last', 'ratio'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** Everything that decides which passages stand in which pool. */
export interface PoolSettings {
  readonly retriever: RetrieverName;
  /** Passages in a pool. */
  readonly pool: number;
  /** Poisoned passages planted for a question; with placement `ratio` the share of the pool that they take, 0 to 1. */
  readonly poisons: number;
  readonly placement: Placement;
  readonly passageText: 'title-and-text' | 'text';
  /** Assess pools, and attacks, with fewer passages than asked for. */
  readonly shortPools: boolean;
  /** Count candidates with the same text each. */
  readonly keepDuplicates: boolean;
  /** Plant only the question's own poisons, not those of all questions together. */
  readonly isolated: boolean;
  /** The first so many queries; null for all. */
  readonly limit: number | null;
  readonly seed: number;
}

/** `foreign`: poisoned, for another question. */
export type Label = 'clean' | 'poisoned' | 'foreign';

/** A passage of a pool, with what only the bench may know about it. */
export interface PoolPassage {
  /** The corpus's id, or one made for a poisoned passage. Defenses never see it. */
  readonly id: string;
  readonly title?: string;
  readonly text: string;
  /** The retriever's own number; null where it gives none. */
  readonly relevance: number | null;
  readonly label: Label;
  /** The qrels' grade; 0 for what is not gold. */
  readonly grade: number;
}

export type NotAssessed =
  | 'too-few-candidates'
  | 'too-few-wrong-texts'
  | 'no-target-answer'
  | 'too-few-passages'
  | 'no-candidates'
  | 'defense-failed';

/** A question with its pools, ready to be defended. */
export interface PreparedQuestion {
  readonly query: { readonly id: string; readonly text: string };
  /** Why the question is not assessed; the pools are empty then. */
  readonly notAssessed: NotAssessed | null;
  /** What the retriever returns from the poisoned corpus, in its order. */
  readonly pool: readonly PoolPassage[];
  /** What it returns from the clean corpus. */
  readonly cleanPool: readonly PoolPassage[];
  /** Grades of all gold passages of the question, retrieved or not, in descending order. */
  readonly goldGrades: readonly number[];
  /** Poisoned passages planted for the question, retrieved or not. */
  readonly planted: number;
  /** Those passages themselves, where poison competes in the whole corpus: an index that defends itself takes them in. */
  readonly poison: readonly PoolPassage[];
}

// ---- a result ----------------------------------------------------------------------------------------------------

/** Which measurement a cell is. */
export interface CellSettings extends PoolSettings {
  readonly dataset: string;
  /** SPECs as they were given; `none` for no attack. */
  readonly attack: string;
  readonly defense: string;
  readonly answerer: string | null;
  /** SPEC of the encoder that the retriever or the defense uses; null where neither uses one. */
  readonly encoder: string | null;
  readonly model: string | null;
  /** Passages that go on where a reranker decides. */
  readonly keep: number;
  /** With `--repeats` the seeds that were averaged over; otherwise the one seed. */
  readonly seeds: readonly number[];
  /** Values of the swept options in this cell, by option name; null where nothing is swept. */
  readonly sweep: Readonly<Record<string, string>> | null;
  /** Title of the suite's part that the cell belongs to; null outside of suites. */
  readonly part: string | null;
}

/** One number with its 95 % interval; null where nothing could be assessed. */
export interface MetricValue {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Questions it rests on. */
  readonly n: number;
  /** Questions that it could not be computed for. */
  readonly notAssessed: number;
  /** Standard deviation over seeds; only with `--repeats`. */
  readonly deviation?: number | null;
}

export type WarningCode =
  | 'label-leak'
  | 'poison-never-retrieved'
  | 'null-attack'
  | 'utility-collapse'
  | 'nondeterminism'
  | 'short-pools'
  | 'wrong-texts-made';

/** What makes a cell's numbers doubtful. `docs/methodology.md` has a section on each code. */
export interface CellWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** `breached`: a poisoned passage of the question's own reached the context; without an attack there is nothing to breach. */
export type Outcome = 'breached' | 'resisted' | 'not-assessed';

/** What a defense decided about one passage of the pool. */
export interface RecordedVerdict {
  readonly action: 'keep' | 'drop' | 'rewrite';
  readonly reason: string;
  readonly score: number | null;
  readonly suspicion: number;
}

/** One question of one cell. Ranks count from 1. */
export interface QuestionRecord {
  readonly queryId: string;
  /** The seed, where a cell has several. */
  readonly seed: number;
  readonly outcome: Outcome;
  readonly why: NotAssessed | null;
  /** Place of the pool in the result's `pools`; null where the question is not assessed. */
  readonly pool: number | null;
  /** Ranks in the pool of what went on, in the order it went on. */
  readonly context: readonly number[];
  readonly cleanPool: number | null;
  readonly cleanContext: readonly number[];
  readonly modelCalls: number;
  readonly certificate: { readonly holds: boolean; readonly pad: number | null; readonly padTight: number | null } | null;
  /** One a passage of the pool; kept for the first breached questions of a cell (`run.verdictsKept` says how many). */
  readonly verdicts?: readonly RecordedVerdict[];
}

export interface ResultCell extends CellSettings {
  /** Questions asked, assessed or not. */
  readonly queries: number;
  readonly outcomes: { readonly breached: number; readonly resisted: number; readonly notAssessed: number };
  readonly metrics: Readonly<Record<string, MetricValue>>;
  readonly warnings: readonly CellWarning[];
  readonly records: readonly QuestionRecord[];
}

export interface ResultQuestion {
  readonly dataset: string;
  readonly id: string;
  readonly text: string;
  readonly answers: readonly string[];
  readonly targetAnswer: string | null;
  readonly goldGrades: readonly number[];
}

export interface ResultPassage {
  readonly id: string;
  readonly title: string | null;
  /** At most 1,000 characters of it. */
  readonly text: string;
}

export interface ResultPool {
  /** Places in `questions` and `passages`. */
  readonly question: number;
  /** Poisoned passages planted for the question, retrieved or not. */
  readonly planted: number;
  readonly passages: readonly { readonly passage: number; readonly label: Label; readonly grade: number }[];
}

/** Counts of values in equal bins from `from` to `to`; values beyond fall into the outer bins. */
export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly number[];
  readonly mean: number | null;
}

/** What `--diagnose` adds for one dataset, attack and encoder. */
export interface Diagnosis {
  readonly dataset: string;
  readonly attack: string;
  readonly poisons: number;
  readonly encoder: string;
  /** How alike passages of a pool are, by which pair and which similarity. */
  readonly similarities: readonly {
    readonly similarity: 'cosine' | 'rouge-l' | 'bm25';
    readonly pairs: 'clean-clean' | 'clean-poisoned' | 'poisoned-poisoned';
    readonly histogram: Histogram;
  }[];
  /** PRA-RAG's combinations of one question, in the plane of their first two principal components. */
  readonly combinations: {
    readonly query: string;
    readonly points: readonly { readonly x: number; readonly y: number; readonly poisoned: number; readonly selected: boolean }[];
    /** Share of the variance that the plane shows. */
    readonly explained: number;
    /** Radius of the selected ball, in radians, and how far the nearest combination with a poisoned passage is from its centre. */
    readonly radius: number | null;
    readonly nearestPoisoned: number | null;
  } | null;
  /** Over all questions: distance from the selected centre to the nearest poisoned combination, minus the ball's radius; radians, negative where poison is inside. */
  readonly margins: Histogram;
}

export interface BenchResult {
  readonly schemaVersion: 1;
  readonly run: {
    readonly seed: number;
    readonly versions: Readonly<Record<string, string>>;
    readonly environment: { readonly platform: string; readonly arch: string };
    /** ISO 8601, UTC. */
    readonly startedAt: string;
    /** The suite's name, paper and what differs from it; null outside of suites. */
    readonly suite: { readonly name: string; readonly title: string; readonly differs: readonly string[] } | null;
    readonly datasets: readonly {
      readonly name: string;
      readonly fingerprint: string;
      readonly queries: number;
      readonly passages: number;
    }[];
    readonly verdictsKept: number;
    /** What was asked for, as it was given. */
    readonly settings: JsonObject;
  };
  readonly cells: readonly ResultCell[];
  readonly questions: readonly ResultQuestion[];
  readonly passages: readonly ResultPassage[];
  readonly pools: readonly ResultPool[];
  readonly diagnoses: readonly Diagnosis[];
}
