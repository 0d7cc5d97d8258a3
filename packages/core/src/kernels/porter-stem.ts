/**
 * Porter's suffix stripping with NLTK's extensions, on character codes in place, so that a caller with thousands of tokens in one buffer
 * makes no strings.
 *
 * Source: Porter 1980, An algorithm for suffix stripping, https://tartarus.org/martin/PorterStemmer/; the extensions are those of
 * `nltk.stem.porter.PorterStemmer` in its default mode, which rouge_score uses.
 * Deviations: none for words of the Basic Multilingual Plane; NLTK counts characters, this counts UTF-16 units.
 */

const A = 97;
const E = 101;
const I = 105;
const O = 111;
const U = 117;
const Y = 121;
const B = 98;
const D = 100;
const G = 103;
const L = 108;
const S = 115;
const T = 116;
const W = 119;
const X = 120;
const Z = 122;

type Rule = readonly [ending: string, replacement: string];

/** Rules by one of their letters: the last but one decides which endings can match, and there are few for each. */
const rulesBy = (text: string, letter: (ending: string) => number): Rule[][] => {
  const rules: Rule[][] = Array.from({ length: 128 }, () => []);
  for (const rule of text.split(' ')) {
    const [ending, replacement] = rule.split('>') as [string, string];
    rules[letter(ending)]!.push([ending, replacement]);
  }
  return rules;
};
const lastButOne = (ending: string): number => ending.charCodeAt(ending.length - 2);

const IRREGULAR = rulesBy(
  'sky>sky skies>sky dying>die lying>lie tying>tie news>news innings>inning inning>inning outings>outing outing>outing ' +
    'cannings>canning canning>canning howe>howe proceed>proceed exceed>exceed succeed>succeed',
  (word) => word.charCodeAt(0),
);
const STEP_2 = rulesBy(
  'ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ation>ate ator>ate ' +
    'alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble fulli>ful logi>log',
  lastButOne,
);
const STEP_3 = rulesBy('icate>ic ative> alize>al iciti>ic ical>ic ful> ness>', lastButOne);
const STEP_4 = rulesBy('al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>', lastButOne);

const isVowelLetter = (c: number): boolean => c === A || c === E || c === I || c === O || c === U;

/** A letter other than a, e, i, o, u and other than a y that follows a consonant. */
function isConsonant(word: Uint16Array, from: number, at: number): boolean {
  let flips = false;
  let i = at;
  while (i > from && word[i] === Y) {
    flips = !flips;
    i--;
  }
  return !isVowelLetter(word[i]!) !== flips;
}

/** How often a vowel is followed by a consonant: the m of the paper. */
function measure(word: Uint16Array, from: number, to: number): number {
  let count = 0;
  let wasVowel = false;
  for (let i = from; i < to; i++) {
    const c = word[i]!;
    const vowel: boolean = c === Y ? i > from && !wasVowel : isVowelLetter(c);
    if (wasVowel && !vowel) count++;
    wasVowel = vowel;
  }
  return count;
}

function hasVowel(word: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (isVowelLetter(word[i]!) || (word[i] === Y && i > from)) return true;
  return false;
}

function endsWith(word: Uint16Array, from: number, to: number, ending: string): boolean {
  const start = to - ending.length;
  if (start < from) return false;
  for (let i = ending.length - 1; i >= 0; i--) if (word[start + i] !== ending.charCodeAt(i)) return false;
  return true;
}

/** Consonant, vowel, consonant other than w, x, y at the end; NLTK adds the two-letter vowel, consonant. */
function endsShort(word: Uint16Array, from: number, to: number): boolean {
  const last = word[to - 1]!;
  if (to - from === 2) return !isConsonant(word, from, from) && isConsonant(word, from, to - 1);
  return (
    to - from > 2 &&
    last !== W &&
    last !== X &&
    last !== Y &&
    isConsonant(word, from, to - 1) &&
    !isConsonant(word, from, to - 2) &&
    isConsonant(word, from, to - 3)
  );
}

