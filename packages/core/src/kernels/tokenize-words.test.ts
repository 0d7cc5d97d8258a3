import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/python-unicode.json' with { type: 'json' };
import { STOP_WORDS, tokenizeWords } from './tokenize-words.ts';

/** Code points of the runs of a golden file: distance from the end of the run before, length. */
function expand(runs: readonly number[]): Set<number> {
  const points = new Set<number>();
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    at += runs[i]!;
    for (const end = at + runs[i + 1]!; at < end; at++) points.add(at);
  }
  return points;
}

describe('tokenizeWords', () => {
  it('has the 33 stop words of bm25s', () => {
    expect(STOP_WORDS.size).toBe(33);
    expect(tokenizeWords(Array.from(STOP_WORDS).join(' '))).toEqual([]);
  });

  it('counts the words of golden vector 13.1', () => {
    expect(tokenizeWords('when did the apple iphone se come out. It launched on April 15 2015 to gadget fans')).toEqual(
      'when did apple iphone se come out launched april 15 2015 gadget fans'.split(' '),
    );
    expect(tokenizeWords('The iPhone SE was released by Apple in March 2016 with iOS 9')).toHaveLength(7);
  });

  it('drops single characters and stop words, keeps repeats and underscores', () => {
    expect(tokenizeWords('a b c')).toEqual([]);
    expect(tokenizeWords('the of and')).toEqual([]);
    expect(tokenizeWords('')).toEqual([]);
    expect(tokenizeWords('x-ray X-Ray snake_case __ _')).toEqual(['ray', 'ray', 'snake_case', '__']);
    expect(tokenizeWords("don't THEN thens")).toEqual(['don', 'thens']);
  });

  it.each(golden.samples.map((s) => s as unknown as [string, string, string[]]))('tokenises %j as Python does', (text, lower, tokens) => {
    expect(text.toLowerCase()).toBe(lower);
    expect(tokenizeWords(text)).toEqual(tokens.filter((t) => !STOP_WORDS.has(t)));
  });

  it("agrees with Python's \\w and lower() on every code point that Python knows", () => {
    const words = expand(golden.word);
    const unknown = expand(golden.unknown);
    const lower = new Map(golden.lower as [number, string][]);
    const differing: number[] = [];
    for (let point = 0; point < 0x110000; point++) {
      if ((point >= 0xd800 && point < 0xe000) || unknown.has(point)) continue;
      const character = String.fromCodePoint(point);
      if (character.toLowerCase() !== (lower.get(point) ?? character)) differing.push(point);
      if (words.has(point) !== /[\p{L}\p{N}_]/u.test(character)) differing.push(point);
    }
    expect(words.size).toBeGreaterThan(130_000);
    expect(differing).toEqual([]);
  });
});
