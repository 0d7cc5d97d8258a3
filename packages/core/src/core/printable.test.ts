import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './printable.ts';

describe('printable', () => {
  it.each<[string, string]>([
    ['', ''],
    ['plain, 中文 é ?', 'plain, 中文 é ?'],
    ['one\r\n\t two\u2028three', 'one  two three'],
    ['\u001b[31mred\u0000\u009b', '?[31mred??'],
    ['a\u202eb\u2066c\u200bd\ufeffe', 'a?b?c?d?e'],
  ])('shows %j as %j', (text, expected) => {
    expect(printable(text, 80)).toBe(expected);
  });

  it('cuts what is longer than the limit, and only that', () => {
    expect(printable('12345678', 8)).toBe('12345678');
    expect(printable('123456789', 8)).toBe('12345...');
    expect(printable('x'.repeat(10_000_000), 8)).toBe('xxxxx...');
  });

  it('is one bounded line without controls, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const line = printable(text, 40);
        expect(line.length).toBeLessThanOrEqual(40);
        expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      }),
    );
  });
});
