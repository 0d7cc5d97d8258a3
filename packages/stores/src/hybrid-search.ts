import type { StoreFilter, VectorStore } from '@bezoar/core';

/**
 * What is added to a rank in each list. 60 is the source's, for both lists; a small encoder then pulls the answer below BM25 alone. With 0 for the
 * lexical list two neighbours in it keep their order while 1 / r - 1 / (r + 1) is more than any dense place is worth, 1 / 61: down to place 7.
 */
const LEXICAL = 0;
const DENSE = 60;
/** Places of each list that are fused; the papers of the field take 100 or 1,000, and what is deeper adds less than 1 / 100. */
const DEPTH = 100;

export interface HybridSearch {
  readonly text: string;
  /** Null, or without direction: the text decides alone. */
  readonly vector: Float32Array | null;
  readonly k: number;
  /** How many of each list are fused, at least k. Default 100. */
  readonly depth?: number;
  readonly exact?: boolean;
  readonly filter?: StoreFilter;
  readonly signal?: AbortSignal;
}

export interface HybridHit {
  readonly id: string;
  readonly score: number;
  /** Ranks from 1; null where the list does not have it. */
  readonly lexicalRank: number | null;
  readonly denseRank: number | null;
}

/**
 * The k best passages by reciprocal rank fusion, the lexical list first, of the store's text search and its search by the vector `passage`: a
 * passage scores 1 / rank in the lexical list plus 1 / (60 + rank) in the dense one. So the first seven lexical places keep their order, the dense list decides
 * among those below, and brings what shares no word with the question when there are too few that do. Equal sums are in the order
 * of the lexical list, then of the dense one. Nothing for a text without words and no vector.
 *
 * Source: Cormack et al. 2009, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
 * https://doi.org/10.1145/1571941.1572114.
 * Deviations: the paper adds 60 to the ranks of every list, which takes them for equally good; see above.
 */
export async function hybridSearch(store: VectorStore, search: HybridSearch): Promise<readonly HybridHit[]> {
  const { text, vector, k, exact, filter, signal } = search;
  const depth = Math.max(k, search.depth ?? DEPTH);
  const common = { k: depth, ...(filter ? { filter } : {}), ...(signal ? { signal } : {}) };
  const hasDirection = vector?.some((value) => value !== 0) ?? false;
  const [lexical, dense] = await Promise.all([
    store.searchText({ text, ...common }),
    hasDirection ? store.search({ name: 'passage', vector: vector!, ...common, ...(exact === undefined ? {} : { exact }) }) : [],
  ]);
  const fused = new Map<string, { lexicalRank: number | null; denseRank: number | null }>();
  for (const [index, { id }] of lexical.entries()) fused.set(id, { lexicalRank: index + 1, denseRank: null });
  for (const [index, { id }] of dense.entries()) fused.set(id, { lexicalRank: fused.get(id)?.lexicalRank ?? null, denseRank: index + 1 });
  const share = (rank: number | null, added: number): number => (rank === null ? 0 : 1 / (added + rank));
  return [...fused]
    .map(([id, ranks]): HybridHit => ({ id, score: share(ranks.lexicalRank, LEXICAL) + share(ranks.denseRank, DENSE), ...ranks }))
    .sort((a, b) => b.score - a.score)
    .slice(0, k);
}
