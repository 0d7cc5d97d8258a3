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
const GENERAL_PUNCTUATION_SIZE = 0x70;
const HASH_SEED = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;
// An attacker can write words of one hash. After this many slots a token goes to a Map, whose hash is seeded by the engine.
const MAX_PROBES = 8;
const MAX_SLOTS = 1 << 16;

/** Distinct tokens, numbered from 0 in the order they came; all their characters lie in one buffer. */
export class Lexicon {
  size = 0;
  /** Token `i` is `characters[ends[i - 1], ends[i])`; behind the last one the next is written before `commit`. */
  characters: Uint16Array;
  ends: Int32Array;
  private hashes: Int32Array;
  private readonly slots: Int32Array;
  private readonly overflow = new Map<string, number>();

  /** @param expected - Characters to come; only sizes the buffers. */
  constructor(expected: number) {
    let slots = 256;
    while (slots < MAX_SLOTS && slots * 4 < expected) slots *= 2;
    this.slots = new Int32Array(slots);
    this.characters = new Uint16Array(expected + 64);
    this.ends = new Int32Array((slots >> 1) + 1);
    this.hashes = new Int32Array((slots >> 1) + 1);
  }

  /** Where the next token is to be written. */
  get tail(): number {
    return this.size === 0 ? 0 : this.ends[this.size - 1]!;
  }

  /** Makes room for `more` characters behind the last token. */
  reserve(more: number): void {
    const needed = this.tail + more;
    if (needed <= this.characters.length) return;
    const grown = new Uint16Array(needed * 2);
    grown.set(this.characters);
    this.characters = grown;
  }

  /** The number of the token written at `[start, end)` behind the last one, new or not. `hash` is any function of its characters. */
  commit(start: number, end: number, hash: number): number {
    const { slots, characters, ends, hashes } = this;
    const mask = slots.length - 1;
    let slot = hash ^ (hash >>> 15);
    for (let probe = 0; probe < MAX_PROBES; probe++, slot++) {
      const found = slots[slot & mask]! - 1;
      if (found < 0) {
        slots[slot & mask] = this.size + 1;
        return this.append(end, hash);
      }
      if (hashes[found] !== hash) continue;
      let at = found === 0 ? 0 : ends[found - 1]!;
      if (ends[found]! - at !== end - start) continue;
      let own = start;
      while (own < end && characters[at] === characters[own]) {
        at++;
        own++;
      }
      if (own === end) return found;
    }
    const token = this.read(start, end);
    const known = this.overflow.get(token);
    if (known !== undefined) return known;
    this.overflow.set(token, this.size);
    return this.append(end, hash);
  }

  token(id: number): string {
    return this.read(id === 0 ? 0 : this.ends[id - 1]!, this.ends[id]!);
  }

  private read(start: number, end: number): string {
    let text = '';
    for (let i = start; i < end; i++) text += String.fromCharCode(this.characters[i]!);
    return text;
  }

  private append(end: number, hash: number): number {
    const id = this.size++;
    if (id === this.ends.length) {
      this.ends = grow(this.ends);
      this.hashes = grow(this.hashes);
    }
    this.ends[id] = end;
    this.hashes[id] = hash;
    return id;
  }
}

const grow = (array: Int32Array): Int32Array<ArrayBuffer> => {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
};

/** Hash of a token written behind the last one of a lexicon. */
export function hashOf(characters: Uint16Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ characters[i]!, HASH_PRIME);
  return hash;
}

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
export function internTokens(texts: readonly string[], rule: TokenRule, maxTokens = Number.POSITIVE_INFINITY): InternedTexts {
  let total = 0;
  for (const text of texts) total += text.length;
  const lexicon = new Lexicon(Math.min(total, maxTokens * 16 * texts.length) + rule.dropped.length);
  const starts = new Int32Array(texts.length + 1);
  let ids = new Int32Array((total >> 2) + 64);
  let used = 0;
  const room = (more: number): void => {
    while (used + more > ids.length) ids = grow(ids);
  };

  /** Adds the tokens of a text; false, with nothing added, when the table cannot decide a character. */
  const scan = (text: string, firstKept: number): boolean => {
    const { alphabet, minLength, punctuationSeparates } = rule;
    const length = text.length;
    lexicon.reserve(length + 1);
    room(Math.min(maxTokens, (length >> 1) + 1));
    const characters = lexicon.characters;
    const target = ids;
    const from = used;
    const limit = from + maxTokens;
    let start = lexicon.tail;
    let end = start;
    let hash = HASH_SEED;
    let next = from;
    for (let at = 0; at <= length && next < limit; at++) {
      const code = at < length ? text.charCodeAt(at) : 32;
      let character = UNDECIDED;
      if (code < 256) character = alphabet[code]!;
      else if (punctuationSeparates && (code - GENERAL_PUNCTUATION) >>> 0 < GENERAL_PUNCTUATION_SIZE) character = 0;
      if (character === 0) {
        if (end === start) continue;
        if (end - start >= minLength) {
          const id = lexicon.commit(start, end, hash);
          if (id >= firstKept) target[next++] = id;
          start = lexicon.tail;
        }
        end = start;
        hash = HASH_SEED;
      } else if (character === UNDECIDED) {
        return false;
      } else {
        characters[end++] = character;
        hash = Math.imul(hash ^ character, HASH_PRIME);
      }
    }
    used = next;
    return true;
  };

  scan(rule.dropped, 0);
  used = 0;
  const firstKept = lexicon.size;
  for (let t = 0; t < texts.length; t++) {
    const text = texts[t]!;
    if (!scan(text, firstKept)) {
      const tokens = rule.tokenize(text);
      const count = Math.min(tokens.length, maxTokens);
      room(count);
      for (let i = 0; i < count; i++) ids[used++] = internToken(lexicon, tokens[i]!);
    }
    starts[t + 1] = used;
  }
  return { lexicon, ids, starts };
}

function internToken(lexicon: Lexicon, token: string): number {
  lexicon.reserve(token.length);
  const start = lexicon.tail;
  const end = start + token.length;
  for (let i = 0; i < token.length; i++) lexicon.characters[start + i] = token.charCodeAt(i);
  return lexicon.commit(start, end, hashOf(lexicon.characters, start, end));
}
