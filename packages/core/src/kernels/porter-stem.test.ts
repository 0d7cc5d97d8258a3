import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/porter-stem.json' with { type: 'json' };
import { porterStem, stemInPlace } from './porter-stem.ts';

const entries = golden.words.split(' ').map((entry): [string, string] => {
  const [word, change] = entry.split('/') as [string, string | undefined];
  const cut = Number.parseInt(change ?? '0', 10);
  return [word, change === undefined ? word : word.slice(0, word.length - cut) + change.slice(String(cut).length)];
});

describe('porterStem', () => {
  it('gives the stem NLTK gives, for every word of the golden file', () => {
    expect(entries.length).toBe(golden.count);
    expect(entries.length).toBeGreaterThan(20_000);
    const wrong = entries
      .filter(([word, stem]) => porterStem(word) !== stem)
      .map(([word, stem]) => `${word}: ${porterStem(word)} not ${stem}`);
    expect(wrong).toEqual([]);
  });

  it('leaves the empty word and lower-cases', () => {
    expect(porterStem('')).toBe('');
    expect(porterStem('RUNNING')).toBe('run');
    expect(porterStem('SKIES')).toBe('sky');
  });

  it('writes only inside the word it is given', () => {
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.nat(5), ([word, stem], before) => {
        const codes = new Uint16Array(before + word.length + 3).fill(121);
        for (let i = 0; i < word.length; i++) codes[before + i] = word.charCodeAt(i);
        const end = stemInPlace(codes, before, before + word.length);
        expect(String.fromCharCode(...codes.subarray(before, end))).toBe(stem);
        expect(Array.from(codes.subarray(0, before))).toEqual(new Array(before).fill(121));
        expect(Array.from(codes.subarray(before + word.length))).toEqual([121, 121, 121]);
      }),
    );
  });

  it('takes any string, never longer than it was, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (word) => {
        expect(porterStem(word).length).toBeLessThanOrEqual(word.toLowerCase().length);
      }),
    );
    // An even run of y ends in a vowel, so the last y stays.
    expect(porterStem('y'.repeat(200_000))).toHaveLength(200_000);
    expect(porterStem('alli'.repeat(50_000)).startsWith('allialli')).toBe(true);
  });
});
