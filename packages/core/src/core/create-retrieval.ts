import type { Passage, Query, Retrieval, RetrievedPassage } from '../types.ts';

/** A passage as a caller has it: plain text, or a record with or without a rank. */
export type PassageInput =
  | string
  | (Omit<Passage, 'id'> & { readonly id?: string; readonly relevance?: number; readonly embedding?: Float32Array });

/**
 * A retrieval from a question and passages in the order a retriever gave them; ranks are counted from 1. Passages without an id are
 * called `p1`, `p2`, ... by position; a query without one is `q`.
 */
export function createRetrieval(
  query: string | (Omit<Query, 'id'> & { readonly id?: string }),
  passages: readonly PassageInput[],
): Retrieval {
  return {
    query: typeof query === 'string' ? { id: 'q', text: query } : { ...query, id: query.id ?? 'q' },
    passages: passages.map((passage, index): RetrievedPassage => {
      const record = typeof passage === 'string' ? { text: passage } : passage;
      return { ...record, id: record.id ?? `p${index + 1}`, rank: index + 1 };
    }),
  };
}
