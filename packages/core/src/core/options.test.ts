import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedBySchema } from '../../../../tests/allowed-by-schema.ts';
import { BezoarError } from '../errors.ts';
import type { JsonValue } from '../types.ts';
import { type OptionSpec, option, optionsSchema, readOptions, shown } from './options.ts';

const faultOf = (read: () => unknown): BezoarError => {
  try {
    read();
  } catch (error) {
    if (BezoarError.is(error, 'INVALID_OPTION')) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const specs = {
  alpha: option.number(0.4, 'A share.', { min: 0, max: 1 }),
  keep: option.nullable(option.number(5, 'How many.', { min: 1, integer: true }), "the policy's"),
  weights: option.choice(['hybrid', 'bm25'], 'hybrid', 'Which.'),
  gate: option.flag(true, 'Whether.'),
  similarity: option.text('bm25', 'With what.', 'an encoder'),
};
const defaults = { alpha: 0.4, keep: null, weights: 'hybrid', gate: true, similarity: 'bm25' };

describe('readOptions', () => {
  it('fills in defaults, also for what is given as undefined', () => {
    expect(readOptions(specs, {}, 'toy')).toEqual(defaults);
    expect(readOptions(specs, { alpha: undefined }, 'toy')).toEqual(defaults);
  });

  it('reads values as code has them and as a SPEC has them', () => {
    const given = { alpha: 0, keep: 3, weights: 'bm25', gate: false, similarity: 'static' };
    expect(readOptions(specs, given, 'toy')).toEqual(given);
    expect(readOptions(specs, { alpha: '0', keep: '3', weights: 'bm25', gate: 'off', similarity: 'static' }, 'toy')).toEqual(given);
    expect(readOptions(specs, { keep: null }, 'toy').keep).toBeNull();
  });

  it.each<[unknown, boolean]>([
    [true, true],
    ['on', true],
    ['true', true],
    [false, false],
    ['off', false],
    ['false', false],
  ])('reads the flag %s as %s', (written, read) => {
    expect(readOptions(specs, { gate: written }, 'toy').gate).toBe(read);
  });

  it.each<[string, number]>([
    ['1', 1],
    ['+1', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['5e-1', 0.5],
    ['-0', -0],
  ])('reads the number %s', (written, read) => {
    expect(readOptions({ x: option.number(0, '') }, { x: written }, 'toy').x).toBe(read);
  });

  it.each<[string, unknown, string]>([
    ['alpha', 1.0001, 'toy: alpha is 1.0001, expected number from 0 to 1'],
    ['alpha', -1e-9, 'toy: alpha is -1e-9, expected number from 0 to 1'],
    ['alpha', Number.NaN, 'toy: alpha is NaN, expected number from 0 to 1'],
    ['alpha', Infinity, 'toy: alpha is Infinity, expected number from 0 to 1'],
    ['alpha', '', 'toy: alpha is "", expected number from 0 to 1'],
    ['alpha', ' 1', 'toy: alpha is " 1", expected number from 0 to 1'],
    ['alpha', '0x1', 'toy: alpha is "0x1", expected number from 0 to 1'],
    ['alpha', '1e999', 'toy: alpha is "1e999", expected number from 0 to 1'],
    ['alpha', null, 'toy: alpha is null, expected number from 0 to 1'],
    ['alpha', true, 'toy: alpha is true, expected number from 0 to 1'],
    ['alpha', [0.5], 'toy: alpha is object, expected number from 0 to 1'],
    ['keep', 0, "toy: keep is 0, expected whole number of at least 1 (the policy's)"],
    ['keep', 1.5, "toy: keep is 1.5, expected whole number of at least 1 (the policy's)"],
    ['keep', 2 ** 53, "toy: keep is 9007199254740992, expected whole number of at least 1 (the policy's)"],
    ['weights', 'Hybrid', 'toy: weights is "Hybrid", expected hybrid | bm25'],
    ['weights', '__proto__', 'toy: weights is "__proto__", expected hybrid | bm25'],
    ['gate', 'yes', 'toy: gate is "yes", expected on | off'],
    ['gate', 1, 'toy: gate is 1, expected on | off'],
    ['similarity', '', 'toy: similarity is "", expected an encoder'],
    ['similarity', 7, 'toy: similarity is 7, expected an encoder'],
  ])('refuses %s = %s', (name, value, message) => {
    const fault = faultOf(() => readOptions(specs, { [name]: value }, 'toy'));
    expect(fault.message).toBe(message);
    expect(fault.details.field).toBe(name);
  });

  it('takes text of up to 1000 characters', () => {
    expect(readOptions(specs, { similarity: 'x'.repeat(1000) }, 'toy').similarity).toHaveLength(1000);
    expect(faultOf(() => readOptions(specs, { similarity: 'x'.repeat(1001) }, 'toy')).message.length).toBeLessThan(200);
  });

  it.each<[string, string, string | null]>([
    ['alhpa', 'toy: unknown option "alhpa"; did you mean alpha?', 'alpha'],
    ['temperature', 'toy: unknown option "temperature"; it takes alpha, keep, weights, gate, similarity', null],
    ['__proto__', 'toy: unknown option "__proto__"; it takes alpha, keep, weights, gate, similarity', null],
    ['constructor', 'toy: unknown option "constructor"; it takes alpha, keep, weights, gate, similarity', null],
  ])('says what was meant by %s', (name, message, closest) => {
    const fault = faultOf(() => readOptions(specs, Object.fromEntries([[name, '1']]), 'toy'));
    expect(fault.message).toBe(message);
    expect(fault.details).toEqual({ field: name, closest });
  });

  it('says so when there are no options', () => {
    expect(faultOf(() => readOptions({}, { alpha: 1 }, 'toy')).message).toBe('toy: unknown option "alpha"; it takes none');
  });

  it('does not take long over a long number', () => {
    expect(() => readOptions(specs, { alpha: `${'1'.repeat(500_000)}x` }, 'toy')).toThrow('expected number');
  });
});

describe('shown', () => {
  it.each<[unknown, string]>([
    ['a"b', '"a\\"b"'],
    [Number.NaN, 'NaN'],
    [-0.5, '-0.5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'object'],
    [() => 1, 'function'],
    [1n, 'bigint'],
    ['a\u202eb\u200bc\u0085', '"a?b?c?"'],
    ['\u001b\n\ud800', '"\\u001b\\n\\ud800"'],
  ])('shows %s', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it('cuts at 80 characters', () => {
    expect(shown('x'.repeat(78))).toHaveLength(80);
    expect(shown('x'.repeat(79))).toBe(`"${'x'.repeat(76)}...`);
  });
});

describe('optionsSchema', () => {
  it('describes each option, with its default unless that is null', () => {
    expect(optionsSchema(specs)).toEqual({
      alpha: { type: 'number', minimum: 0, maximum: 1, description: 'A share.', default: 0.4 },
      keep: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'How many.' },
      weights: { enum: ['hybrid', 'bm25'], description: 'Which.', default: 'hybrid' },
      gate: { enum: [true, false, 'on', 'off', 'true', 'false'], description: 'Whether.', default: true },
      similarity: { type: 'string', minLength: 1, maxLength: 1000, description: 'With what.', default: 'bm25' },
    });
  });

  // A number may also be written as text, for SPECs and ${NAME} in a policy file; a schema of what the file means says number.
  it('allows exactly what the reader takes', () => {
    const texts = fc.constantFrom(
      '',
      'on',
      'off',
      'true',
      'false',
      'hybrid',
      'bm25',
      'Hybrid',
      '__proto__',
      'x'.repeat(1000),
      'x'.repeat(1001),
    );
    const numbers = fc.oneof(
      fc.constantFrom(-1, 0, 0.5, 1, 1.5, 2, 5, 10_000, 10_001),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
    );
    const values = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
    const cases = fc.constantFrom<OptionSpec<unknown>>(
      ...Object.values(specs),
      option.number(0, '', { max: 2 }),
      option.number(0, '', { integer: true, min: 1, max: 10_000 }),
      option.number(0, ''),
      option.nullable(option.choice(['on', 'hybrid'], 'on', ''), ''),
    );
    fc.assert(
      fc.property(cases, values, (spec, value) => {
        const reads = spec.read(value) !== undefined;
        fc.pre(!(typeof value === 'string' && reads && typeof spec.read(value) === 'number'));
        expect(reads).toBe(allowedBySchema(spec.schema, value));
      }),
      { numRuns: 1000 },
    );
  });

  it('allows every default', () => {
    for (const spec of Object.values(specs)) expect(allowedBySchema(spec.schema, spec.default as JsonValue)).toBe(true);
  });
});
