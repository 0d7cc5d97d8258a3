export interface ImportSettings {
  /** The folder to make. */
  readonly out: string;
  /** The first so many questions. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Bytes of a step that are done, of so many in all. */
  readonly progress?: (done: number, total: number, what: 'checking' | 'writing') => void;
}

/** What was written. */
export interface Imported {
  readonly queries: number;
  readonly passages: number;
  readonly gold: number;
  readonly wrongTexts: number;
}
