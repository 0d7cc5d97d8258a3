import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

/** Optimal string alignment distance straight from its recursion. */
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [x, y] = [a.slice(0, -1), b.slice(0, -1)];
  const ways = [slowDistance(x, y) + (a.at(-1) === b.at(-1) ? 0 : 1), slowDistance(x, b) + 1, slowDistance(a, y) + 1];
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
    ways.push(slowDistance(a.slice(0, -2), b.slice(0, -2)) + 1);
  return Math.min(...ways);
}

describe('closestName', () => {
  it.each([
    ['gradda', 'grada'],
    ['GRADA', 'grada'],
    ['garda', 'grada'],
    ['trustrag', null],
    ['trustrag-fliter', 'trustrag-filter'],
    ['none', 'none'],
    ['completely-different', null],
    ['__proto__', null],
    ['constructor', null],
  ])('takes %s for %s', (typed, expected) => {
    expect(closestName(typed, ['grada', 'trustrag-filter', 'pra-rag', 'none'])).toBe(expected);
  });

  it('gives null for no names', () => {
    expect(closestName('grada', [])).toBeNull();
    expect(closestName('', [])).toBeNull();
  });

  it('prefers the nearer name, and the earlier of equally near ones', () => {
    expect(closestName('keeps', ['keel', 'keep'])).toBe('keep');
    expect(closestName('bat', ['cat', 'hat'])).toBe('cat');
    expect(closestName('bat', ['hat', 'cat'])).toBe('hat');
  });

  it('counts two neighbours in the wrong order as one slip', () => {
    // Two single changes to alhpa are needed for alpxb, one transposition for alpha.
    expect(closestName('alhpa', ['alpxa', 'alpha'])).toBe('alpha');
  });

  it('allows two slips in a short name and a third of the letters in a long one', () => {
    expect(closestName('abcd', ['abxy'])).toBe('abxy');
    expect(closestName('abcd', ['axyz'])).toBeNull();
    expect(closestName('abcdefghi', ['abcdefxyz'])).toBe('abcdefxyz');
    expect(closestName('abcdefghi', ['abcdewxyz'])).toBeNull();
  });

  it('finds the least distance of the definition', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 5 }), (typed, names) => {
        const near = names.filter((name) => slowDistance(typed, name) <= Math.max(2, Math.floor(typed.length / 3)));
        const best = Math.min(...near.map((name) => slowDistance(typed, name)));
        expect(closestName(typed, names)).toBe(near.find((name) => slowDistance(typed, name) === best) ?? null);
      }),
    );
  });

  it('reads only the beginning of what was typed', () => {
    const long = 'x'.repeat(1_000_000);
    expect(closestName(long, ['grada'])).toBeNull();
    expect(closestName(long, ['x'.repeat(64)])).toBe('x'.repeat(64));
  });
});
