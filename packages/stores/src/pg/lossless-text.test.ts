import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromStorable, fromStorableJson, toStorable, toStorableJson } from './lossless-text.ts';

/** Any sequence of UTF-16 units, with what needs care more often than chance has it. */
const units = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('\u0000', '\ud800', '\udc00', '\uffff', '\\', '"', '\\u0000', '\\\\ud800', '0000', 'ffff', '\u{1f469}'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('text that PostgreSQL can keep', () => {
  it('leaves ordinary text alone', () => {
    for (const text of ['', 'plain', 'e\u0301 \u{1f469}\u200d\u{1f4bb} \\u0000', '\ufffd\ufffe']) expect(toStorable(text)).toBe(text);
    expect(toStorableJson({ a: 'x\n\\u0000"' })).toBe('{"a":"x\\n\\\\u0000\\""}');
  });

  it('escapes zeros, unpaired surrogates and its own mark', () => {
    expect(toStorable('a\u0000\ud800b\udc00\uffff')).toBe('a\uffff0000\uffffd800b\uffffdc00\uffffffff');
    expect(toStorableJson('a\u0000\ud800\uffff')).toBe('"a\uffff0000\uffffd800\uffffffff"');
  });

  it('gives back every text, and JSON with every text as key and value', () => {
    fc.assert(
      fc.property(units, (text) => {
        const stored = toStorable(text);
        expect(fromStorable(stored)).toBe(text);
        expect(stored.isWellFormed() && !stored.includes('\u0000')).toBe(true);
        const value = { [text]: [text, 1, null, { inner: text }] };
        const json = toStorableJson(value);
        expect(fromStorableJson(json)).toEqual(value);
        expect(json.isWellFormed()).toBe(true);
        expect(JSON.stringify(JSON.parse(json))).not.toMatch(/[^\\](\\\\)*\\u(0000|d[89a-f])/);
      }),
      { seed: 5, numRuns: 3000 },
    );
  });
});
