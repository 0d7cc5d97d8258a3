import { topK } from '@bezoar/core/kernels/top-k';

/** Places of passages in corpus.jsonl, best first, with the retriever's number; null, at the end, for those it has none for. JSON-safe. */
export interface RankedList {
  readonly places: readonly number[];
  readonly scores: readonly (number | null)[];
}

/** A passage at its rank: of the corpus, by its place there, or planted, by its place among all that is planted. */
export interface Hit {
  readonly planted: boolean;
  readonly place: number;
  /** null where the retriever has no number for it. */
  readonly score: number | null;
}

/**
 * The first `count` of a clean list and of what is planted with these scores, the first of them being the planted passage at `from`.
 * With equal scores the clean one is first: poison is written behind the corpus. Planted passages that score NaN are not retrieved;
 * clean ones without a score come last.
 *
 * For a list of at least `count` passages this is what searching the poisoned corpus gives: top(D + P) = top(top(D) + P).
 */
export function mergePlanted(clean: RankedList, planted: Float64Array, from: number, count: number): Hit[] {
  const scored: Hit[] = [];
  const unscored: Hit[] = [];
  for (const [rank, place] of clean.places.entries()) {
    const score = clean.scores[rank]!;
    (score === null ? unscored : scored).push({ planted: false, place, score });
  }
  for (const [offset, score] of planted.entries()) if (Number.isFinite(score)) scored.push({ planted: true, place: from + offset, score });
  const order = topK(
    scored.map(({ score }) => score!),
    count,
  );
  return [...order.map((index) => scored[index]!), ...unscored].slice(0, count);
}