function write(word: Uint16Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) word[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** The first rule of the step whose ending the word has; the ending goes when what is left measures at least `least`. */
function applyRules(steps: readonly Rule[][], word: Uint16Array, from: number, to: number, least: number): number {
  if (to - from < 2) return to;
  const key = word[to - 2]!;
  if (key > 127) return to;
  for (const [ending, replacement] of steps[key]!) {
    if (!endsWith(word, from, to, ending)) continue;
    const start = to - ending.length;
    // NLTK: the l of "logi" counts as part of the stem, so that geology and theology lose their ending too.
    if (measure(word, from, ending === 'logi' ? start + 1 : start) < least) return to;
    if (ending === 'ion' && word[start - 1] !== S && word[start - 1] !== T) return to;
    const end = write(word, start, replacement);
    // NLTK: after "alli" becomes "al", step 2 runs once more.
    return ending === 'alli' ? applyRules(steps, word, from, end, least) : end;
  }
  return to;
}

function stripPlural(word: Uint16Array, from: number, to: number): number {
  if (word[to - 1] !== S) return to;
  if (endsWith(word, from, to, 'ies')) return to - from === 4 ? to - 1 : to - 2;
  if (endsWith(word, from, to, 'sses')) return to - 2;
  return word[to - 2] === S && to - from > 1 ? to : to - 1;
}

function stripPast(word: Uint16Array, from: number, to: number): number {
  let end = to;
  if (word[to - 1] === D) {
    if (!endsWith(word, from, to, 'ed')) return to;
    if (to - from > 2 && word[to - 3] === I) return to - from === 4 ? to - 1 : to - 2;
    if (to - from > 2 && word[to - 3] === E) return measure(word, from, to - 3) > 0 ? to - 1 : to;
    end = to - 2;
  } else if (word[to - 1] === G) {
    if (!endsWith(word, from, to, 'ing')) return to;
    end = to - 3;
  } else return to;
  if (!hasVowel(word, from, end)) return to;
  const last = word[end - 1]!;
  const before = end - from > 1 ? word[end - 2]! : 0;
  if ((last === T && before === A) || (last === L && before === B) || (last === Z && before === I)) return write(word, end, 'e');
  if (last === before && isConsonant(word, from, end - 1)) return last === L || last === S || last === Z ? end : end - 1;
  return measure(word, from, end) === 1 && endsShort(word, from, end) ? write(word, end, 'e') : end;
}

/** Stems the lower-case word at `[from, to)` in place and returns where it ends now, never after `to`. */
export function stemInPlace(word: Uint16Array, from: number, to: number): number {
  const first = word[from]!;
  if (first < 128)
    for (const [form, stem] of IRREGULAR[first]!)
      if (form.length === to - from && endsWith(word, from, to, form)) return write(word, from, stem);
  if (to - from < 3) return to;
  let end = stripPast(word, from, stripPlural(word, from, to));
  if (end - from > 2 && word[end - 1] === Y && isConsonant(word, from, end - 2)) word[end - 1] = I;
  end = applyRules(STEP_2, word, from, end, 1);
  end = applyRules(STEP_3, word, from, end, 1);
  end = applyRules(STEP_4, word, from, end, 2);
  if (end > from && word[end - 1] === E) {
    const m = measure(word, from, end - 1);
    if (m > 1 || (m === 1 && !endsShort(word, from, end - 1))) end--;
  }
  return end - from > 1 && word[end - 1] === L && word[end - 2] === L && measure(word, from, end - 1) > 1 ? end - 1 : end;
}

/** The Porter stem of a word, lower-cased, as NLTK's default PorterStemmer gives it. Empty for the empty word. */
export function porterStem(word: string): string {
  const lower = word.toLowerCase();
  const codes = new Uint16Array(lower.length);
  for (let i = 0; i < lower.length; i++) codes[i] = lower.charCodeAt(i);
  const end = stemInPlace(codes, 0, lower.length);
  let same = 0;
  while (same < end && codes[same] === lower.charCodeAt(same)) same++;
  let stem = lower.slice(0, same);
  for (let i = same; i < end; i++) stem += String.fromCharCode(codes[i]!);
  return stem;
}
