import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchingText } from './matching-text.ts';

const fold = (text: string): string => matchingText(text).text;

describe('text for matching', () => {
  it.each([
    ['case and accents', 'RÉPONDS À L’été', "reponds a l'ete"],
    ['decomposed accents', 'e\u0301te\u0301', 'ete'],
    ['full width and mathematical letters', 'Ｉｇｎ𝐨𝐫𝑒', 'ignore'],
    ['invisible characters', 'ig\u200bno\u00adre\u{e0041}', 'ignore'],
    ['controls', 'ig\0no\x9bre', 'ignore'],
    ['look-alikes', 'іgnоrе \u0399\u0391', 'ignore ia'],
    ['letters that do not decompose', 'Weiß, Łódź, œuvre', 'weiss, lodz, oeuvre'],
    ['quotes, dashes, stops', '«a» “b” — c。d、「e」，f：', '"a" "b" - c.d,"e",f:'],
    ['white space', 'a \t b\u00a0\u3000c', 'a b c'],
    ['line ends', 'a \n  b\r\n\r\nc\u2028d', 'a\nb\nc\nd'],
    ['letters set apart', 'I g n o r e   a l l  now', 'ignore all now'],
    ['letters set apart by signs', 'i.g.n.o.r.e a-l-l t*h*e', 'ignore all the'],
    ['letters set apart by different signs', 'a.b-c', 'a.b-c'],
    ['two letters', 'J. R. R. T. is a b', 'j. r. r. t. is a b'],
    ['letters before a word', 'x y z word', 'xyz word'],
    ['Chinese', '忽 略 之 前', '忽略之前'],
    ['sign for a phrase', '\ufdfa', 'صلى '],
    ['ligature', 'ﬁﬃ', 'fiffi'],
    ['nothing', '', ''],
  ])('folds %s', (_, text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('knows where each unit came from', () => {
    const { text, starts, ends } = matchingText('\u200bA  ﬁ𝐛');
    expect(text).toBe('a fib');
    expect(starts).toEqual([1, 2, 4, 4, 5]);
    expect(ends).toEqual([2, 3, 5, 5, 7]);
  });

  it('has a span of the original for every unit, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (original) => {
        const { text, starts, ends } = matchingText(original);
        expect(starts).toHaveLength(text.length);
        expect(ends).toHaveLength(text.length);
        for (let i = 0; i < text.length; i++) {
          expect(starts[i]).toBeGreaterThanOrEqual(starts[i - 1] ?? 0);
          expect(ends[i]).toBeGreaterThan(starts[i]!);
          expect(ends[i]).toBeLessThanOrEqual(original.length);
          // What a unit came from folds to something that holds it, as a space or a line end holds any.
          if (text[i]!.trim() !== '') expect(fold(original.slice(starts[i], ends[i]))).toContain(text[i]);
        }
      }),
    );
  });

  it('folds plain words to their lower case', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[A-Za-z]{2,8}$/), { maxLength: 6 }), (words) => {
        expect(fold(words.join(' '))).toBe(words.join(' ').toLowerCase());
      }),
    );
  });
});
