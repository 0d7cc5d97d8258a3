/**
 * The ways the reference code makes two answers comparable, by the name ALGORITHMS 4.1 gives them, and the key that tells exact duplicates.
 * Each is total: any string in, nothing thrown.
 */

// What Python's str.strip() removes. JavaScript's trim() also removes U+FEFF and leaves U+001C to U+001F and U+0085.
const PYTHON_SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const IS_PYTHON_SPACE = new RegExp(PYTHON_SPACE);
const PYTHON_SPACES = new RegExp(`${PYTHON_SPACE}+`, 'g');
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const WORDS = /[\p{L}\p{N}_]+/gu;
const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\uff07]/g;
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the']);

/** Python's `str.strip()`. Scans from both ends, since a regex anchored at the end takes quadratic time on long runs of spaces. */
export function pythonStrip(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && IS_PYTHON_SPACE.test(text[from]!)) from++;
  while (to > from && IS_PYTHON_SPACE.test(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** Stripped, without one closing full stop, lower-cased. A lone "." stays. Used by PoisonedRAG, GRADA, TrustRAG, PRA-RAG. */
export function cleanStr(text: string): string {
  const stripped = pythonStrip(text);
  return (stripped.length > 1 && stripped.endsWith('.') ? stripped.slice(0, -1) : stripped).toLowerCase();
}

/** Stripped and lower-cased. Used by RobustRAG. */
export function stripLower(text: string): string {
  return pythonStrip(text).toLowerCase();
}

/** SQuAD's: lower-cased, without ASCII punctuation, without the words a, an, the, single spaces. Used by InstructRAG. */
export function squad(text: string): string {
  const words = text
    .toLowerCase()
    .replace(PUNCTUATION, '')
    .replace(WORDS, (word) => (ARTICLES.has(word) ? ' ' : word));
  return pythonStrip(words.replace(PYTHON_SPACES, ' '));
}

/** Whether an answer says "I don't know", as the jamming attack counts it. A curly apostrophe hides it: see `straightenApostrophes`. */
export function idk(text: string): boolean {
  return text.toLowerCase().replace(PUNCTUATION, '').includes('i dont know');
}

/** The distinct words of an answer after `cleanStr`; a judge said yes when "yes" is one. Used by PRA-RAG. */
export function wordSet(text: string): Set<string> {
  return new Set(cleanStr(text).match(WORDS));
}

/** Curly, modifier and full-width apostrophes as the ASCII one. Comes before `idk` and tests for abstaining. */
export function straightenApostrophes(text: string): string {
  return text.replace(APOSTROPHES, "'");
}

// Normalising a run of n combining marks takes n * n / 2 steps in ICU. UAX 15 (Stream-Safe Text) allows 30 and puts U+034F after them.
// U+FF9E and U+FF9F are the only others that decompose to a combining mark alone.
const TOO_MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u;
const MARKS = /[\p{M}\uff9e\uff9f]{30}/gu;

// Rules out most text before the slower look at properties: below U+0300 and from U+2000 to U+20CF there are no marks.
const MAYBE_MARK = /[\u0300-\u1fff\u20d0-\uffff]/;

/** Unicode NFKC in linear time; a run of more than 30 combining marks is cut by U+034F every 30. */
export function nfkc(text: string): string {
  return (MAYBE_MARK.test(text) && TOO_MANY_MARKS.test(text) ? text.replace(MARKS, '$&\u034f') : text).normalize('NFKC');
}

// White space other than a lone " ", which most is and which may stay.
const SPACES = / [\s\x1c-\x1f\x85]+|(?! )[\s\x1c-\x1f\x85]+/g;

/** What two passages share when they are exact duplicates: NFKC, runs of white space as one space, none at the ends, case kept. */
export function duplicateKey(text: string): string {
  let previous = 32;
  let isAscii = true;
  let isSpaced = true;
  for (let i = 0; i < text.length && isAscii; i++) {
    const code = text.charCodeAt(i);
    isAscii = code < 128;
    if (code < 32 || (code === 32 && previous === 32)) isSpaced = false;
    previous = code;
  }
  if (isAscii && isSpaced && previous !== 32) return text;
  return (isAscii ? text : nfkc(text)).replace(SPACES, ' ').trim();
}
