import type { Label } from './types.ts';

/** A place of a pool or of a context, as a metric sees it. */
export interface JudgedPassage {
  /** Rank in the pool, from 1. */
  readonly rank: number;
  readonly label: Label;
  /** The qrels' grade; 0 for what is not gold. */
  readonly grade: number;
}

/** What happened to one assessed question. Metrics are computed from these and from nothing else. */
export interface QuestionOutcome {
  /** Passages that go on where a reranker decides. */
  readonly keep: number;
  /** False in a cell without an attack: what is said of poison is not assessed there. */
  readonly attacked: boolean;
  /** Poisoned passages planted for the question, retrieved or not. */
  readonly planted: number;
  readonly pool: readonly JudgedPassage[];
  /** What went on, in the order it went on. */
  readonly context: readonly JudgedPassage[];
  /** The same without any poison in the corpus. */
  readonly cleanPool: readonly JudgedPassage[];
  readonly cleanContext: readonly JudgedPassage[];
  /** Grades of all gold passages of the question, in descending order; empty where none is known. */
  readonly goldGrades: readonly number[];
  readonly certificate: { readonly holds: boolean; readonly pad: number | null; readonly padTight: number | null } | null;
  /** The mechanism's own time; null where a result is read back, which does not keep it. */
  readonly ms: number | null;
  readonly modelCalls: number;
}

/** How single observations become one number with an interval. */
export type MetricKind =
  /** A share of questions: observations are 0 or 1, the interval is Wilson's. */
  | 'rate'
  /** Sum of numerators over sum of denominators: means and pooled ratios; the interval is a seeded bootstrap over questions. */
  | 'ratio'
  /** A quantile of the observations; the interval is that of its order statistics. */
  | 'quantile';

export interface Metric {
  /** The key in results, tables and `--sort`; the file's name in camelCase. */
  readonly name: string;
  /** A few words for a table's head. */
  readonly title: string;
  /** What it is, in one sentence. */
  readonly summary: string;
  readonly unit: 'share' | 'passages' | 'rank' | 'radians' | 'milliseconds' | 'calls' | 'score';
  /** Which way is good for the defended; null where neither is. */
  readonly better: 'higher' | 'lower' | null;
  readonly kind: MetricKind;
  /** Which quantile, 0 to 1, for kind `quantile`. */
  readonly quantile?: number;
  /** One observation as [numerator, denominator] ([value, 1] for a mean, a rate or a quantile); null where the question has none. */
  readonly observe: (outcome: QuestionOutcome) => readonly [numerator: number, denominator: number] | null;
}

/** Freezes a metric, so that nobody's report changes what another's says. */
export const defineMetric = (metric: Metric): Metric => Object.freeze(metric);
