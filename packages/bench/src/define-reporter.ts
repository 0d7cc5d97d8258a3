import type { BenchResult } from './types.ts';

export interface ReportSettings {
  /** Width of the terminal in cells. */
  readonly columns: number;
  readonly colour: boolean;
}

/** Turns a result into text. Passages, titles, ids and questions in it are the attacker's: a reporter escapes them for where they stand. */
export interface Reporter {
  /** What `--format` calls it; the file's name. */
  readonly name: string;
  readonly summary: string;
  /** The result in pieces, in order: a large one never stands in memory whole. */
  readonly render: (result: BenchResult, settings: ReportSettings) => Iterable<string>;
}

export const defineReporter = (reporter: Reporter): Reporter => Object.freeze(reporter);
