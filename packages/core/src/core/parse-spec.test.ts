import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { parseSpec } from './parse-spec.ts';

const messageOf = (spec: string): string => {
  try {
    parseSpec(spec);
  } catch (error) {
    expect(BezoarError.is(error, 'INVALID_OPTION')).toBe(true);
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

describe('parseSpec', () => {
  it.each<[string, string, Record<string, string>]>([
    ['grada', 'grada', {}],
    [' grada ', 'grada', {}],
    ['grada?alpha=0.4', 'grada', { alpha: '0.4' }],
    ['grada?alpha=0.4&weights=bm25', 'grada', { alpha: '0.4', weights: 'bm25' }],
    ['grada?similarity=', 'grada', { similarity: '' }],
    ['grada?similarity=onnx:/a=b?c=d', 'grada', { similarity: 'onnx:/a=b?c=d' }],
    ['grada?similarity=a%26b%3Dc%20d', 'grada', { similarity: 'a&b=c d' }],
    ['grada?similarity=50%25', 'grada', { similarity: '50%' }],
    ['grada?similarity=100%', 'grada', { similarity: '100%' }],
    ['grada?similarity=%E4%BD%A0', 'grada', { similarity: '你' }],
    ['grada?similarity=a+b', 'grada', { similarity: 'a+b' }],
  ])('reads %s', (spec, name, options) => {
    expect(parseSpec(spec)).toEqual({ name, options });
  });

  it.each<[string, RegExp]>([
    ['', /no name/],
    ['   ', /no name/],
    ['?alpha=1', /no name/],
    ['grada?', /"" is not option=value/],
    ['grada?alpha', /"alpha" is not option=value/],
    ['grada?=1', /"=1" is not option=value/],
    ['grada?alpha=1&', /"" is not option=value/],
    ['grada?alpha=1&alpha=2', /"alpha" is given twice/],
    ['grada?__proto__=1&__proto__=2', /"__proto__" is given twice/],
  ])('refuses %j', (spec, what) => {
    expect(messageOf(spec)).toMatch(what);
    expect(messageOf(spec)).toContain('name?option=value&option=value');
  });

  it('keeps options that are named like members of every object', () => {
    const { options } = parseSpec('grada?__proto__=a&constructor=b&toString=c');
    expect(Object.entries(options)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ]);
    expect(Object.getPrototypeOf(options)).toBe(Object.prototype);
  });

  it('bounds what it quotes', () => {
    expect(messageOf(`grada?${'x'.repeat(100_000)}`).length).toBeLessThan(300);
    expect(messageOf('grada?\u001b[31m\u202e')).not.toMatch(/[\u001b\u202e]/);
  });

  it('reads back every value that was percent-encoded', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-'), minLength: 1, maxLength: 8 });
    const value = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true }), (options) => {
        const spec = `name?${Object.entries(options)
          .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
          .join('&')}`;
        expect(parseSpec(spec)).toEqual({ name: 'name', options });
      }),
    );
  });
});
