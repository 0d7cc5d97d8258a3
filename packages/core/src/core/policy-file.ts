import { BezoarError } from '../errors.ts';
import { DEFENSES, POLICIES } from '../registry.generated.ts';
import type { Defense, JsonObject, JsonValue } from '../types.ts';
import { closestName } from './closest-name.ts';
import { definePolicy, type Policy, type PolicySettings, policyOptions } from './define-policy.ts';
import { optionsSchema, shown } from './options.ts';
import { parseSpec } from './parse-spec.ts';

/** The one version of the file format there is. */
const VERSION = 1;

/** What a policy file says: the policy, and which encoder to run it with. */
export interface PolicyFile {
  readonly policy: Policy;
  /** An encoder's SPEC; null where the file names none. */
  readonly encoder: string | null;
  /** Where an OpenAI-compatible endpoint is, for `openai:` encoders. */
  readonly openai: { readonly baseUrl?: string; readonly apiKey?: string } | null;
}

/** The defenses of one SPEC: a defense's name with options, or the name of a recipe or policy, which stands for its stages. */
export function parseStages(spec: string): readonly Defense[] {
  const { name, options } = parseSpec(spec);
  return stagesOf(name, options);
}

function stagesOf(name: string, options: Readonly<Record<string, unknown>>): readonly Defense[] {
  if (Object.hasOwn(POLICIES, name)) {
    const [first] = Object.keys(options);
    if (first !== undefined) {
      throw new BezoarError('INVALID_OPTION', `${name}: a named policy's settings are fixed; use its stages to change them`, {
        details: { field: first },
      });
    }
    return POLICIES[name as keyof typeof POLICIES].stages;
  }
  if (!Object.hasOwn(DEFENSES, name)) throw unknownName(name);
  return [DEFENSES[name as keyof typeof DEFENSES](options)];
}

