import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestSharedRun } from './longest-shared-run.ts';

/** Tries every piece of the phrase at every place, longest first. */
function twin(phrase: readonly string[], words: readonly string[]): number {
  for (let length = phrase.length; length > 0; length--) {
    for (let from = 0; from + length <= phrase.length; from++) {
      for (let at = 0; at + length <= words.length; at++) {
        if (phrase.slice(from, from + length).every((word, offset) => words[at + offset] === word)) return length;
      }
    }
  }
  return 0;
}

const split = (text: string): string[] => text.split(' ').filter((word) => word !== '');

describe('longestSharedRun', () => {
  it.each([
    ['when did the tower open', 'so when did the tower open then', 5],
    ['when did the tower open', 'the tower did open when', 2],
    ['when did the tower open', 'when it did, the tower was open', 2],
    ['a a a', 'a a a a a', 3],
    ['a b a b', 'b a b a', 3],
    ['a b c', 'a x b x c', 1],
    ['a b', 'c d', 0],
    ['', 'a', 0],
    ['a', '', 0],
  ])('%j in %j is %i', (phrase, text, expected) => {
    expect(longestSharedRun(split(phrase), split(text))).toBe(expected);
  });

  it('agrees with trying every piece', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 });
    fc.assert(
      fc.property(few, few, (phrase, words) => {
        expect(longestSharedRun(phrase, words)).toBe(twin(phrase, words));
      }),
    );
  });
});
