import { describe, expect, it } from 'vitest';
import { wordQuery, wordVector } from './word-vector.ts';

describe('words in the form of PostgreSQL', () => {
  it('has each word with as many places as it occurs', () => {
    expect(wordVector('The Bridge, the bridge of Halden; bridge!')).toEqual({ words: "'bridge':1,2,3 'halden':1", length: 4 });
    expect(wordVector("it's ' \\ the a")).toEqual({ words: '', length: 0 });
    expect(wordVector('')).toEqual({ words: '', length: 0 });
  });

  it('is bounded: places, words and bytes', () => {
    expect(wordVector('ab '.repeat(1000))).toEqual({
      words: `'ab':${Array.from({ length: 255 }, (_, i) => i + 1).join(',')}`,
      length: 1000,
    });
    expect(wordVector(`${'x'.repeat(501)} ${'y'.repeat(500)}`)).toEqual({ words: `'${'y'.repeat(500)}':1`, length: 2 });
    const { words, length } = wordVector(Array.from({ length: 100_000 }, (_, index) => `w${100_000 + index}`).join(' '));
    expect(length).toBe(100_000);
    // Seven bytes, one place of two, and eight.
    expect(words.split(' ')).toHaveLength(Math.floor(900_000 / 17));
  });

  it('asks for each word once, with how often the question has it', () => {
    expect(wordQuery('Bridge & bridge | (Halden) the')).toEqual({ words: ["'bridge'", "'halden'"], times: [2, 1] });
    expect(wordQuery('?!')).toEqual({ words: [], times: [] });
    expect(wordQuery(Array.from({ length: 300 }, (_, index) => `w${index}`).join(' ')).words).toHaveLength(256);
  });
});