function unknownName(name: string): BezoarError {
  const names = [...Object.keys(DEFENSES), ...Object.keys(POLICIES)];
  const near = closestName(name, names);
  return new BezoarError(
    'UNKNOWN_NAME',
    `no defense, recipe or policy is called ${shown(name)}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`}`,
    {
      details: { field: 'name', closest: near },
    },
  );
}

/** The policy of SPECs in order: one name of a recipe or policy is that policy; anything else is its stages in a row under the default settings. */
export function policyFromSpecs(specs: readonly string[], settings: Partial<PolicySettings> = {}): Policy {
  const only = specs.length === 1 ? specs[0]! : '';
  const named = Object.hasOwn(POLICIES, only) ? POLICIES[only as keyof typeof POLICIES] : null;
  return definePolicy({ ...(named ?? { name: specs.join(' + ') }), stages: specs.flatMap(parseStages), ...settings });
}

const FILE_KEYS = ['version', 'name', 'description', 'stages', ...Object.keys(policyOptions), 'encoder', 'openai'];

/**
 * Reads the content of a policy file: an object with `version: 1`, `stages`, the settings of a policy and optionally `encoder` and `openai`.
 *
 * @throws {BezoarError} `BAD_CONFIG` with `details.field`, the path of what is wrong (`stages[1].alpha`); an unknown key comes with the closest valid one.
 */
export function parsePolicyFile(content: unknown): PolicyFile {
  if (!isRecord(content)) throw fault('', `the file holds ${kindOf(content)}, expected keys and values, first of all version: ${VERSION}`);
  checkKeys(content, FILE_KEYS, '');
  if (content.version !== VERSION)
    throw fault('version', `version is ${content.version === undefined ? 'missing' : shown(content.version)}, expected ${VERSION}`);
  if (!Array.isArray(content.stages)) throw fault('stages', `stages is ${kindOf(content.stages)}, expected a list of defenses`);
  const stages = content.stages.flatMap((stage: unknown, index) => within(`stages[${index}]`, () => readStage(stage)));
  const { version: _version, stages: _stages, encoder, openai, name, description, ...settings } = content;
  const about = { name: readText(name, 'name') ?? 'custom', description: readText(description, 'description') ?? '' };
  const policy = within('', () => definePolicy({ ...about, stages, ...(settings as Partial<PolicySettings>) }));
  return { policy, encoder: readText(encoder, 'encoder'), openai: readOpenAi(openai) };
}

function readStage(stage: unknown): readonly Defense[] {
  if (typeof stage === 'string') return parseStages(stage);
  if (!isRecord(stage) || typeof stage.name !== 'string') {
    throw new BezoarError('BAD_CONFIG', `is ${kindOf(stage)}, expected a SPEC such as grada?alpha=0.4, or a name with its options`);
  }
  const { name, ...options } = stage;
  return stagesOf(stage.name, options);
}

function readOpenAi(value: unknown): PolicyFile['openai'] {
  if (value === undefined || value === null) return null;
  // What stands here may be the key, so faults do not repeat it.
  if (!isRecord(value)) throw fault('openai', 'openai is no object, expected baseUrl and apiKey');
  checkKeys(value, ['baseUrl', 'apiKey'], 'openai.');
  const baseUrl = readText(value.baseUrl, 'openai.baseUrl');
  const apiKey = readText(value.apiKey, 'openai.apiKey', typeof value.apiKey === 'string' ? 'empty or too long' : 'no text');
  return { ...(baseUrl === null ? {} : { baseUrl }), ...(apiKey === null ? {} : { apiKey }) };
}

function readText(value: unknown, field: string, received = kindOf(value)): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value === '' || value.length > 4000) throw fault(field, `${field} is ${received}, expected text`);
  return value;
}

function checkKeys(record: Readonly<Record<string, unknown>>, valid: readonly string[], prefix: string): void {
  for (const key of Object.keys(record)) {
    if (valid.includes(key)) continue;
    const near = closestName(key, valid);
    throw fault(
      `${prefix}${key.slice(0, 80)}`,
      `unknown key ${shown(key)}; ${near ? `did you mean ${near}?` : `the keys are ${valid.join(', ')}`}`,
      near,
    );
  }
}

/** Says where in the file a fault is. */
function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!BezoarError.is(error)) throw error;
    const { field = '' } = error.details;
    const full = [path, field === 'name' || field === 'spec' ? '' : field].filter((part) => part !== '').join('.');
    throw fault(full, path === '' ? error.message : `${path}: ${error.message}`, error.details.closest ?? null);
  }
}

function fault(field: string, message: string, closest: string | number | boolean | null = null): BezoarError {
  return new BezoarError('BAD_CONFIG', message, { details: { field, closest } });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : shown(value);
}

/** JSON schema (2020-12) of a policy file, made from the same option specs that read it. */
export function policyFileSchema(): JsonObject {
  const stageObjects = Object.entries(DEFENSES).map(([name, defense]): JsonObject => {
    const properties: JsonValue = { name: { const: name }, ...optionsSchema(defense.optionSpecs) };
    return { type: 'object', description: defense.definition.summary, properties, required: ['name'], additionalProperties: false };
  });
  const text = (description: string): JsonObject => ({ type: 'string', minLength: 1, maxLength: 4000, description });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Bezoar policy file',
    type: 'object',
    properties: {
      version: { const: VERSION },
      name: text('What results and logs call this policy.'),
      description: text('For people.'),
      stages: {
        type: 'array',
        description: 'Defenses in order. A SPEC such as grada?alpha=0.4, the name of a recipe or policy, or a name with its options.',
        items: { anyOf: [{ type: 'string', minLength: 1 }, ...stageObjects] },
      },
      ...optionsSchema(policyOptions),
      encoder: text("An encoder's SPEC: static, onnx:DIR or openai:MODEL. ${NAME:default} is filled in from the environment."),
      openai: {
        type: 'object',
        description: 'An OpenAI-compatible endpoint for openai: encoders.',
        properties: { baseUrl: text('Without /embeddings.'), apiKey: text('Best written ${OPENAI_API_KEY}.') },
        additionalProperties: false,
      },
    },
    required: ['version', 'stages'],
    additionalProperties: false,
  };
}
