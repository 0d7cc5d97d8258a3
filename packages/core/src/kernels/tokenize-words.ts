/** The 33 English stop words of Lucene and bm25s, dropped before BM25 counts anything. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

const WORD = /[\p{L}\p{N}_]{2,}/gu;

/**
 * The words of a text as BM25 counts them: lower-cased runs of two or more letters, numbers and underscores, without the stop words,
 * in order, with repeats. No stemming. Empty for a text without such words.
 *
 * Equals Python's `re.findall(r"(?u)\b\w\w+\b", text.lower())`, the default of bm25s and scikit-learn, for every character that both
 * Unicode versions know. Combining marks are no word characters in either, so a decomposed "e + accent" splits a word.
 */
export function tokenizeWords(text: string): string[] {
  const words: string[] = [];
  for (const word of text.toLowerCase().match(WORD) ?? []) if (!STOP_WORDS.has(word)) words.push(word);
  return words;
}
