import { BezoarError } from '../errors.ts';
import { alphabetOf, countTokens, internTokens, type TokenRule } from './intern-tokens.ts';
import { STOP_WORDS, tokenizeWords } from './tokenize-words.ts';

const WORDS: TokenRule = {
  tokenize: tokenizeWords,
  alphabet: alphabetOf(/[\p{L}\p{N}_]/u, 256),
  punctuationSeparates: true,
  minLength: 2,
  dropped: Array.from(STOP_WORDS).join(' '),
};

/** Term statistics of a corpus the texts come from, counted with `tokenizeWords`. */
export interface Bm25Corpus {
  /** Number of documents. */
  readonly documents: number;
  /** Mean number of words of a document. */
  readonly averageLength: number;
  /** Number of documents that contain the word. */
  readonly documentFrequency: (word: string) => number;
}

export interface Bm25Options {
  /** Saturation of repeated words, 0 or more. Default 1.5 (bm25s). */
  readonly k1?: number;
  /** Weight of the length of the document, 0 to 1. Default 0.75 (bm25s). */
  readonly b?: number;
}

export interface Bm25SimilarityOptions extends Bm25Options {
  /** Where rarity and average length come from. Default `single-document`. */
  readonly statistics?: 'single-document' | 'pool' | Bm25Corpus;
}

export interface Bm25Similarity {
  /** Row-major n by n, symmetric, zero diagonal: the mean of both directions. */
  readonly passages: Float64Array;
  /** One number a text: the text searched for in an index on the query. */
  readonly query: Float64Array;
}

/** Lucene's rarity of a word that `frequency` of `documents` documents contain. */
const rarity = (documents: number, frequency: number): number => Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));

function checked({ k1 = 1.5, b = 0.75 }: Bm25Options): { k1: number; b: number } {
  if (!(k1 >= 0 && k1 < Number.POSITIVE_INFINITY)) throw new BezoarError('INVALID_OPTION', `k1 is a number of 0 or more, not ${k1}`);
  if (!(b >= 0 && b <= 1)) throw new BezoarError('INVALID_OPTION', `b is a number from 0 to 1, not ${b}`);
  return { k1, b };
}

/**
 * How alike texts are to each other and to a query by BM25 (Lucene form). With idf the rarity of a word, tf its count, and
 * s_y(t) = tf_y / (tf_y + k1 (1 - b + b length_y / averageLength)): passages[i, j] = sum over words of idf (tf_i s_j + tf_j s_i) / 2, and
 * query[i] = sum of idf tf_i s_query. A text without words has zeros everywhere; no texts give empty arrays.
 *
 * `single-document`: each text alone is the index, as in the code of GRADA, so that every idf is ln(4/3) and length does not count.
 * `pool`: rarity and average length are those of the n texts; `Bm25Corpus`: those given. In both the query is still the indexed document
 * and the text what is searched for, as with `single-document`, so that the three differ in their statistics only.
 *
 * Source: Zheng et al. 2025, GRADA, section 3, https://arxiv.org/abs/2505.07546; Kamphuis et al. 2020 for the Lucene form of BM25.
 * Reference code: agrzheng/GRADA grada.py, bm25s.
 * Deviations: closed form in double precision instead of n indexes in single precision; a text without words is no error.
 *
 * @throws {BezoarError} `INVALID_OPTION` when k1 or b is out of range.
 *
 * Cost: O(characters + sum over words of the square of the number of texts that have it).
 */
