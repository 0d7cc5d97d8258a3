import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphabetOf, hashOf, internTokens, Lexicon, type TokenRule, UNDECIDED } from './intern-tokens.ts';

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
  it('tells tokens of one hash apart, also when their slots are full', () => {
    const lexicon = new Lexicon(100);
    const words = Array.from({ length: 500 }, (_, i) => `w${i}`);
    const commit = (word: string): number => {
      lexicon.reserve(word.length);
      const start = lexicon.tail;
      for (let i = 0; i < word.length; i++) lexicon.characters[start + i] = word.charCodeAt(i);
      return lexicon.commit(start, start + word.length, 7);
    };
    expect(words.map(commit)).toEqual(words.map((_, i) => i));
    expect(words.map(commit)).toEqual(words.map((_, i) => i));
    expect(words.map((_, i) => lexicon.token(i))).toEqual(words);
    expect(lexicon.size).toBe(500);
  });

  it('hashes by FNV-1a', () => {
    // The published 32-bit value for "foobar".
    const codes = Uint16Array.from('xfoobar', (c) => c.charCodeAt(0));
    expect(hashOf(codes, 1, 7) >>> 0).toBe(0xbf9cf968);
  });
});
