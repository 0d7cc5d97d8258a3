/** A model of what word follows what, counted on some texts. */
export interface NgramModel {
  /** The four classes, then the words in ascending order; a word's place is its number. */
  readonly vocabulary: readonly string[];
  /** How many different words in small letters the texts had beyond the vocabulary, at least 1. */
  readonly unknownWords: number;
  /** What n-grams of length 1, 2, ... the texts had. */
  readonly levels: readonly NgramLevel[];
}

/** The n-grams of one length. */
export interface NgramLevel {
  /** Ascending; the place of the n-gram without its last word, one level down, times the size of the vocabulary, plus the last word. */
  readonly keys: Float64Array;
  /** Occurrences of all n-grams before this place; one longer than `keys`. */
  readonly before: Float64Array;
}

export interface NgramOptions {
  /** Longest n-gram, in words, at least 1. Default 2: on the built-in model trigrams doubled the size and caught nothing more. */
  readonly order?: number;
  /** A word joins the vocabulary when it occurs at least so often. Default 3. */
  readonly minWordCount?: number;
  /** An n-gram of two or more words is remembered when it occurs at least so often. Default 1. */
  readonly minNgramCount?: number;
}

export interface TokenSurprises {
  /** Nats of each token, in text order. */
  readonly nats: Float64Array;
  /** Where each token starts and ends in the text (UTF-16), two numbers a token. */
  readonly spans: Uint32Array;
  /** How many tokens are numbers or in the vocabulary. */
  readonly known: number;
}

/** The stretch of tokens with the highest mean. */
export interface WorstWindow {
  readonly mean: number;
  /** Place of its first token. */
  readonly first: number;
  /** Place after its last token. */
  readonly end: number;
}

