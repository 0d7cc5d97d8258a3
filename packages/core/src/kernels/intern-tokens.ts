/** Entry of an alphabet for a code unit that the table cannot decide: the text goes through `tokenize` instead. */
export const UNDECIDED = 0xffff;

/** How texts become tokens: a slow definition, and a table that gives the same for the texts it can decide. */
export interface TokenRule {
  /** The definition. */
  readonly tokenize: (text: string) => string[];
  /** For each code unit below its length: the lower-case code unit in a token, 0 where it separates, or `UNDECIDED`. */
  readonly alphabet: Uint16Array;
  /** Whether the General Punctuation block (curly quotes, dashes, ellipsis) only separates; everything else above the table is undecided. */
  readonly punctuationSeparates: boolean;
  /** Shorter tokens are dropped. */
  readonly minLength: number;
  /** Tokens that are dropped, separated by spaces. */
  readonly dropped: string;
}

/** The alphabet of a tokeniser, asked one character at a time; characters from `decided` on are left undecided. */
export function alphabetOf(isTokenCharacter: RegExp, decided: number): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, code) => {
    const lower = String.fromCharCode(code).toLowerCase();
    return code >= decided ? UNDECIDED : isTokenCharacter.test(lower) ? lower.charCodeAt(0) : 0;
  });
}

const GENERAL_PUNCTUATION = 0x2000;
const GENERAL_PUNCTUATION_MASK = 0xff80;
const GENERAL_PUNCTUATION_END = 0x2070;
/** Characters a key holds: two integers of four bytes. */
const KEY_LENGTH = 8;
// An attacker can write words that fall into one slot. After this many a token goes to a Map, whose hash is seeded by the engine.
const MAX_PROBES = 8;
const MAX_SLOTS = 1 << 16;
/** More than a string can hold, and still a small integer when added to as many. */
const MAX_TOKENS = 1 << 29;

/**
 * Distinct tokens, numbered from 0 in the order they came; all their characters lie in one buffer. A token of characters below U+0100 is
 * found by its last eight, which two integers hold, so that short ones need no comparison by character; others by a Map.
 */
export class Lexicon {
  size = 0;
  /** Token `i` is `characters[ends[i], ends[i + 1])`; the next is written from `ends[size]` on before it is committed. */
  characters: Uint16Array;
  ends: Int32Array;
  private keys: Int32Array;
  private readonly slots: Int32Array;
  private others: Map<string, number> | undefined;

  /** @param expected - Characters to come; only sizes the buffers. */
  constructor(expected: number) {
    let slots = 256;
    while (slots < MAX_SLOTS && slots * 4 < expected) slots *= 2;
    this.slots = new Int32Array(slots);
    this.characters = new Uint16Array(expected);
    this.ends = new Int32Array(slots >> 1);
    this.keys = new Int32Array(slots);
  }

  /** Makes room for `more` characters behind the last token. */
  reserve(more: number): void {
    const needed = this.ends[this.size]! + more;
    if (needed <= this.characters.length) return;
    const grown = new Uint16Array(needed * 2);
    grown.set(this.characters);
    this.characters = grown;
  }

  /** The number of the token written behind the last one, up to `end`, new or not. */
  commit(end: number): number {
    const start = this.ends[this.size]!;
    let high = 0;
    let low = 0;
    let all = 0;
    for (let i = start; i < end; i++) {
      const character = this.characters[i]!;
      all |= character;
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | character;
    }
    return all < 256 ? this.find(start, end, high, low) : this.findOther(end, high, low);
  }

  /** `commit` with the key at hand. */
  private find(start: number, end: number, high: number, low: number): number {
    const { slots, characters, ends, keys } = this;
    const mask = slots.length - 1;
    const hash = Math.imul(Math.imul(high, 0x85ebca6b) ^ low, 0x9e3779b1);
    let slot = hash >>> 15;
    for (let probe = 0; probe < MAX_PROBES; probe++, slot++) {
      const id = slots[slot & mask]! - 1;
      if (id < 0) {
        slots[slot & mask] = this.size + 1;
        return this.append(end, high, low);
      }
      if (keys[2 * id] !== high || keys[2 * id + 1] !== low) continue;
      let at = ends[id]!;
      if (ends[id + 1]! - at !== end - start) continue;
      let own = start;
      while (own < end - KEY_LENGTH && characters[at] === characters[own]) {
        at++;
        own++;
      }
      if (own >= end - KEY_LENGTH) return id;
    }
    return this.findOther(end, high, low);
  }

  private findOther(end: number, high: number, low: number): number {
    const token = this.read(this.ends[this.size]!, end);
    this.others ??= new Map();
    const known = this.others.get(token);
    if (known !== undefined) return known;
    this.others.set(token, this.size);
    return this.append(end, high, low);
  }

  private append(end: number, high: number, low: number): number {
    const id = this.size++;
    if (this.size === this.ends.length) {
      this.ends = grow(this.ends);
      this.keys = grow(this.keys);
    }
    this.ends[this.size] = end;
    this.keys[2 * id] = high;
    this.keys[2 * id + 1] = low;
    return id;
  }

