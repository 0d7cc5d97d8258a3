import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

describe('jsonText', () => {
  it('escapes what acts on a terminal and what only some readers take for a line end', () => {
    expect(jsonText({ a: '\u0000\u001b\n\u007f\u009b\u061c\u200e\u202e\u2028\u2029\u2066\ufeff é 東京 😀' })).toBe(
      '{"a":"\\u0000\\u001b\\n\\u007f\\u009b\\u061c\\u200e\\u202e\\u2028\\u2029\\u2066\\ufeff é 東京 😀"}',
    );
  });

  it('gives the same value back, lone surrogates included', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        ),
        (value) => {
          const text = jsonText(value);
          expect(JSON.parse(text)).toEqual({ ...value });
          expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text);
        },
      ),
    );
  });
});
