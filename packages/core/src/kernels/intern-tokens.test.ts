import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphabetOf, countTokens, internTokens, Lexicon, type TokenRule, UNDECIDED } from './intern-tokens.ts';

const split = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).filter((w) => w !== 'the' && w !== 'of');
const rule: TokenRule = {
  tokenize: split,
  alphabet: alphabetOf(/[\p{L}\p{N}_]/u, 256),
  punctuationSeparates: true,
  minLength: 2,
  dropped: 'the of',
};
const strings = (texts: readonly string[], by: TokenRule, maxTokens?: number): string[][] => {
  const { lexicon, ids, starts } = internTokens(texts, by, maxTokens);
  return texts.map((_, t) => Array.from(ids.subarray(starts[t], starts[t + 1]), (id) => lexicon.token(id)));
};

describe('internTokens', () => {
  it('gives the tokens of the definition, for texts its table decides and for others', () => {
    const unit = fc.constantFrom(
      ...'aAbBz09_ .-\u2019\u2026\u00c9\u00e9\u00d7\u00b5\u00aa\u03a3\u0130\u65e5\u212a\u2071'.split(''),
      'the ',
      ' of ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit: 'binary' }))), (texts) => {
        expect(strings(texts, rule)).toEqual(texts.map(split));
      }),
      { numRuns: 500 },
    );
  });

  it('stops at maxTokens in both ways', () => {
    const texts = ['aa the bb cc', '日本 aa bb', 'dd'];
    expect(strings(texts, rule, 2)).toEqual([['aa', 'bb'], ['日本', 'aa'], ['dd']]);
    expect(strings(texts, rule, 0)).toEqual([[], [], []]);
  });

  it('asks the table only about characters below its limit', () => {
    const ascii = alphabetOf(/[a-z]/, 128);
    expect([ascii[64], ascii[65], ascii[97], ascii[127], ascii[128], ascii[255]]).toEqual([0, 97, 97, 0, UNDECIDED, UNDECIDED]);
    const calls: string[] = [];
    const spy: TokenRule = {
      ...rule,
      alphabet: ascii,
      punctuationSeparates: false,
      tokenize: (text) => split(calls[calls.push(text) - 1]!),
    };
    expect(strings(['ab cd', 'ab\u00e9', 'ab\u2019cd'], spy)).toEqual([['ab', 'cd'], ['ab\u00e9'], ['ab', 'cd']]);
    expect(calls).toEqual(['ab\u00e9', 'ab\u2019cd']);
    calls.length = 0;
    strings(['ab\u2019\u2026cd', 'ab\u206f', 'ab\u2070', 'ab\u1fff'], { ...rule, tokenize: spy.tokenize });
    expect(calls).toEqual(['ab\u2070', 'ab\u1fff']);
  });

  it('grows for many texts and long ones', () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `w${i} w${i + 1} x`);
    expect(strings(texts, rule)).toEqual(texts.map(split));
    const single: TokenRule = { ...rule, minLength: 1, tokenize: (t) => t.match(/[a-z]+/g) ?? [] };
    expect(strings(['a b '.repeat(5000), 'c'], single).map((t) => t.length)).toEqual([10_000, 1]);
  });

  it('numbers equal tokens equally and others differently', () => {
    const { ids, lexicon } = internTokens(['aa bb aa', 'bb cc 日本', '日本 aa'], rule);
    expect(Array.from(ids.subarray(0, 8))).toEqual([2, 3, 2, 3, 4, 5, 5, 2]);
    expect(lexicon.size).toBe(6);
  });
});

describe('Lexicon', () => {
  it('numbers tokens in the order they came', () => {
    const lexicon = new Lexicon(4);
    const words = Array.from({ length: 2000 }, (_, i) => `w${i}`);
    expect(words.map((word) => lexicon.add(word))).toEqual(words.map((_, i) => i));
    expect(words.map((word) => lexicon.add(word))).toEqual(words.map((_, i) => i));
    expect(words.map((_, i) => lexicon.token(i))).toEqual(words);
    expect(lexicon.size).toBe(2000);
  });

  it('tells tokens apart that share their key: the last eight characters, or their low bytes', () => {
    const lexicon = new Lexicon(100);
    const words = Array.from({ length: 400 }, (_, i) => `${i}abcdefgh`).concat('abcdefgh', 'bcdefgh', 'a', '\u0161', '\u0261', '\u0161a');
    expect(words.map((word) => lexicon.add(word))).toEqual(words.map((_, i) => i));
    expect(words.map((word) => lexicon.add(word))).toEqual(words.map((_, i) => i));
    expect(lexicon.token(402)).toBe('a');
  });

  it('equals a Map', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '\u00ff', '\u0161'), maxLength: 12 }),
      fc.constantFrom('aaaaaaaaab', 'baaaaaaaab'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 400 }), (words) => {
        const lexicon = new Lexicon(10);
        const numbers = new Map<string, number>();
        for (const w of words) {
          if (!numbers.has(w)) numbers.set(w, numbers.size);
          expect(lexicon.add(w)).toBe(numbers.get(w));
        }
        expect(lexicon.size).toBe(numbers.size);
      }),
    );
  });
});

describe('countTokens', () => {
  it('gives the tokens of each text in the order they first came, with counts and the way back', () => {
    // Three texts: 2 0 2 | (none) | 0 1 0 0.
    const counted = countTokens(Int32Array.of(2, 0, 2, 0, 1, 0, 0), Int32Array.of(0, 3, 3, 7), 3);
    expect([...counted.starts]).toEqual([0, 2, 2, 4]);
    expect([...counted.ids.subarray(0, 4)]).toEqual([2, 0, 0, 1]);
    expect([...counted.counts.subarray(0, 4)]).toEqual([2, 1, 3, 1]);
    expect([...counted.previous.subarray(0, 4)]).toEqual([-1, -1, 1, -1]);
    expect([...counted.texts.subarray(0, 4)]).toEqual([0, 0, 2, 2]);
  });

  it('is empty for no texts', () => {
    expect(countTokens(new Int32Array(0), Int32Array.of(0), 0)).toMatchObject({ starts: Int32Array.of(0), ids: new Int32Array(0) });
  });
});
