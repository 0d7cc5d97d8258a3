import type { Dataset } from './types.ts';

/** A question's passages by id, best first. */
export interface Ranking {
  readonly queryId: string;
  readonly passageIds: readonly string[];
}

/**
 * Rankings as lines of a TREC run, `qid Q0 docid rank score tag`, for trec_eval. The score counts down from the number of passages:
 * trec_eval orders by score alone, in single precision, and breaks ties by id, so the retriever's own numbers would not keep its order.
 * Whitespace, control characters and percent signs in ids are percent-encoded; an empty id is written as a percent sign.
 */
export function* trecRun(rankings: Iterable<Ranking>, tag: string): Generator<string> {
  for (const { queryId, passageIds } of rankings) {
    for (const [index, id] of passageIds.entries()) {
      yield `${field(queryId)} Q0 ${field(id)} ${index + 1} ${passageIds.length - index} ${field(tag)}`;
    }
  }
}

/** The gold passages of the dataset's first `limit` questions (null for all) as lines of TREC qrels, `qid 0 docid grade`, with ids as in `trecRun`. */
export async function* trecQrels(dataset: Dataset, limit: number | null = null): AsyncGenerator<string> {
  for (const { id, gold } of limit === null ? dataset.queries : dataset.queries.slice(0, limit)) {
    const grades = [...gold.values()];
    for (const [index, passage] of (await dataset.passages([...gold.keys()])).entries()) {
      yield `${field(id)} 0 ${field(passage.id)} ${grades[index]}`;
    }
  }
}

/** trec_eval ends a field at whitespace; an encoded percent sign keeps different ids different, and a bare one free for the empty id. */
const field = (text: string): string => (text === '' ? '%' : text.replace(/[\s%\u0000-\u001f\u007f-\u009f]/g, encodeURIComponent));
