import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitFragments } from './split-fragments.ts';
import { wordSpans } from './word-spans.ts';

const split = (text: string, fragments: number, by: 'tokens' | 'sentences' = 'tokens') =>
  splitFragments(text, wordSpans(text), fragments, by);

describe('splitFragments', () => {
  it('begins fragment i at token floor(i T / N)', () => {
    expect(split('a b c d e f g', 3)).toEqual(['a b', 'c d', 'e f g']);
    expect(split('a b c d e f g', 5)).toEqual(['a', 'b', 'c d', 'e', 'f g']);
    expect(split(' a, b. ', 1)).toEqual(['a, b']);
  });

  it('makes one fragment a token where there are fewer, and none of nothing', () => {
    expect(split('a b', 5)).toEqual(['a', 'b']);
    expect(split('', 5)).toEqual([]);
    expect(split(' ...', 5)).toEqual([]);
  });

  it('begins at the sentence nearest to there, the earlier of two', () => {
    expect(split('A b c d. E f. G h.', 2, 'sentences')).toEqual(['A b c d', 'E f. G h']);
    expect(split('A. B c d. E f g h.', 2, 'sentences')).toEqual(['A. B c d', 'E f g h']);
    // Targets 0, 2 of 4: sentences at 1 and 3 are as near.
    expect(split('A. B c. D', 2, 'sentences')).toEqual(['A', 'B c. D']);
    expect(split('A b? "C d!" (E f.) G h', 4, 'sentences')).toEqual(['A b', 'C d', 'E f', 'G h']);
    expect(split('\u7532\u4e59\u3002\u4e19\u4e01\uff01\u620a', 2, 'sentences')).toEqual(['\u7532\u4e59', '\u4e19\u4e01\uff01\u620a']);
  });

  it('cuts by tokens what has too few sentences', () => {
    expect(split('a b c d e f', 3, 'sentences')).toEqual(['a b', 'c d', 'e f']);
    expect(split('A b c d e. F', 3, 'sentences')).toEqual(['A b', 'c d', 'e. F']);
    // A full stop inside a number ends nothing, nor does one at the end.
    expect(split('a 1.5 b c.', 2, 'sentences')).toEqual(['a 1', '5 b c']);
  });

  it('shares out every token once, in order, evenly', () => {
    const text = fc
      .array(fc.constantFrom('one', 'two', 'three.', 'four!', '\u4e00', '...', '\n'), { maxLength: 40 })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom('tokens' as const, 'sentences' as const),
        (given, fragments, by) => {
          const cut = split(given, fragments, by);
          const tokens = wordSpans(given).map(({ start, end }) => given.slice(start, end));
          expect(cut.flatMap((fragment) => wordSpans(fragment).map(({ start, end }) => fragment.slice(start, end)))).toEqual(tokens);
          expect(cut).toHaveLength(Math.min(fragments, tokens.length));
          if (by === 'tokens' && cut.length > 0) {
            const sizes = cut.map((fragment) => wordSpans(fragment).length);
            expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          }
          for (const fragment of cut) expect(fragment).not.toBe('');
        },
      ),
    );
  });

  it('stays linear on hostile text', () => {
    const started = performance.now();
    for (const unit of ['. ', '"', '."', '.) ', '\u3002', 'a. ']) split(unit.repeat(50_000), 20, 'sentences');
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