  /** The number of a token, new or not. */
  add(token: string): number {
    this.reserve(token.length);
    const start = this.ends[this.size]!;
    for (let i = 0; i < token.length; i++) this.characters[start + i] = token.charCodeAt(i);
    return this.commit(start + token.length);
  }

  /**
   * Numbers the tokens of a text into `ids` from `at` on, up to `limit`, leaving out those below `firstKept`. Returns where it stopped,
   * or -1 when the rule's table cannot decide a character.
   */
  scan(text: string, rule: TokenRule, ids: Int32Array, at: number, limit: number, firstKept: number): number {
    const length = text.length;
    this.reserve(length);
    const { alphabet, minLength, punctuationSeparates } = rule;
    const characters = this.characters;
    let next = at;
    let start = this.ends[this.size]!;
    let position = 0;
    while (position < length && next < limit) {
      let end = start;
      let high = 0;
      let low = 0;
      while (position < length) {
        const code = text.charCodeAt(position++);
        let character = UNDECIDED;
        if (code < 256) character = alphabet[code]!;
        else if (punctuationSeparates && (code & GENERAL_PUNCTUATION_MASK) === GENERAL_PUNCTUATION && code < GENERAL_PUNCTUATION_END)
          character = 0;
        if (character === 0) break;
        if (character === UNDECIDED) return -1;
        characters[end++] = character;
        high = (high << 8) | (low >>> 24);
        low = (low << 8) | character;
      }
      if (end - start < minLength) continue;
      const id = this.find(start, end, high, low);
      if (id >= firstKept) ids[next++] = id;
      start = this.ends[this.size]!;
    }
    return next;
  }

  token(id: number): string {
    return this.read(this.ends[id]!, this.ends[id + 1]!);
  }

  private read(start: number, end: number): string {
    let text = '';
    for (let i = start; i < end; i++) text += String.fromCharCode(this.characters[i]!);
    return text;
  }
}

const grow = (array: Int32Array): Int32Array<ArrayBuffer> => {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
};

/** The token numbers of texts: those of text `t` are `ids[starts[t], starts[t + 1])`. */
export interface InternedTexts {
  readonly lexicon: Lexicon;
  readonly ids: Int32Array;
  readonly starts: Int32Array;
}

/**
 * Turns texts into numbers, equal for equal tokens, at most `maxTokens` a text. The same as numbering `rule.tokenize(text)`, without
 * making strings for texts in which the rule's table decides every character.
 */
export function internTokens(texts: readonly string[], rule: TokenRule, maxTokens = MAX_TOKENS): InternedTexts {
  let total = 0;
  for (const text of texts) total += text.length;
  const lexicon = new Lexicon(Math.min(total, maxTokens * 16 * texts.length) + rule.dropped.length);
  const starts = new Int32Array(texts.length + 1);
  let ids = new Int32Array((total >> 2) + 64);
  let used = 0;
  const room = (more: number): void => {
    while (used + more > ids.length) ids = grow(ids);
  };

  lexicon.scan(rule.dropped, rule, ids, 0, 1, MAX_TOKENS);
  const firstKept = lexicon.size;
  for (let t = 0; t < texts.length; t++) {
    const text = texts[t]!;
    room(Math.min(maxTokens, (text.length >> 1) + 1));
    const stop = lexicon.scan(text, rule, ids, used, used + maxTokens, firstKept);
    if (stop >= 0) used = stop;
    else {
      const tokens = rule.tokenize(text);
      const count = Math.min(tokens.length, maxTokens);
      room(count);
      for (let i = 0; i < count; i++) ids[used++] = lexicon.add(tokens[i]!);
    }
    starts[t + 1] = used;
  }
  return { lexicon, ids, starts };
}

/** The distinct tokens of texts with their counts: those of text `t` are at `[starts[t], starts[t + 1])`, in the order they first came. */
export interface TokenCounts {
  readonly starts: Int32Array;
  readonly ids: Int32Array;
  readonly counts: Int32Array;
  /** Where the token stands in the nearest text before that has it, -1 for none: the way to all texts that share it. */
  readonly previous: Int32Array;
  /** The text of each position. */
  readonly texts: Int32Array;
}

/** Counts the tokens of each text. `size` is more than every id. */
export function countTokens(ids: Int32Array, starts: Int32Array, size: number): TokenCounts {
  const texts = starts.length - 1;
  const total = starts[texts]!;
  const result = {
    starts: new Int32Array(texts + 1),
    ids: new Int32Array(total),
    counts: new Int32Array(total),
    previous: new Int32Array(total),
    texts: new Int32Array(total),
  };
  const latest = new Int32Array(size).fill(-1);
  let used = 0;
  for (let t = 0; t < texts; t++) {
    const from = used;
    for (let i = starts[t]!; i < starts[t + 1]!; i++) {
      const id = ids[i]!;
      const known = latest[id]!;
      if (known >= from) result.counts[known]!++;
      else {
        latest[id] = used;
        result.ids[used] = id;
        result.counts[used] = 1;
        result.previous[used] = known;
        result.texts[used++] = t;
      }
    }
    result.starts[t + 1] = used;
  }
  return result;
}
