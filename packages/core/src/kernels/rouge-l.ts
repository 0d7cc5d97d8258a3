import { BezoarError } from '../errors.ts';
import { alphabetOf, countTokens, internTokens, Lexicon, type TokenRule } from './intern-tokens.ts';
import { stemInPlace } from './porter-stem.ts';
import { tokenizeRouge, UNSTEMMED_LENGTH } from './tokenize-rouge.ts';
import { tokenizeUnicode } from './tokenize-unicode.ts';

const UNSTEMMED: TokenRule = {
  tokenize: (text) => tokenizeRouge(text, { stem: false }),
  alphabet: alphabetOf(/[a-z0-9]/, 256),
  punctuationSeparates: true,
  minLength: 1,
  dropped: '',
};
const UNICODE: TokenRule = { ...UNSTEMMED, tokenize: tokenizeUnicode, alphabet: alphabetOf(/[a-z0-9]/, 128), punctuationSeparates: false };

/** Bits of a machine word here: what JavaScript's integer operators work on. */
const BITS = 32;

export interface RougeLAboveOptions {
  /** Compare words of every script (see `tokenizeUnicode`). Default false: only a-z and 0-9, as the reference. */
  readonly unicode?: boolean;
  /** Tokens of a text that are compared; the rest is not read. Default 2000. */
  readonly maxTokens?: number;
}

/**
 * ROUGE-L F1 of two token lists: 2 LCS / (|a| + |b|), LCS being the length of their longest common subsequence. 0 when either is empty.
 *
 * Source: Lin 2004, ROUGE, section 3, with beta = 1.
 */
export function rougeL(a: readonly string[], b: readonly string[]): number {
  const numbers = new Map<string, number>();
  const number = (token: string): number => {
    const known = numbers.get(token);
    if (known !== undefined) return known;
    numbers.set(token, numbers.size);
    return numbers.size - 1;
  };
  const ids = Int32Array.from([...a.map(number), ...b.map(number)]);
  const pattern = new Pattern(numbers.size, a.length);
  pattern.set(ids, 0, a.length);
  const common = pattern.commonSubsequence(ids, a.length, ids.length);
  return common === 0 ? 0 : (2 * common) / ids.length;
}

/**
 * For every pair of texts whether their ROUGE-L F1 (stemmed tokens, see `tokenizeRouge`) is above the threshold: row-major n by n, 1 above,
 * 0 not, symmetric, zero diagonal. A text without tokens is above with none. F1 is compared as the double 2 LCS / (|a| + |b|), so a pair
 * that meets the threshold exactly is not above; rounding in rouge_score can put such a pair on either side.
 *
 * Exact: a pair is set aside early only when the words both have cannot make a subsequence long enough, and the subsequence is found bit
 * by bit (Allison and Dix 1986, A bit-string longest-common-subsequence algorithm), 32 tokens at a time.
 *
 * @param threshold - F1 in [0, 1]; TrustRAG's code has 0.25.
 * @throws {BezoarError} `INVALID_OPTION` when the threshold or `maxTokens` is out of range.
 *
 * Cost: O(characters + n^2 m (1 + m / 32)) for m tokens a text, m at most `maxTokens`.
 */