export function bm25Similarity(texts: readonly string[], query: string, options: Bm25SimilarityOptions = {}): Bm25Similarity {
  const { k1, b } = checked(options);
  const statistics = options.statistics ?? 'single-document';
  const n = texts.length;
  const { lexicon, ids, starts } = internTokens([query, ...texts], WORDS);
  const words = lexicon.size;
  const passages = new Float64Array(n * n);
  const toQuery = new Float64Array(n);

  // Text 0 is the query.
  const counted = countTokens(ids, starts, words);
  const { counts, previous } = counted;

  let idf: Float64Array | null = null;
  let averageLength = 0;
  if (statistics !== 'single-document') {
    idf = new Float64Array(words);
    averageLength = statistics === 'pool' ? (starts[n + 1]! - starts[1]!) / n : statistics.averageLength;
    const frequency = new Int32Array(words);
    for (let p = counted.starts[1]!; p < counted.starts[n + 1]!; p++) frequency[counted.ids[p]!]!++;
    for (let word = 0; word < words; word++) {
      const within = frequency[word]!;
      if (within === 0) continue;
      idf[word] =
        statistics === 'pool' ? rarity(n, within) : rarity(statistics.documents, statistics.documentFrequency(lexicon.token(word)));
    }
  }
  const plainIdf = rarity(1, 1);

  const saturation = new Float64Array(counted.starts[n + 1]!);
  for (let t = 0; t <= n; t++) {
    const length = starts[t + 1]! - starts[t]!;
    const k = idf === null || averageLength === 0 ? k1 : k1 * (1 - b + (b * length) / averageLength);
    for (let p = counted.starts[t]!; p < counted.starts[t + 1]!; p++) {
      const tf = counts[p]!;
      const s = tf / (tf + k);
      const weight = idf === null ? plainIdf : idf[counted.ids[p]!]!;
      saturation[p] = s;
      for (let q = previous[p]!; q >= 0; q = previous[q]!) {
        const other = counted.texts[q]!;
        if (other === 0) toQuery[t - 1]! += weight * tf * saturation[q]!;
        else passages[(other - 1) * n + t - 1]! += 0.5 * weight * (tf * saturation[q]! + counts[q]! * s);
      }
    }
  }
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) passages[j * n + i] = passages[i * n + j]!;
  return { passages, query: toQuery };
}

/** The statistics of a corpus, one text at a time: O(characters) time, memory for its distinct words. An empty corpus has none. */
export function bm25Corpus(texts: Iterable<string>): Bm25Corpus {
  const frequency = new Map<string, number>();
  let documents = 0;
  let words = 0;
  for (const text of texts) {
    const tokens = tokenizeWords(text);
    documents++;
    words += tokens.length;
    for (const token of new Set(tokens)) frequency.set(token, (frequency.get(token) ?? 0) + 1);
  }
  return { documents, averageLength: documents === 0 ? 0 : words / documents, documentFrequency: (word) => frequency.get(word) ?? 0 };
}

export interface Bm25Hit {
  /** Position of the text in the index. */
  readonly index: number;
  readonly score: number;
}

export interface Bm25Index {
  /** One score a text; a query word that occurs twice counts twice, an unknown word not at all. */
  scores(query: string): Float64Array;
  /** The k best texts that share a word with the query, best first; equal scores in the order of the texts. */
  search(query: string, k: number): Bm25Hit[];
}

/**
 * An index for searching texts by BM25 in Lucene's form: sum over the query's words of idf tf / (tf + k1 (1 - b + b length / average)).
 * The same numbers as bm25s with `method="lucene"`. An empty query or index finds nothing.
 *
 * @throws {BezoarError} `INVALID_OPTION` when k1 or b is out of range.
 */
export function bm25Index(texts: readonly string[], options: Bm25Options = {}): Bm25Index {
  const { k1, b } = checked(options);
  const { lexicon, ids, starts } = internTokens(texts, WORDS);
  const n = texts.length;
  const averageLength = starts[n]! / n;
  const numbers = new Map<string, number>();
  for (let word = 0; word < lexicon.size; word++) numbers.set(lexicon.token(word), word);
  const counted = countTokens(ids, starts, lexicon.size);
  /** Where each word stands in the last text that has it. */
  const latest = new Int32Array(lexicon.size).fill(-1);
  const frequency = new Int32Array(lexicon.size);
  for (let p = 0; p < counted.starts[n]!; p++) {
    latest[counted.ids[p]!] = p;
    frequency[counted.ids[p]!]!++;
  }

  const scores = (query: string): Float64Array => {
    const result = new Float64Array(n);
    for (const word of tokenizeWords(query)) {
      const number = numbers.get(word) ?? -1;
      if (number < 0) continue;
      const idf = rarity(n, frequency[number]!);
      for (let p = latest[number]!; p >= 0; p = counted.previous[p]!) {
        const index = counted.texts[p]!;
        const tf = counted.counts[p]!;
        const length = starts[index + 1]! - starts[index]!;
        result[index]! += (idf * tf) / (tf + k1 * (1 - b + (b * length) / averageLength));
      }
    }
    return result;
  };
  const search = (query: string, k: number): Bm25Hit[] => {
    const hits: Bm25Hit[] = [];
    for (const [index, score] of scores(query).entries()) if (score > 0) hits.push({ index, score });
    // Scores of one sum in another order differ in the last digits; 12 digits make them equal, and the sort keeps their order.
    const rounded = new Map(hits.map(({ index, score }) => [index, Number(score.toPrecision(12))]));
    return hits.sort((x, y) => rounded.get(y.index)! - rounded.get(x.index)!).slice(0, k);
  };
  return { scores, search };
}
