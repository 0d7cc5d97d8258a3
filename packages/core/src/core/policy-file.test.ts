import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedBySchema } from '../../../../tests/allowed-by-schema.ts';
import { BezoarError } from '../errors.ts';
import { DEFENSES, POLICIES, RECIPE_NAMES } from '../registry.generated.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { policyOptions } from './define-policy.ts';
import { parsePolicyFile, parseStages, policyFileSchema, policyFromSpecs } from './policy-file.ts';

const faultOf = (read: () => unknown): BezoarError => {
  try {
    read();
  } catch (error) {
    if (BezoarError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};
const specs = (stages: readonly { readonly spec: string }[]): string[] => stages.map(({ spec }) => spec);

describe('parseStages', () => {
  it('makes the defense of a SPEC with its options', () => {
    expect(specs(parseStages('none'))).toEqual(['none']);
    expect(specs(parseStages('grada?weights=bm25&damping=0.9&keep=3'))).toEqual(['grada?weights=bm25&damping=0.9&keep=3']);
    expect(specs(parseStages('grada?collapseDuplicates=off'))).toEqual(['grada?collapseDuplicates=false']);
  });

  it('stands for the stages of a recipe or policy', () => {
    expect(parseStages('standard')).toBe(POLICIES.standard.stages);
    for (const name of RECIPE_NAMES) expect(parseStages(name)).toBe(POLICIES[name].stages);
  });

  it.each<[string, string, RegExp]>([
    ['gradda', 'UNKNOWN_NAME', /no defense, recipe or policy is called "gradda"; did you mean grada\?/],
    ['standrad', 'UNKNOWN_NAME', /did you mean standard\?/],
    ['__proto__', 'UNKNOWN_NAME', /is called "__proto__"; there are /],
    ['constructor', 'UNKNOWN_NAME', /is called "constructor"; there are /],
    ['toString?x=1', 'UNKNOWN_NAME', /is called "toString"; there are /],
    ['standard?keep=3', 'INVALID_OPTION', /standard: a named policy's settings are fixed; use its stages to change them/],
    ['grada?alhpa=1', 'INVALID_OPTION', /grada: unknown option "alhpa"; did you mean alpha\?/],
    ['grada?__proto__=1', 'INVALID_OPTION', /grada: unknown option "__proto__"/],
    ['grada?alpha=-1', 'INVALID_OPTION', /grada: alpha is "-1", expected number of at least 0/],
    ['', 'INVALID_OPTION', /there is no name/],
  ])('refuses %j', (spec, code, message) => {
    const fault = faultOf(() => parseStages(spec));
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(message);
  });

  it('makes again what the spec of a defense says, for every defense', () => {
    for (const [name, create] of Object.entries(DEFENSES)) {
      expect(specs(parseStages(create().spec))).toEqual([name]);
      expect(specs(parseStages(`${name}?passageText=text`))).toEqual([`${name}?passageText=text`]);
    }
  });
});

describe('policyFromSpecs', () => {
  it('is the named policy itself, or stages in a row', () => {
    expect(policyFromSpecs(['standard'])).toEqual(POLICIES.standard);
    const two = policyFromSpecs(['none?keep=7', 'standard'], { keep: 3 });
    expect(two).toMatchObject({ name: 'none?keep=7 + standard', keep: 3, source: null });
    expect(specs(two.stages)).toEqual(['none?keep=7', ...specs(POLICIES.standard.stages)]);
  });

  it('lets settings be changed, and keeps the rest of a named policy', () => {
    const [name] = RECIPE_NAMES;
    expect(policyFromSpecs([name], { budgetMs: 10 })).toEqual({ ...POLICIES[name], budgetMs: 10 });
    expect(policyFromSpecs([]).stages).toEqual([]);
    expect(policyFromSpecs(['none']).name).toBe('none');
  });
});

describe('parsePolicyFile', () => {
  it('reads the smallest file', () => {
    const { policy, encoder, openai } = parsePolicyFile({ version: 1, stages: [] });
    expect(policy).toMatchObject({ name: 'custom', description: '', stages: [], keep: 5, budgetMs: null, onError: 'degrade' });
    expect([encoder, openai]).toEqual([null, null]);
  });

  it('reads every key', () => {
    const settings = { keep: 3, budgetMs: 250, onError: 'refuse', mode: 'monitor', passageText: 'text', unscorable: 'keep-last', seed: 7 };
    const { policy, encoder, openai } = parsePolicyFile({
      version: 1,
      name: 'mine',
      description: 'For the shop.',
      stages: ['none?keep=9', { name: 'grada', weights: 'bm25', collapseDuplicates: false, keep: null }, 'standard', { name: 'standard' }],
      ...settings,
      encoder: 'onnx:models/mini',
      openai: { baseUrl: 'http://localhost:11434/v1', apiKey: 'secret' },
    });
    const standard = specs(POLICIES.standard.stages);
    expect(policy).toMatchObject({ name: 'mine', description: 'For the shop.', ...settings });
    expect(specs(policy.stages)).toEqual(['none?keep=9', 'grada?weights=bm25&collapseDuplicates=false', ...standard, ...standard]);
    expect(encoder).toBe('onnx:models/mini');
    expect(openai).toEqual({ baseUrl: 'http://localhost:11434/v1', apiKey: 'secret' });
  });

  it('reads numbers and flags that the environment filled in as text', () => {
    const { policy } = parsePolicyFile({ version: 1, keep: '3', stages: [{ name: 'grada', alpha: '0.5', collapseDuplicates: 'off' }] });
    expect(policy.keep).toBe(3);
    expect(specs(policy.stages)).toEqual(['grada?alpha=0.5&collapseDuplicates=false']);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['a list', [], '', /the file holds a list, expected keys and values, first of all version: 1/],
    ['nothing', null, '', /the file holds empty/],
    ['text', 'version: 1', '', /the file holds "version: 1"/],
    ['no version', { stages: [] }, 'version', /version is missing, expected 1/],
    ['another version', { version: 2, stages: [] }, 'version', /version is 2, expected 1/],
    ['the version as text', { version: '1', stages: [] }, 'version', /version is "1", expected 1/],
    ['no stages', { version: 1 }, 'stages', /stages is missing, expected a list of defenses/],
    ['stages as an object', { version: 1, stages: {} }, 'stages', /stages is an object/],
    ['a number as a stage', { version: 1, stages: ['none', 7] }, 'stages[1]', /stages\[1\]: is 7, expected a SPEC/],
    ['a list as a stage', { version: 1, stages: [['none']] }, 'stages[0]', /stages\[0\]: is a list/],
    ['a stage without a name', { version: 1, stages: [{ keep: 3 }] }, 'stages[0]', /stages\[0\]: is an object, expected a SPEC/],
    ['an unknown defense', { version: 1, stages: ['none', 'gradda'] }, 'stages[1]', /stages\[1\]: no defense.*did you mean grada\?/],
    ['a malformed SPEC', { version: 1, stages: ['grada?alpha'] }, 'stages[0]', /stages\[0\]: .* is not option=value/],
    [
      'an option out of range',
      { version: 1, stages: ['none', { name: 'grada', alpha: -1 }] },
      'stages[1].alpha',
      /stages\[1\]: grada: alpha is -1/,
    ],
    ['one in a SPEC', { version: 1, stages: ['grada?alpha=-1'] }, 'stages[0].alpha', /stages\[0\]: grada: alpha is "-1"/],
    [
      'a policy with options',
      { version: 1, stages: [{ name: 'standard', keep: 3 }] },
      'stages[0].keep',
      /standard: a named policy's settings are fixed/,
    ],
    ['one in a SPEC', { version: 1, stages: ['standard?keep=3'] }, 'stages[0].keep', /standard: a named policy's settings are fixed/],
    ['a setting out of range', { version: 1, stages: [], keep: 0 }, 'keep', /keep is 0, expected whole number from 1 to 10000/],
    ['a setting without a value', { version: 1, stages: [], mode: null }, 'mode', /mode is null, expected enforce \| monitor/],
    ['an empty name', { version: 1, stages: [], name: '' }, 'name', /name is "", expected text/],
    ['a number as encoder', { version: 1, stages: [], encoder: 7 }, 'encoder', /encoder is 7, expected text/],
    ['a text as openai', { version: 1, stages: [], openai: 'http://x' }, 'openai', /^openai is no object, expected baseUrl and apiKey$/],
    [
      'a key that is no text, without repeating it',
      { version: 1, stages: [], openai: { apiKey: 7 } },
      'openai.apiKey',
      /^openai\.apiKey is no text, expected text$/,
    ],
    [
      'a key that is too long, without repeating it',
      { version: 1, stages: [], openai: { apiKey: 'k'.repeat(4001) } },
      'openai.apiKey',
      /^openai\.apiKey is empty or too long, expected text$/,
    ],
  ])('refuses %s', (_, content, field, message) => {
    const fault = faultOf(() => parsePolicyFile(content));
    expect(fault.code).toBe('BAD_CONFIG');
    expect(fault.details.field).toBe(field);
    expect(fault.message).toMatch(message);
  });

  it.each<[unknown, string, string | null]>([
    [{ version: 1, stages: [], kep: 3 }, 'kep', 'keep'],
    [{ version: 1, stages: [], onerror: 'pass' }, 'onerror', 'onError'],
    [{ version: 1, stage: [] }, 'stage', 'stages'],
    [{ version: 1, stages: [], openai: { baseURL: 'x' } }, 'openai.baseURL', 'baseUrl'],
    [{ version: 1, stages: ['none', { name: 'grada', damp1ng: 0.9 }] }, 'stages[1].damp1ng', 'damping'],
    [{ version: 1, stages: ['gradda'] }, 'stages[0]', 'grada'],
    [{ version: 1, stages: [], temperature: 1 }, 'temperature', null],
    [JSON.parse('{"version": 1, "stages": [], "__proto__": {"keep": 1}}'), '__proto__', null],
    [JSON.parse('{"version": 1, "stages": [{"name": "grada", "__proto__": 1}]}'), 'stages[0].__proto__', null],
    [{ version: 1, stages: [{ name: 'grada', constructor: 1 }] }, 'stages[0].constructor', null],
    [{ version: 1, stages: [{ name: '__proto__' }] }, 'stages[0]', null],
  ])('names the closest key to an unknown one (%#)', (content, field, closest) => {
    const fault = faultOf(() => parsePolicyFile(content));
    expect([fault.code, fault.details.field, fault.details.closest]).toEqual(['BAD_CONFIG', field, closest]);
    if (closest !== null) expect(fault.message).toContain(`did you mean ${closest}?`);
  });

  it('says little about what is much', () => {
    for (const content of [
      { ['x'.repeat(1e6)]: 1 },
      { version: 1, stages: ['x'.repeat(1e6)] },
      { version: 1, stages: [], name: 'x'.repeat(1e6) },
    ]) {
      const fault = faultOf(() => parsePolicyFile(content));
      expect(fault.message.length).toBeLessThan(500);
      expect(String(fault.details.field).length).toBeLessThan(100);
    }
  });
});

describe('policyFileSchema', () => {
  const schema = policyFileSchema();
  const reads = (content: JsonValue): boolean => {
    try {
      parsePolicyFile(content);
      return true;
    } catch (error) {
      if (BezoarError.is(error, 'BAD_CONFIG')) return false;
      throw error;
    }
  };

  it('is JSON, names its dialect and allows no unknown keys', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['version', 'stages'],
      additionalProperties: false,
    });
  });

  it('knows every defense with every option', () => {
    const [, ...stages] = (schema.properties as { stages: { items: { anyOf: JsonObject[] } } }).stages.items.anyOf;
    expect(stages.map(({ properties }) => Object.keys(properties as JsonObject))).toEqual(
      Object.values(DEFENSES).map(({ optionSpecs }) => ['name', ...Object.keys(optionSpecs)]),
    );
  });

  it('allows what the reader reads, at every option of every defense and every setting', () => {
    const values = (): fc.Arbitrary<JsonValue> =>
      fc.oneof(
        fc.constantFrom<JsonValue>(null, true, false, 'on', 'off', '', 'bm25', -1, 0, 0.5, 1, 2, 3, 5, 1.5, 10_000, 10_001, 2 ** 32),
        fc.integer({ min: -5, max: 100 }),
        fc.double({ min: -2, max: 2, noNaN: true }),
      );
    const withChoices = (spec: { readonly schema: JsonObject }): fc.Arbitrary<JsonValue> => {
      const choices = JSON.stringify(spec.schema).match(/"enum":(\[[^\]]*\])/);
      return choices ? fc.oneof(values(), fc.constantFrom(...(JSON.parse(choices[1]!) as JsonValue[]))) : values();
    };
    const stage = fc
      .constantFrom(...Object.entries(DEFENSES))
      .chain(([name, { optionSpecs }]) =>
        fc
          .constantFrom(...Object.entries(optionSpecs))
          .chain(([option, spec]) => withChoices(spec).map((value): JsonValue => ({ name, [option]: value }))),
      );
    const setting = fc
      .constantFrom(...Object.entries(policyOptions))
      .chain(([name, spec]) => withChoices(spec).map((value): JsonObject => ({ [name]: value })));
    const content = fc
      .tuple(fc.array(stage, { maxLength: 2 }), fc.oneof(fc.constant({}), setting))
      .map(([stages, settings]): JsonObject => ({ version: 1, stages, ...settings }));
    let read = 0;
    fc.assert(
      fc.property(content, (file) => {
        const ok = reads(file);
        read += ok ? 1 : 0;
        expect(allowedBySchema(schema, file)).toBe(ok);
      }),
      { numRuns: 3000 },
    );
    expect(read).toBeGreaterThan(300);
  });

  it.each<[string, JsonValue]>([
    ['an unknown key', { version: 1, stages: [], kep: 3 }],
    ['another version', { version: 2, stages: [] }],
    ['no stages', { version: 1 }],
    ['an unknown option', { version: 1, stages: [{ name: 'grada', alhpa: 1 }] }],
    ['an unknown defense', { version: 1, stages: [{ name: 'gradda' }] }],
    ['an unknown key of openai', { version: 1, stages: [], openai: { url: 'x' } }],
    ['an empty name', { version: 1, stages: [], name: '' }],
    ['a description too long', { version: 1, stages: [], description: 'x'.repeat(4001) }],
  ])('refuses with the reader %s', (_, content) => {
    expect([reads(content), allowedBySchema(schema, content)]).toEqual([false, false]);
  });
});
