import { describe, expect, it } from 'vitest';
import { toyEncoder } from '../testing/index.ts';
import { defineIndexDefense, encodeTexts } from './define-index-defense.ts';
import { option } from './options.ts';
import type { Encoder } from './ports.ts';
import { allTokens, seenTokens } from './token-spans.ts';

const sample = defineIndexDefense({
  name: 'sample',
  summary: 'Does nothing.',
  source: null,
  options: { size: option.number(3, 'A number.', { min: 1 }), loud: option.flag(false, 'A flag.') },
  make: ({ size }) => ({
    vectorNames: [`v-${size}`],
    protect: async () => [],
    retrieve: async () => ({ hits: [], exact: true, encoded: 0 }),
  }),
});

describe('defineIndexDefense', () => {
  it('makes a defense with a name and the SPEC that makes it again', () => {
    expect(sample()).toMatchObject({ name: 'sample', source: null, spec: 'sample', vectorNames: ['v-3'] });
    expect(sample({ size: 3, loud: false }).spec).toBe('sample');
    expect(sample({ loud: true, size: 4 })).toMatchObject({ spec: 'sample?size=4&loud=true', vectorNames: ['v-4'] });
    expect(Object.isFrozen(sample())).toBe(true);
    expect(sample.definition.summary).toBe('Does nothing.');
    expect(Object.keys(sample.optionSpecs)).toEqual(['size', 'loud']);
  });

  it('refuses options that it does not have or that are out of range', () => {
    expect(() => sample({ size: 0 })).toThrow('sample: size is 0, expected number of at least 1');
    expect(() => sample({ sise: 2 } as never)).toThrow('sample: unknown option "sise"; did you mean size?');
  });
});

describe('encodeTexts', () => {
  const encoder = toyEncoder();

  it('asks for passages where nothing else is said, and for nothing when there are none', async () => {
    const roles: string[] = [];
    const spy: Encoder = {
      ...encoder,
      encode(texts, options) {
        roles.push(options.role);
        return encoder.encode(texts, options);
      },
    };
    expect(await encodeTexts([], { encoder: spy })).toEqual([]);
    expect(roles).toEqual([]);
    expect(await encodeTexts(['a'], { encoder: spy })).toEqual((await encoder.encode(['a'], { role: 'passage' })).vectors);
    expect(roles).toEqual(['passage']);
    await encodeTexts(['a'], { encoder: spy }, 'query');
    expect(roles).toEqual(['passage', 'query']);
  });

  it('refuses too few vectors and those of another length', async () => {
    const few: Encoder = { ...encoder, encode: async () => ({ vectors: [], truncated: [] }) };
    await expect(encodeTexts(['a'], { encoder: few })).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
    const short: Encoder = { ...encoder, encode: async () => ({ vectors: [new Float32Array(31)], truncated: [false] }) };
    await expect(encodeTexts(['a'], { encoder: short })).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
  });
});

describe('tokens of a text', () => {
  const twoAtATime: Encoder = {
    ...toyEncoder(),
    tokenSpans: (texts) =>
      texts.map((text) => [...text.matchAll(/[a-z]/g)].slice(0, 2).map(({ index }) => ({ start: index, end: index + 1 }))),
  };

  it('are those that the encoder sees, or words', () => {
    expect(seenTokens(twoAtATime, 'a b c')).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 3 },
    ]);
    expect(seenTokens(toyEncoder(), 'one, two')).toEqual([
      { start: 0, end: 3 },
      { start: 5, end: 8 },
    ]);
  });

  it('are read a window at a time to the end', () => {
    expect(allTokens(twoAtATime, ' a b c d e ').map(({ start }) => start)).toEqual([1, 3, 5, 7, 9]);
    expect(allTokens(twoAtATime, '')).toEqual([]);
    expect(allTokens(twoAtATime, '123')).toEqual([]);
    expect(allTokens(toyEncoder(), 'a b')).toHaveLength(2);
  });

  it('end where an encoder stands still', () => {
    const stuck: Encoder = { ...toyEncoder(), tokenSpans: (texts) => texts.map(() => [{ start: 0, end: 0 }]) };
    expect(allTokens(stuck, 'abc')).toEqual([{ start: 0, end: 0 }]);
  });
});
