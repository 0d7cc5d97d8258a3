import type { Passage } from '@bezoar/core';

export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A stretch of a passage's title or text in UTF-16 units, `end` exclusive. */
export type FindingSpan = { readonly field: 'title' | 'text'; readonly start: number; readonly end: number };

/** What a rule holds against one passage. JSON-safe and bounded; `message` and `evidence` are fit for a terminal. */
export type Finding = {
  readonly ruleId: string;
  readonly severity: Severity;
  readonly passageId: string;
  readonly span: FindingSpan;
  /** One sentence without a full stop. */
  readonly message: string;
  /** What stands at the span, made visible, or the numbers that speak; at most 200 characters. */
  readonly evidence: string;
  /** The same whenever this rule finds the same thing in the same passage, whatever comes before it or else is found. */
  readonly fingerprint: string;
};

/** What a rule says of one passage; the scanner makes a finding of it. */
export interface RuleMatch {
  readonly severity: Severity;
  readonly span: FindingSpan;
  readonly message: string;
  readonly evidence: string;
  /** What tells this match from others of the rule in the passage. */
  readonly key: string;
}

/** One passage as rules see it. */
export interface ScanItem {
  readonly passage: Passage;
  /** Null where nothing was encoded, so that rules about vectors stay silent. */
  readonly vector: Float32Array | null;
  /** Comes from a source that the user trusts. */
  readonly trusted: boolean;
}

export interface RuleSettings {
  /** Questions that an attacker may aim at, where they are known. */
  readonly questions: readonly string[];
  /** Cosine above which vectors of the encoder are implausibly close. */
  readonly density: number;
}

/** A match of a rule that compares passages: `index` counts the passages in the order in which they were observed. */
export interface CorpusMatch extends RuleMatch {
  readonly index: number;
}

/** A rule at work on one corpus. */
export interface RuleRun {
  /** A passage of a trusted source, before what is compared with it. */
  trust?(passage: Passage): void;
  /** What can be said of a passage alone. */
  check?(item: ScanItem): readonly RuleMatch[];
  /** Called for every passage, in order. */
  observe?(item: ScanItem, index: number): void;
  /** What can be said when all were observed. */
  finish?(): Iterable<CorpusMatch>;
}

/** Made once a rule, one file each. Every rule takes time near-linear in the characters it is given and at most some 100 bytes a passage. */
export interface IngestRule {
  readonly id: string;
  /** What it finds, as a clause about the passage. */
  readonly title: string;
  /** The most that it says. */
  readonly severity: Severity;
  readonly start: (settings: RuleSettings) => RuleRun;
}
