import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenizeUnicode } from './tokenize-unicode.ts';
import { wordSpans } from './word-spans.ts';

const words = (text: string): string[] => wordSpans(text).map(({ start, end }) => text.slice(start, end));

describe('wordSpans', () => {
  it('says where words stand, in any script', () => {
    expect(wordSpans(' Goats, 2 caf\u00e9s')).toEqual([
      { start: 1, end: 6 },
      { start: 8, end: 9 },
      { start: 10, end: 15 },
    ]);
    expect(words('\u6bd2\u7269 \u304b\u3099a \ud55c\uad6d x\u0301y \u{1d400}b')).toEqual([
      '\u6bd2',
      '\u7269',
      '\u304b\u3099',
      'a',
      '\ud55c\uad6d',
      'x\u0301y',
      '\u{1d400}b',
    ]);
    expect(words('soft\u00adhyphen zero\u200bwidth')).toEqual(['soft\u00adhyphen', 'zero\u200bwidth']);
    expect(words('')).toEqual([]);
    expect(words(' ... !')).toEqual([]);
  });

  it('finds as many words as the tokeniser where nothing is folded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        expect(words(text).map((word) => word.toLowerCase())).toEqual(tokenizeUnicode(text));
      }),
    );
  });

  it('stays linear on long text', () => {
    const started = performance.now();
    for (const unit of ['a', '\u0301', '\u6bd2', '.', '\u200b', '\ud800']) wordSpans(unit.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
