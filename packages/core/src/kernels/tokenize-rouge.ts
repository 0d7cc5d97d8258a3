import { porterStem } from './porter-stem.ts';
import { tokenizeUnicode } from './tokenize-unicode.ts';

const ALPHANUMERIC = /[a-z0-9]+/g;

/** rouge_score stems only tokens longer than this. */
export const UNSTEMMED_LENGTH = 3;

export interface TokenizeRougeOptions {
  /** Porter-stem tokens of more than 3 characters. Default true. */
  readonly stem?: boolean;
  /** Keep words outside a-z and 0-9 (see `tokenizeUnicode`), which the reference loses. Default false. */
  readonly unicode?: boolean;
  /** Tokens after this many are left out. Default: none are. */
  readonly maxTokens?: number;
}

/**
 * The tokens ROUGE compares: lower-cased runs of a-z and 0-9, stemmed when longer than 3. Everything else separates, so a text in
 * another script has none. Equals rouge_score's `tokenize(text, PorterStemmer())`.
 */
export function tokenizeRouge(text: string, { stem = true, unicode = false, maxTokens }: TokenizeRougeOptions = {}): string[] {
  const tokens = (unicode ? tokenizeUnicode(text) : (text.toLowerCase().match(ALPHANUMERIC) ?? [])).slice(0, maxTokens);
  if (!stem) return tokens;
  const stems = new Map<string, string>();
  return tokens.map((token) => {
    if (token.length <= UNSTEMMED_LENGTH) return token;
    let stemmed = stems.get(token);
    if (stemmed === undefined) {
      stemmed = porterStem(token);
      stems.set(token, stemmed);
    }
    return stemmed;
  });
}
