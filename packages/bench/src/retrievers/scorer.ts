/** How a retriever scores texts for the questions it was made for. Retrievers over a corpus differ in nothing else. */
export interface Scorer {
  /** Changes with all that the numbers depend on beside the texts: the questions, the encoder, the words of the corpus. */
  readonly identity: string;
  score(texts: readonly string[]): Promise<ScoredTexts>;
}

export interface ScoredTexts {
  /**
   * One number for each text of [from, to), higher is better, for the question at this place. NaN for a text that the retriever does not
   * return for the question, however few others there are.
   */
  scores(query: number, from: number, to: number): Float64Array;
}