const NUMBER = 0;
const NAME = 1;
const WORD = 2;
const UNCASED = 3;
const CLASSES = ['<number>', '<name>', '<word>', '<uncased>'];

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['\u2019]\p{L}+)*/gu;

/** The class of a word that is not in the vocabulary: digits (`1990s`, `2nd`), a capital first, a small letter first, or letters without case. */
function classOf(word: string): number {
  if (/^\p{N}+\p{L}{0,2}$/u.test(word)) return NUMBER;
  return /^\p{Lu}/u.test(word) ? NAME : /^\p{Ll}/u.test(word) ? WORD : UNCASED;
}

const fold = (word: string): string => word.toLowerCase().replaceAll('\u2019', "'");

/**
 * Counts the n-grams of some texts, within each text: words folded to small letters, each word outside the vocabulary as one of four
 * classes. Without texts there are the classes alone.
 */
export function trainNgramModel(texts: Iterable<string>, options: NgramOptions = {}): NgramModel {
  const { order = 2, minWordCount = 3, minNgramCount = 1 } = options;
  const types = new Map<string, number>();
  const counts: number[] = [];
  /** Each token as its type times four plus its class. */
  const lines = Array.from(texts, (text) =>
    Float64Array.from(text.match(TOKEN) ?? [], (word) => {
      const folded = fold(word);
      const type = types.get(folded) ?? types.size;
      types.set(folded, type);
      counts[type] = (counts[type] ?? 0) + 1;
      return type * CLASSES.length + classOf(word);
    }),
  );
  const words = [...types.keys()].filter((word) => counts[types.get(word)!]! >= minWordCount && classOf(word) !== NUMBER).sort();
  const vocabulary = [...CLASSES, ...words];
  const idOfType = new Map(words.map((word, index) => [types.get(word)!, index + CLASSES.length]));
  const unknown = new Set<number>();
  for (const line of lines) {
    for (const [at, token] of line.entries()) {
      const type = Math.floor(token / CLASSES.length);
      const known = idOfType.get(type);
      line[at] = known ?? token % CLASSES.length;
      if (known === undefined && line[at] === WORD) unknown.add(type);
    }
  }
  const unknownWords = Math.max(1, unknown.size);

  const levels: NgramLevel[] = [];
  /** For each text and token, the key of the n-gram that ends there, and then its place; -1 where there is none. */
  let ends: readonly Float64Array[] = lines;
  for (let length = 1; length <= order; length++) {
    // One occurrence more for each class, so that no text has probability 0.
    const seen = new Map<number, number>(length === 1 ? vocabulary.map((_, id) => [id, id < CLASSES.length ? 1 : 0]) : []);
    for (const keys of ends) for (const key of keys) if (key >= 0) seen.set(key, (seen.get(key) ?? 0) + 1);
    const kept = [...seen.keys()].filter((key) => length === 1 || seen.get(key)! >= minNgramCount);
    const level = ngramLevel(Float64Array.from(kept).sort(), (key) => seen.get(key)!);
    levels.push(level);
    ends = ends.map((keys, text) => {
      const places = keys.map((key) => find(level.keys, key));
      return keys.map((_, at) => (at === 0 || places[at - 1]! < 0 ? -1 : places[at - 1]! * vocabulary.length + lines[text]![at]!));
    });
  }
  return { vocabulary, unknownWords, levels };
}

/** A level from its ascending keys and the count of each. */
export function ngramLevel(keys: Float64Array, count: (key: number, place: number) => number): NgramLevel {
  const before = new Float64Array(keys.length + 1);
  for (let place = 0; place < keys.length; place++) before[place + 1] = before[place]! + count(keys[place]!, place);
  return { keys, before };
}

/** The first place whose key is not below the given one. */
function lowerBound(keys: Float64Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function find(keys: Float64Array, key: number): number {
  const place = lowerBound(keys, key);
  return keys[place] === key ? place : -1;
}

/**
 * Makes a function that gives the surprise, -ln P(w | h), of every token w of a text after the tokens h before it.
 *
 * P(w | h) = (c(hw) + T(h) P(w | h')) / (c(h) + T(h)), where c counts n-grams of the model, T(h) is how many different words follow the context
 * h there, and h' is h without its first word; an unseen context hands over to h' entirely. P(w) is c(w) / c. A token outside the vocabulary
 * has its class's probability: digits, a capital first (a name may be any word), letters without case; a token in small letters has an
 * equal share of its class, one of `unknownWords`. So vocabulary and classes sum to 1 after every context.
 *
 * Source: Witten and Bell 1991, "The zero-frequency problem", method C; interpolated as in Chen and Goodman 1999, section 2.4.
 */
export function ngramScorer({ vocabulary, unknownWords, levels }: NgramModel): (text: string) => TokenSurprises {
  const size = vocabulary.length;
  const ids = new Map(vocabulary.slice(CLASSES.length).map((word, index) => [word, index + CLASSES.length]));
  const unigrams = levels[0]!;
  const total = unigrams.before[size]!;
  return (text) => {
    const nats: number[] = [];
    const spans: number[] = [];
    let known = 0;
    /** Places of the n-grams of length 1, 2, ... that end at the token before. */
    let contexts: number[] = [];
    for (const { 0: word, index } of text.matchAll(TOKEN)) {
      const id = ids.get(fold(word)) ?? classOf(word);
      if (id === NUMBER || id >= CLASSES.length) known++;
      let probability = (unigrams.before[id + 1]! - unigrams.before[id]!) / total;
      const ending = [id];
      for (let length = 1; length <= contexts.length && length < levels.length; length++) {
        const { keys, before } = levels[length]!;
        const context = contexts[length - 1]!;
        const first = lowerBound(keys, context * size);
        const last = lowerBound(keys, (context + 1) * size);
        if (first === last) break;
        const place = find(keys, context * size + id);
        const followers = last - first;
        const count = place < 0 ? 0 : before[place + 1]! - before[place]!;
        probability = (count + followers * probability) / (before[last]! - before[first]! + followers);
        if (place >= 0) ending.push(place);
      }
      contexts = ending;
      nats.push(-Math.log(id === WORD ? probability / unknownWords : probability));
      spans.push(index, index + word.length);
    }
    return { nats: Float64Array.from(nats), spans: Uint32Array.from(spans), known };
  };
}

/** The window of `width` tokens with the highest mean, the earliest of equals; all tokens where there are no more. null without tokens. */
export function worstWindow(nats: Float64Array, width: number): WorstWindow | null {
  if (nats.length === 0) return null;
  const size = Math.min(width, nats.length);
  let sum = 0;
  for (let at = 0; at < size; at++) sum += nats[at]!;
  let worst = sum;
  let first = 0;
  for (let at = size; at < nats.length; at++) {
    sum += nats[at]! - nats[at - size]!;
    if (sum > worst) {
      worst = sum;
      first = at - size + 1;
    }
  }
  return { mean: worst / size, first, end: first + size };
}
