import type { Dataset, PreparedQuestion } from './types.ts';

/**
 * The poisoned pools as lines of a TREC run, `qid Q0 docid rank score tag`, for trec_eval. The score counts down from the size of the pool:
 * trec_eval orders by score alone, in single precision, and breaks ties by id, so the retriever's own numbers would not keep its order.
 * Questions that are not assessed have no lines. Whitespace, control characters and percent signs in ids are percent-encoded.
 */
export function* trecRun(questions: readonly PreparedQuestion[], tag: string): Generator<string> {
  for (const { query, pool } of questions) {
    for (const [index, { id }] of pool.entries()) {
      yield `${field(query.id)} Q0 ${field(id)} ${index + 1} ${pool.length - index} ${field(tag)}`;
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

/** trec_eval ends a field at whitespace; an encoded percent sign keeps different ids different. */
const field = (text: string): string => text.replace(/[\s%\u0000-\u001f\u007f-\u009f]/g, encodeURIComponent);
