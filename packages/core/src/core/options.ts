import { BezoarError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { closestName } from './closest-name.ts';
import { printable } from './printable.ts';

/** One option of a defense or a policy: its default, its range, and how a value from a SPEC, a policy file or code is read. */
export interface OptionSpec<T> {
  readonly default: T;
  readonly description: string;
  /** What may be written, for messages and lists, e.g. `number from 0 to 1`. */
  readonly expected: string;
  /** JSON schema of one value. */
  readonly schema: JsonObject;
  /** The value, or undefined when it is not one. */
  read(value: unknown): T | undefined;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;
export type OptionValues<S extends OptionSpecs> = { readonly [K in keyof S]: S[K] extends OptionSpec<infer T> ? T : never };

interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}

const nullable = <T>(spec: OptionSpec<T>, fallback: string): OptionSpec<T | null> => ({
  ...spec,
  default: null,
  expected: `${spec.expected} (${fallback})`,
  schema: { anyOf: [spec.schema, { type: 'null' }] },
  read: (value) => (value === null ? null : spec.read(value)),
});

function number(fallback: number, description: string, range: Range = {}): OptionSpec<number> {
  const { min = -Infinity, max = Infinity, integer = false } = range;
  const bounds =
    Number.isFinite(min) && Number.isFinite(max)
      ? ` from ${min} to ${max}`
      : Number.isFinite(min)
        ? ` of at least ${min}`
        : Number.isFinite(max)
          ? ` of at most ${max}`
          : '';
  return {
    default: fallback,
    description,
    expected: `${integer ? 'whole number' : 'number'}${bounds}`,
    schema: {
      type: integer ? 'integer' : 'number',
      ...(Number.isFinite(min) ? { minimum: min } : {}),
      ...(Number.isFinite(max) ? { maximum: max } : {}),
    },
    read(value) {
      const parsed = typeof value === 'string' && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
      if (typeof parsed !== 'number' || !Number.isFinite(parsed) || parsed < min || parsed > max) return undefined;
      return integer && !Number.isSafeInteger(parsed) ? undefined : parsed;
    },
  };
}

function choice<const T extends string>(values: readonly T[], fallback: T, description: string): OptionSpec<T> {
  return {
    default: fallback,
    description,
    expected: values.join(' | '),
    schema: { enum: values },
    read: (value) => values.find((candidate) => candidate === value),
  };
}

/** Written `on`, `off`, `true` or `false`. */
function flag(fallback: boolean, description: string): OptionSpec<boolean> {
  return {
    default: fallback,
    description,
    expected: 'on | off',
    schema: { enum: [true, false, 'on', 'off', 'true', 'false'] },
    read: (value) =>
      value === true || value === 'on' || value === 'true'
        ? true
        : value === false || value === 'off' || value === 'false'
          ? false
          : undefined,
  };
}

function text(fallback: string, description: string, expected: string): OptionSpec<string> {
  return {
    default: fallback,
    description,
    expected,
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
    read: (value) => (typeof value === 'string' && value.length > 0 && value.length <= 1000 ? value : undefined),
  };
}

/** The kinds of option there are. */
export const option = { number, choice, flag, text, nullable };

/** Reads given values against their specs; an unknown name or a value out of range is an `INVALID_OPTION` that says where and what was expected. */
export function readOptions<S extends OptionSpecs>(specs: S, given: Readonly<Record<string, unknown>>, owner: string): OptionValues<S> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) values[name] = spec.default;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (!spec) throw unknownOption(name, Object.keys(specs), owner);
    const read = spec.read(value);
    if (read === undefined) {
      throw new BezoarError('INVALID_OPTION', `${owner}: ${name} is ${shown(value)}, expected ${spec.expected}`, {
        details: { field: name, expected: spec.expected },
      });
    }
    values[name] = read;
  }
  return values as OptionValues<S>;
}

function unknownOption(name: string, names: readonly string[], owner: string): BezoarError {
  const near = closestName(name, names);
  const remedy = names.length === 0 ? 'it takes none' : near ? `did you mean ${near}?` : `it takes ${names.join(', ')}`;
  return new BezoarError('INVALID_OPTION', `${owner}: unknown option ${shown(name)}; ${remedy}`, {
    details: { field: name.slice(0, 80), closest: near },
  });
}

/** A value as it may stand in a message: bounded and with control characters escaped. */
export function shown(value: unknown): string {
  const json =
    typeof value === 'number'
      ? String(value)
      : typeof value === 'string' || typeof value === 'boolean' || value === null
        ? JSON.stringify(value)
        : typeof value;
  return printable(json, 80);
}

/** JSON schema of an object of options. */
export function optionsSchema(specs: OptionSpecs): JsonObject {
  const properties: Record<string, JsonValue> = {};
  for (const [name, spec] of Object.entries(specs)) {
    properties[name] = {
      ...spec.schema,
      description: spec.description,
      ...(spec.default === null ? {} : { default: spec.default as JsonValue }),
    };
  }
  return properties;
}
