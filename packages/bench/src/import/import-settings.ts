export interface ImportSettings {
  /** The folder to make. */
  readonly out: string;
  /** The first so many questions. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** How much of a step is done, 0 to 1. */
  readonly progress?: (step: 'checked' | 'written', share: number) => void;
}

/** What was written. */
export interface Imported {
  readonly queries: number;
  readonly passages: number;
  readonly gold: number;
  readonly wrongTexts: number;
}
