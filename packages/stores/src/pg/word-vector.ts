import { tokenizeWords } from '@bezoar/core/kernels/tokenize-words';

/** UTF-16 units; a lexeme of PostgreSQL has at most 2,046 bytes. */
const LONGEST_WORD = 500;
/** A `tsvector` has at most 1,048,575 bytes; the rest of a text that has more different words is not found by its words. */
const MOST_BYTES = 900_000;
/** PostgreSQL keeps at most 255 places of a word. */
const MOST_TIMES = 255;
/** Different words of a question that are looked for. */
const MOST_QUERY_WORDS = 256;

export interface WordVector {
  /** The text of a `tsvector`: each word with as many places as it occurs, so that their number is its frequency. */
  readonly words: string;
  /** How many words the text has, repeats included. */
  readonly length: number;
}

/** The words of a passage as core's BM25 counts them, in PostgreSQL's form. */
export function wordVector(text: string): WordVector {
  const tokens = tokenizeWords(text);
  const entries: string[] = [];
  let bytes = 0;
  for (const [word, times] of counted(tokens)) {
    const places = Math.min(times, MOST_TIMES);
    bytes += Buffer.byteLength(word) + 2 * places + 8;
    if (bytes > MOST_BYTES) break;
    entries.push(`'${word}':${Array.from({ length: places }, (_, index) => index + 1).join(',')}`);
  }
  return { words: entries.join(' '), length: tokens.length };
}

/** The words of a question, each once as the text of a `tsquery`, with how often it has it. */
export function wordQuery(text: string): { readonly words: readonly string[]; readonly times: readonly number[] } {
  const entries = Array.from(counted(tokenizeWords(text))).slice(0, MOST_QUERY_WORDS);
  return { words: entries.map(([word]) => `'${word}'`), times: entries.map(([, times]) => times) };
}

function counted(tokens: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) if (token.length <= LONGEST_WORD) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}
