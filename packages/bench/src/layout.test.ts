import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells, fit, printable, table, wrap } from './layout.ts';

/** Everything that a passage may be made of: several scripts, emoji, marks, and what acts on a terminal. */
const hostile = fc
  .array(
    fc.constantFrom(
      'a',
      'word',
      ' ',
      '東京',
      'é',
      'e\u0301',
      '👩‍👩‍👧',
      '✅',
      '\u001b[31m',
      '\u009b2J',
      '\u202e',
      '\u2028',
      '\r',
      '\n',
      '\u0000',
      '\ud800',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('cells', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['東京', 4],
    ['ｶﾅ', 2],
    ['Ａ', 2],
    ['한글', 4],
    ['e\u0301', 1],
    ['✅', 2],
    ['⭐', 2],
    ['😀', 2],
    ['…', 1],
    ['█', 1],
    ['𠀀', 2],
  ])('%j takes %i', (text, width) => {
    expect(cells(text)).toBe(width);
  });
});

describe('printable', () => {
  it('leaves nothing that acts on a terminal', () => {
    expect(printable('a\u001b[31mb\u009b0mc\u202ed\r\ne\u2028f\u0007\ud800g\u200bh')).toBe('a [31mb 0mc d e f g h');
  });

  it('leaves text of every script as it is', () => {
    expect(printable('Was ist "1889"? 東京 é √ 😀')).toBe('Was ist "1889"? 東京 é √ 😀');
  });
});

describe('fit', () => {
  it.each([
    ['abc', 5, 'abc  '],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    // A wide character that has no room leaves its cell empty.
    ['東京都', 4, '東… '],
    ['', 2, '  '],
  ])('%j in %i cells is %j', (text, width, expected) => {
    expect(fit(text, width)).toBe(expected);
  });

  it('always takes exactly the width', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(cells(fit(printable(text), width))).toBe(width);
      }),
    );
  });

  it('is quick over a flood of combining marks', () => {
    const flood = `a${'\u0301'.repeat(200_000)}${'b'.repeat(20)}`;
    const started = performance.now();
    expect(cells(fit(flood, 10))).toBe(10);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('wrap', () => {
  it('breaks at spaces and cuts what is longer than a line', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('unbreakable', 6)).toEqual(['unbre…']);
    expect(wrap('', 10)).toEqual([]);
  });

  it('never makes a line wider than asked, and loses no word that fits', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 4, max: 60 }), (text, width) => {
        const lines = wrap(printable(text), width);
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width);
        const words = printable(text)
          .split(' ')
          .filter((word) => word !== '' && cells(word) <= width);
        expect(lines.join(' ').split(' ')).toEqual(expect.arrayContaining(words));
      }),
    );
  });
});

describe('table', () => {
  it('aligns by cells and wraps the last column under itself', () => {
    expect(
      table(
        ['name', 'what'],
        [
          ['東京', 'a capital that is known for its trains and towers'],
          ['x', 'y'],
        ],
        40,
      ),
    ).toBe(['name  what', '東京  a capital that is known for its', '      trains and towers', 'x     y', ''].join('\n'));
  });

  it('prints the head alone where there is nothing, and a row whose last cell is empty', () => {
    expect(table(['name', 'what'], [], 80)).toBe('name  what\n');
    expect(table(['name', 'what'], [['a', '']], 80)).toBe('name  what\na\n');
  });

  it('gives a block a row where the last column has no room', () => {
    const wide = 'w'.repeat(30);
    expect(table(['name', 'takes', 'what'], [[wide, wide, 'one two three four five six seven eight nine ten']], 50)).toBe(
      [wide, `  takes  ${wide}`, '  what   one two three four five six seven eight', '         nine ten', ''].join('\n'),
    );
  });

  it('never passes the terminal where its names do not', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { maxLength: 6 }), (rows) => {
        const clean = rows.map(([name, what]) => [fit(printable(name), 12), printable(what)]);
        for (const line of table(['name', 'what'], clean, 60).split('\n')) expect(cells(line)).toBeLessThanOrEqual(60);
      }),
    );
  });
});
