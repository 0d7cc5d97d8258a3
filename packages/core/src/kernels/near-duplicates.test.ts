import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestEarlier, SKETCH } from './near-duplicates.ts';
import { tokenizeUnicode } from './tokenize-unicode.ts';

/** Jaccard index of the sets of three-word shingles, with strings instead of hashes. */
function slowResemblance(a: string, b: string): number {
  const shingles = (text: string): Set<string> => {
    const words = tokenizeUnicode(text);
    if (words.length === 0) return new Set();
    if (words.length < 3) return new Set([words.join(' ')]);
    return new Set(words.slice(2).map((_, index) => words.slice(index, index + 3).join(' ')));
  };
  const left = shingles(a);
  const right = shingles(b);
  const both = [...left].filter((shingle) => right.has(shingle)).length;
  const either = left.size + right.size - both;
  return either === 0 ? 0 : both / either;
}

/** The kernel's resemblance of two texts. */
const resemblance = (a: string, b: string): number => nearestEarlier([a, b], 2)[1]?.similarity ?? Number.NaN;

const sentence = fc.array(fc.constantFrom('a', 'b', 'c', 'D', 'é'), { maxLength: 12 }).map((words) => words.join(' '));
const numbers = (from: number, to: number): string => Array.from({ length: to - from }, (_, index) => `w${from + index}`).join(' ');

describe('near duplicates', () => {
  it('counts shared shingles of three words', () => {
    // Six words, four shingles each; the last word differs, so 3 of 5.
    expect(nearestEarlier(['one two three four five six', 'one two three four five seven'], 2)).toEqual([
      { index: -1, similarity: 0 },
      { index: 0, similarity: 3 / 5 },
    ]);
  });

  it('ignores case, punctuation and invisible characters, keeps word order', () => {
    expect(resemblance('The tower, leans.', 'the TO\u200bWER leans')).toBe(1);
    expect(resemblance('the tower leans', 'leans the tower')).toBe(0);
  });

  it('compares Chinese by character', () => {
    expect(resemblance('北京是首都', '北京是首府')).toBe(2 / 4);
  });

  it('treats short texts as one shingle and texts without words as nothing', () => {
    expect(resemblance('two words', 'Two words!')).toBe(1);
    expect(nearestEarlier(['...', '...', ''], 0.5)).toEqual([null, null, null]);
    expect(nearestEarlier([], 0.5)).toEqual([]);
    expect(nearestEarlier(['one'], 0.5)).toEqual([{ index: -1, similarity: 0 }]);
  });

  it('does not compare with a text that is itself a near duplicate', () => {
    const texts = [numbers(0, 22), numbers(1, 23), numbers(2, 24)];
    // Neighbours share 19 of 21 shingles, the outer two 18 of 22.
    expect(nearestEarlier(texts, 0.9).map((nearest) => nearest?.index)).toEqual([-1, 0, 0]);
    expect(nearestEarlier(texts, 0.9)[2]?.similarity).toBe(18 / 22);
    expect(nearestEarlier(texts, 0.95)[2]).toEqual({ index: 1, similarity: 19 / 21 });
  });

  it('names the first of several that are alike', () => {
    expect(nearestEarlier(['a b c', 'x y z', 'a b c d', 'c b a', 'a b c'], 2).map((nearest) => nearest?.index)).toEqual([-1, -1, 0, -1, 0]);
  });

  it('agrees with sets of strings', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 6 }), (texts) => {
        const found = nearestEarlier(texts, 2);
        for (const [index, text] of texts.entries()) {
          const similarities = texts.slice(0, index).map((earlier) => slowResemblance(earlier, text));
          expect(found[index]?.similarity ?? 0).toBe(Math.max(0, ...similarities));
          if (found[index] && found[index].index >= 0) expect(found[index].index).toBe(similarities.indexOf(found[index].similarity));
        }
      }),
    );
  });

  it('estimates long texts from sketches', () => {
    expect(SKETCH).toBe(512);
    for (const shift of [100, 500, 2000]) {
      const exact = (4998 - shift) / (4998 + shift);
      expect(Math.abs(resemblance(numbers(0, 5000), numbers(shift, 5000 + shift)) - exact)).toBeLessThan(0.07);
    }
    // A short text in a long one: 98 of 4998.
    expect(resemblance(numbers(0, 5000), numbers(50, 150))).toBeLessThan(0.05);
  });

  it('finds every copy among many long passages that share most of their words', () => {
    const texts = Array.from({ length: 120 }, (_, index) => `${numbers(0, 400)} ${numbers(1000 * index + 1000, 1000 * index + 1200)}`);
    expect(nearestEarlier(texts, 0.9).filter((nearest) => nearest?.index === -1)).toHaveLength(1);
  });
});