export function rougeLAbove(texts: readonly string[], threshold: number, options: RougeLAboveOptions = {}): Uint8Array {
  const { unicode = false, maxTokens = 2000 } = options;
  if (!(threshold >= 0 && threshold <= 1))
    throw new BezoarError('INVALID_OPTION', `the ROUGE-L threshold is a number from 0 to 1, not ${threshold}`);
  if (!(Number.isInteger(maxTokens) && maxTokens > 0))
    throw new BezoarError('INVALID_OPTION', `maxTokens is a whole number of 1 or more, not ${maxTokens}`);
  const n = texts.length;
  const { lexicon, ids, starts } = internTokens(texts, unicode ? UNICODE : UNSTEMMED, maxTokens);
  const stems = stemAll(lexicon);
  let longest = 0;
  for (let t = 0; t < n; t++) {
    longest = Math.max(longest, starts[t + 1]! - starts[t]!);
    for (let i = starts[t]!; i < starts[t + 1]!; i++) ids[i] = stems[ids[i]!]!;
  }
  // What two texts have in common word by word bounds their common subsequence.
  const shared = new Int32Array(n * n);
  const { counts, previous, texts: textOf, starts: countStarts } = countTokens(ids, starts, lexicon.size);
  for (let p = 0; p < countStarts[n]!; p++)
    for (let q = previous[p]!; q >= 0; q = previous[q]!) shared[textOf[q]! * n + textOf[p]!]! += Math.min(counts[p]!, counts[q]!);

  const above = new Uint8Array(n * n);
  const pattern = new Pattern(lexicon.size, longest);
  for (let i = 0; i < n; i++) {
    let isSet = false;
    for (let j = i + 1; j < n; j++) {
      const length = starts[i + 1]! - starts[i]! + starts[j + 1]! - starts[j]!;
      const bound = shared[i * n + j]!;
      if (bound === 0 || (2 * bound) / length <= threshold) continue;
      if (!isSet) pattern.set(ids, starts[i]!, starts[i + 1]!);
      isSet = true;
      const common = pattern.commonSubsequence(ids, starts[j]!, starts[j + 1]!);
      if ((2 * common) / length > threshold) above[i * n + j] = above[j * n + i] = 1;
    }
  }
  return above;
}

/** The number of each token's stem. */
function stemAll(lexicon: Lexicon): Int32Array {
  const { characters, ends, size } = lexicon;
  const stems = new Lexicon(ends[size]!);
  const numbers = new Int32Array(size);
  for (let id = 0; id < size; id++) {
    const from = ends[id]!;
    const length = ends[id + 1]! - from;
    const start = stems.ends[stems.size]!;
    for (let i = 0; i < length; i++) stems.characters[start + i] = characters[from + i]!;
    numbers[id] = stems.commit(length > UNSTEMMED_LENGTH ? stemInPlace(stems.characters, start, start + length) : start + length);
  }
  return numbers;
}

/** A token list held so that its longest common subsequence with many others is quick to find. */
class Pattern {
  private length = 0;
  private words = 0;
  private distinct = 0;
  /** Slot of each token number in the arrays below, -1 when the list has none of it. */
  private readonly slots: Int32Array;
  private readonly tokens: Int32Array;
  /** `words` integers a slot: bit p is set where position p holds the token. */
  private masks: Int32Array;
  private readonly row: Int32Array;

  constructor(vocabulary: number, longest: number) {
    this.slots = new Int32Array(vocabulary).fill(-1);
    this.tokens = new Int32Array(longest);
    this.row = new Int32Array(Math.ceil(longest / BITS));
    this.masks = new Int32Array(longest * this.row.length);
  }

  set(ids: Int32Array, from: number, to: number): void {
    for (let s = 0; s < this.distinct; s++) this.slots[this.tokens[s]!] = -1;
    this.distinct = 0;
    this.length = to - from;
    this.words = Math.ceil(this.length / BITS);
    const { slots, tokens, masks, words } = this;
    for (let i = from; i < to; i++) {
      const id = ids[i]!;
      let slot = slots[id]!;
      if (slot < 0) {
        slot = this.distinct++;
        slots[id] = slot;
        tokens[slot] = id;
        masks.fill(0, slot * words, (slot + 1) * words);
      }
      const position = i - from;
      masks[slot * words + (position >>> 5)]! |= 1 << (position & 31);
    }
  }

  /** Length of the longest common subsequence with `ids[from, to)`. */
  commonSubsequence(ids: Int32Array, from: number, to: number): number {
    const { slots, masks, row, words } = this;
    // A bit of the row is 0 where the subsequence grows by one.
    row.fill(-1, 0, words);
    for (let i = from; i < to; i++) {
      const slot = slots[ids[i]!]!;
      if (slot < 0) continue;
      let carry = 0;
      for (let w = 0; w < words; w++) {
        const v = row[w]!;
        const mask = masks[slot * words + w]!;
        const u = v & mask;
        const sum = (v + u + carry) | 0;
        carry = ((v & u) | ((v | u) & ~sum)) >>> 31;
        row[w] = sum | (v & ~mask);
      }
    }
    let common = 0;
    for (let w = 0; w < words; w++) common += bitCount(~row[w]!);
    return common;
  }
}

/** Ones in 32 bits. */
function bitCount(bits: number): number {
  let x = bits - ((bits >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
