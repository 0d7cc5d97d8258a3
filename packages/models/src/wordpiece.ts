const DROP = 0;
const SPACE = 1;
const PUNCTUATION = 2;
const WORD = 3;

const LONGEST_WORD = 100; // BERT's own bound: a longer word is unknown as a whole

/** Class of each ASCII character once controls are gone: everything printable that is no letter or digit counts as punctuation. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) return SPACE;
  if (code < 0x20 || code === 0x7f) return DROP;
  return /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? WORD : PUNCTUATION;
});

const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
const DROPPED = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\ufffd]/gu;
const ACCENT = /\p{Mn}/gu;
const LONG_MARKS = /(\p{Mc}{30})\p{Mc}+/gu; // 30 marks in a row is the limit of Unicode's own stream-safe format, UAX #15
const CAPITAL_SIGMA = /\u03a3/g;
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const UNICODE_PUNCTUATION = /\p{P}/u;
const UNICODE_SPACE = /\s/u;
const LINE_BREAKS = /[\t\n\r]/g;

/** Splits texts into the pieces of a BERT vocabulary. */
export interface WordPiece {
  /** Indices into the vocabulary, in order; -1 for each word that no pieces spell. */
  encode(text: string): number[];
}

/**
 * The uncased BERT tokeniser (BertNormalizer, BertPreTokenizer, greedy WordPiece) over `vocabulary`, without special tokens: a text
 * that spells `[SEP]` gives the pieces `[`, `sep`, `]`, because a word never contains a bracket. Empty text gives no pieces.
 *
 * Time is linear in the text: a word is bounded at 100 characters, a piece at the longest of the vocabulary.
 *
 * Source: Devlin et al. 2019, BERT, section 3; behaviour of the `tokenizers` package 0.22 (golden `wordpiece.json`).
 * Deviations: lone surrogates, which Python cannot hold, are dropped; of a run of spacing marks the first 30 are read; characters younger than the tables of `tokenizers` follow the
 * Unicode version of the JavaScript engine.
 *
 * @param vocabulary - Pieces; those that continue a word start with `##`. When a piece occurs twice the first counts.
 */
export function wordPiece(vocabulary: readonly string[]): WordPiece {
  const starts = new Map<string, number>();
  const continuations = new Map<string, number>();
  let longest = 1;
  for (let index = vocabulary.length - 1; index >= 0; index--) {
    const piece = vocabulary[index]!;
    const continues = piece.length > 2 && piece.startsWith('##');
    const spelling = continues ? piece.slice(2) : piece;
    (continues ? continuations : starts).set(spelling, index);
    longest = Math.max(longest, spelling.length);
  }

  /** Appends the pieces of one word, or a single -1 when greedy search gets stuck. */
  const addWord = (word: string, ids: number[]): void => {
    const whole = starts.get(word);
    if (whole !== undefined && word.length <= LONGEST_WORD) {
      ids.push(whole);
      return;
    }
    const before = ids.length;
    let start = 0;
    const readable = !isTooLong(word);
    while (readable && start < word.length) {
      const pieces = start === 0 ? starts : continuations;
      let end = Math.min(word.length, start + longest);
      let found: number | undefined;
      for (; end > start; end--) {
        found = pieces.get(word.slice(start, end));
        if (found !== undefined) break;
      }
      if (found === undefined) break;
      ids.push(found);
      start = end;
    }
    if (start < word.length) {
      ids.length = before;
      ids.push(-1);
    }
  };

  const encode = (text: string): number[] => {
    const clean = PLAIN.test(text) ? text.toLowerCase() : normalize(text);
    const ids: number[] = [];
    let start = 0; // of the word being read
    let index = 0;
    while (index < clean.length) {
      const code = clean.charCodeAt(index);
      let width = 1;
      let kind = ASCII[code];
      if (kind === undefined) {
        const character = String.fromCodePoint(clean.codePointAt(index)!);
        width = character.length;
        kind = UNICODE_PUNCTUATION.test(character) ? PUNCTUATION : UNICODE_SPACE.test(character) ? SPACE : WORD;
      }
      const end = index + width;
      if (kind !== WORD) {
        if (index > start) addWord(clean.slice(start, index), ids);
        if (kind === PUNCTUATION) addWord(clean.slice(index, end), ids);
        start = end;
      }
      index = end;
    }
    if (index > start) addWord(clean.slice(start), ids);
    return ids;
  };

  return { encode };
}

/** Whether a word has more than 100 code points. */
function isTooLong(word: string): boolean {
  if (word.length <= LONGEST_WORD) return false;
  return word.length > 2 * LONGEST_WORD || [...word].length > LONGEST_WORD;
}

/** BertNormalizer: controls out, ideographs set apart, accents stripped, lower case. */
function normalize(text: string): string {
  return text
    .replace(LINE_BREAKS, ' ')
    .replace(DROPPED, '')
    .replace(IDEOGRAPH, ' $& ')
    .replace(ACCENT, '') // engines sort a run of marks in quadratic time, so none is left to sort
    .replace(LONG_MARKS, '$1')
    .normalize('NFD')
    .replace(ACCENT, '')
    .replace(CAPITAL_SIGMA, '\u03c3') // character by character there is no final sigma
    .toLowerCase();
}
