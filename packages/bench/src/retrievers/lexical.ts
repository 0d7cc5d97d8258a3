import { createHash } from 'node:crypto';
import { tokenizeWords } from '@bezoar/core/kernels/tokenize-words';
import type { Dataset } from '../types.ts';
import { type CorpusReading, corpusTexts } from './corpus-texts.ts';
import type { Scorer } from './scorer.ts';

// bm25s, and core's BM25
const K1 = 1.5;
const B = 0.75;

/** What BM25 needs to know of a corpus to score texts for some questions. JSON-safe. */
export interface LexicalStatistics {
  readonly documents: number;
  /** Mean number of words of a passage, empty ones included. */
  readonly averageLength: number;
  /** Each word of the questions, and how many passages have it. */
  readonly frequencies: readonly (readonly [word: string, passages: number])[];
}

/** Counts the words of the questions in a corpus, in one pass. Memory for the words of the questions. */
export async function countQueryWords(dataset: Dataset, queries: readonly string[], reading: CorpusReading): Promise<LexicalStatistics> {
  const frequency = new Map(queries.flatMap(tokenizeWords).map((word) => [word, 0]));
  let documents = 0;
  let length = 0;
  for await (const { texts } of corpusTexts(dataset, reading, `counting the words of ${dataset.name}`)) {
    for (const text of texts) {
      const words = tokenizeWords(text);
      documents++;
      length += words.length;
      for (const word of new Set(words)) {
        const known = frequency.get(word);
        if (known !== undefined) frequency.set(word, known + 1);
      }
    }
  }
  return { documents, averageLength: documents === 0 ? 0 : length / documents, frequencies: [...frequency] };
}

/**
 * Scores texts by BM25 in Lucene's form with the statistics of the clean corpus: the numbers of core's `bm25Index` over that corpus.
 * Poison is scored by the same statistics and does not move them, as a few passages hardly move those of a corpus. A text that shares no word
 * with a question is not retrieved for it.
 *
 * Source: Kamphuis et al. 2020, Which BM25 Do You Mean?, https://doi.org/10.1007/978-3-030-45442-5_4 (Lucene's form).
 */
export function lexical(statistics: LexicalStatistics, queries: readonly string[]): Scorer {
  const { documents, averageLength, frequencies } = statistics;
  const rarity = new Map(frequencies.map(([word, passages]) => [word, Math.log(1 + (documents - passages + 0.5) / (passages + 0.5))]));
  const asked = queries.map(tokenizeWords);
  const score: Scorer['score'] = async (texts) => {
    /** The texts that have a word, in order, and how often. */
    const postings = new Map<string, { readonly texts: number[]; readonly counts: number[] }>();
    const lengths: number[] = [];
    for (const [index, text] of texts.entries()) {
      const words = tokenizeWords(text);
      lengths.push(words.length);
      for (const word of words) {
        if (!rarity.has(word)) continue;
        const posting = postings.get(word) ?? { texts: [], counts: [] };
        postings.set(word, posting);
        if (posting.texts.at(-1) === index) posting.counts[posting.counts.length - 1]!++;
        else {
          posting.texts.push(index);
          posting.counts.push(1);
        }
      }
    }
    return {
      scores(query, from, to) {
        const result = new Float64Array(to - from).fill(Number.NaN);
        for (const word of asked[query]!) {
          const posting = postings.get(word);
          if (posting === undefined) continue;
          const idf = rarity.get(word)!;
          for (let entry = 0; entry < posting.texts.length; entry++) {
            const text = posting.texts[entry]!;
            if (text < from || text >= to) continue;
            const count = posting.counts[entry]!;
            const before = result[text - from]!;
            const added = (idf * count) / (count + K1 * (1 - B + (averageLength === 0 ? 0 : (B * lengths[text]!) / averageLength)));
            result[text - from] = Number.isNaN(before) ? added : before + added;
          }
        }
        return result;
      },
    };
  };
  return {
    identity: createHash('sha256')
      .update(JSON.stringify([statistics, queries]))
      .digest('hex'),
    score,
  };
}
