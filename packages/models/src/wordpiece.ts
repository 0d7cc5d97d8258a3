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
const SPACING_MARK = /\p{Mc}/u;
const MOST_MARKS = 30; // in a row: the limit of Unicode's own stream-safe format, UAX #15
const LONG_MARKS = new RegExp(`(\\p{Mc}{${MOST_MARKS}})\\p{Mc}+`, 'gu');
const CAPITAL_SIGMA = /\u03a3/g;
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const UNICODE_PUNCTUATION = /\p{P}/u;
const UNICODE_SPACE = /\s/u;
const LINE_BREAKS = /[\t\n\r]/g;

/** Where a piece stands in its text (UTF-16, `end` exclusive). */
export interface PieceSpan {
  readonly start: number;
  readonly end: number;
}

/** Splits texts into the pieces of a BERT vocabulary. */
export interface WordPiece {
  /** Indices into the vocabulary, in order; -1 for each word that no pieces spell. */
  encode(text: string): number[];
  /** Where the pieces that `encode` gives stand in the text, one for each. Pieces of one character that decomposes all stand where it stands. */
  spans(text: string): PieceSpan[];
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

  /** Appends the pieces of one word, or a single -1 when greedy search gets stuck; and where each ends, for a word that starts at `at`. */
  const addWord = (word: string, ids: number[], ends: number[], at: number): void => {
    const whole = starts.get(word);
    if (whole !== undefined && word.length <= LONGEST_WORD) {
      ids.push(whole);
      ends.push(at + word.length);
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
      ends.push(at + end);
      start = end;
    }
    if (start < word.length) {
      ids.length = before;
      ids.push(-1);
      ends.length = before;
      ends.push(at + word.length);
    }
  };

  /** The pieces of a text in normal form, and where in it each begins and ends. */
  const read = (clean: string): { ids: number[]; begins: number[]; ends: number[] } => {
    const ids: number[] = [];
    const begins: number[] = [];
    const ends: number[] = [];
    const addRange = (from: number, to: number): void => {
      const before = ends.length;
      addWord(clean.slice(from, to), ids, ends, from);
      for (let piece = before; piece < ends.length; piece++) begins.push(piece === before ? from : ends[piece - 1]!);
    };
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
        if (index > start) addRange(start, index);
        if (kind === PUNCTUATION) addRange(index, end);
        start = end;
      }
      index = end;
    }
    if (index > start) addRange(start, index);
    return { ids, begins, ends };
  };

  return {
    encode: (text) => read(PLAIN.test(text) ? text.toLowerCase() : normalize(text)).ids,
    spans(text) {
      const plain = PLAIN.test(text);
      const { begins, ends } = read(plain ? text.toLowerCase() : normalize(text));
      if (plain) return begins.map((start, piece) => ({ start, end: ends[piece]! }));
      const origins = originsOf(text);
      return begins.map((begin, piece) => {
        const last = origins[ends[piece]! - 1]!;
        return { start: origins[begin]!, end: last + (text.codePointAt(last)! > 0xffff ? 2 : 1) };
      });
    },
  };
}

/** For each unit of `normalize(text)`, where the character that it comes from stands in the text. Marks that Unicode reorders count as where they come to stand. */
function originsOf(text: string): number[] {
  const origins: number[] = [];
  const lengths = new Map<string, number>();
  let marks = 0;
  let at = 0;
  for (const character of text) {
    let length = lengths.get(character);
    if (length === undefined) {
      length = normalize(character).length;
      lengths.set(character, length);
    }
    // What vanishes leaves a run of marks whole.
    if (length > 0) marks = SPACING_MARK.test(character) ? marks + 1 : 0;
    if (marks <= MOST_MARKS) for (let unit = 0; unit < length; unit++) origins.push(at);
    at += character.length;
  }
  return origins;
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
