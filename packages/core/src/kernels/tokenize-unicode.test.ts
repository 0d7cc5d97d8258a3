import { describe, expect, it } from 'vitest';
import { tokenizeUnicode } from './tokenize-unicode.ts';

describe('tokenizeUnicode', () => {
  it.each([
    ['', []],
    ['... !?', []],
    ['The cat, 3 Dogs', ['the', 'cat', '3', 'dogs']],
    ['Кремль заявил: нет', ['кремль', 'заявил', 'нет']],
    ['日本語の文', ['日', '本', '語', 'の', '文']],
    ['iPhoneは2016年 ㄅㄆ', ['iphone', 'は', '2016', '年', 'ㄅ', 'ㄆ']],
    ['한국어 문장', ['한국어', '문장']],
    ['हिन्दी शब्द', ['हिन्दी', 'शब्द']],
    ['e\u0301te\u0301 \u00e9t\u00e9', ['\u00e9t\u00e9', '\u00e9t\u00e9']],
    ['poi\u200bson poi\u00adson poison', ['poison', 'poison', 'poison']],
    ['ＦＵＬＬ ﬁne', ['full', 'fine']],
    ['か\u3099', ['が']],
    ['𠮷野', ['𠮷', '野']],
    ['a_b \ud800 😀', ['a', 'b']],
  ])('%j gives %j', (text, tokens) => {
    expect(tokenizeUnicode(text)).toEqual(tokens);
  });

  it('is quick on a hostile run of combining marks', () => {
    const start = performance.now();
    expect(tokenizeUnicode(`a${'\u0301\u0316'.repeat(100_000)}`)).toHaveLength(1);
    // Plain normalisation takes about 10 seconds for this text.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
