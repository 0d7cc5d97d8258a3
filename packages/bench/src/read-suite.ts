import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BezoarError, closestName } from '@bezoar/core';
import { LineCounter, parseDocument } from 'yaml';
import { fileFault } from './file-fault.ts';
import { printable } from './layout.ts';
import { PLACEMENTS, type Placement, RETRIEVERS, type RetrieverName } from './types.ts';

/** Suites that ship with the package: what a paper ran, as far as that can be measured here. */
export const SUITE_NAMES = ['paper-grada', 'paper-pra-rag', 'paper-ragpart', 'paper-trustrag'] as const;

/** Several measurements that belong together. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  /** Where the settings come from. */
  readonly source: string;
  /** A sentence for each thing that is not as it was there. */
  readonly differs: readonly string[];
  readonly parts: readonly SuitePart[];
}

/** One measurement: every attack by every defense under the same settings. What is left out is the bench's default. */
export interface SuitePart {
  readonly title: string;
  /** SPECs; `none` measures without an attack. */
  readonly attacks?: readonly string[];
  /** SPECs. */
  readonly defenses: readonly string[];
  /** SPECs; each defense that compares embeddings is measured with each. */
  readonly encoders?: readonly string[];
  readonly pool?: number;
  readonly keep?: number;
  /** Numbers of poisoned passages; with placement `ratio` shares of the pool. */
  readonly poisons?: readonly number[];
  readonly placements?: readonly Placement[];
  readonly retriever?: RetrieverName;
  readonly passageText?: 'title-and-text' | 'text';
  readonly shortPools?: boolean;
  readonly keepDuplicates?: boolean;
  readonly isolated?: boolean;
  readonly limit?: number;
  readonly repeats?: number;
  /** Values to measure with, by the name of an option or of a setting of the bench. */
  readonly sweep?: Readonly<Record<string, readonly string[]>>;
}

/** One key of a file: whether a value will do, and what would. */
interface Field {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  readonly required?: true;
}

/** Longer lists than this, and longer texts than 4,000 characters, are mistakes. */
const MAX_ENTRIES = 1000;

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '' && value.length <= 4000;
const listOf = (accepts: (value: unknown) => boolean, value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_ENTRIES && value.every(accepts);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text: Field = { expected: 'text', accepts: isText };
const texts: Field = { expected: 'a list of texts, at least one', accepts: (value) => listOf(isText, value) };
const flag: Field = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const whole: Field = { expected: 'a whole number of at least 1', accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 1 };
const oneOf = (names: readonly string[]): Field => ({
  expected: names.join(', '),
  accepts: (value) => names.some((name) => name === value),
});
const someOf = (names: readonly string[]): Field => ({
  expected: `a list of some of ${names.join(', ')}`,
  accepts: (value) => listOf(oneOf(names).accepts, value),
});

const SUITE_FIELDS: Readonly<Record<keyof Suite, Field>> = {
  name: { ...text, required: true },
  title: { ...text, required: true },
  source: { ...text, required: true },
  differs: {
    expected: 'a list of sentences',
    accepts: (value) => listOf(isText, value) || (Array.isArray(value) && value.length === 0),
    required: true,
  },
  parts: { expected: 'a list of parts, at least one', accepts: (value) => listOf(isRecord, value), required: true },
};

const PART_FIELDS: Readonly<Record<keyof SuitePart, Field>> = {
  title: { ...text, required: true },
  attacks: texts,
  defenses: { ...texts, required: true },
  encoders: texts,
  pool: whole,
  keep: whole,
  poisons: {
    expected: 'a list of numbers of at least 0',
    accepts: (value) => listOf((entry) => typeof entry === 'number' && Number.isFinite(entry) && entry >= 0, value),
  },
  placements: someOf(PLACEMENTS),
  retriever: oneOf(RETRIEVERS),
  passageText: oneOf(['title-and-text', 'text']),
  shortPools: flag,
  keepDuplicates: flag,
  isolated: flag,
  limit: whole,
  repeats: whole,
  sweep: {
    expected: 'lists of texts by the name of an option',
    accepts: (value) => isRecord(value) && Object.values(value).every((entry) => texts.accepts(entry)),
  },
};

/**
 * The suite of that name that ships with the package, or the one in that YAML or JSON file.
 *
 * SPECs are read by the bench, which says what it cannot make of them.
 *
 * @param folder - Where a relative path begins. Default: the working folder.
 * @throws {BezoarError} `NOT_FOUND` when there is neither; `BAD_CONFIG` with file, line and field for what is no suite, an unknown key with
 *   the closest valid one.
 */
export async function readSuite(nameOrPath: string, folder = '.'): Promise<Suite> {
  const shipped = SUITE_NAMES.some((name) => name === nameOrPath);
  const file = shipped ? fileURLToPath(new URL(`../suites/${nameOrPath}.yaml`, import.meta.url)) : resolve(folder, nameOrPath);
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw notThere(error, nameOrPath);
  });
  return parseSuite(source, nameOrPath);
}

/** A word without a dot or a slash is more likely a misspelt name than a file. */
function notThere(error: unknown, nameOrPath: string): unknown {
  const shown = printable(nameOrPath.slice(0, 200));
  if ((error as { code?: unknown }).code !== 'ENOENT' || /[./\\]/.test(nameOrPath)) return fileFault(error, shown);
  const near = closestName(nameOrPath, SUITE_NAMES);
  return new BezoarError(
    'NOT_FOUND',
    `no suite or file is called ${shown}; ${near ? `did you mean ${near}?` : `there are ${SUITE_NAMES.join(', ')}`}`,
    { cause: error, details: { closest: near } },
  );
}

/** The suite in a YAML or JSON text; `name` is what messages call the text. */
export function parseSuite(source: string, name: string): Suite {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const shown = printable(name.slice(0, 200));
  const fault = (what: string, line: number | null, field: string, closest: string | null = null): BezoarError =>
    new BezoarError('BAD_CONFIG', `${shown}${line === null ? '' : ` line ${line}`}: ${printable(what)}`, {
      details: { file: shown, line, field, closest },
    });
  const broken = document.errors[0];
  if (broken) throw fault(broken.message.split('\n')[0], counter.linePos(broken.pos[0]).line, '');

  /** The line of the deepest key of the path that is there. */
  const lineOf = (path: readonly (string | number)[]): number | null => {
    for (let depth = path.length; depth > 0; depth--) {
      const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
      const items = (parent as { readonly items?: readonly unknown[] } | null)?.items ?? [];
      const entry = items.find((item) => (item as { key?: { value?: unknown } }).key?.value === path[depth - 1]);
      const node = (entry as { key?: unknown } | undefined)?.key ?? items[Number(path[depth - 1])];
      const start = (node as { range?: readonly number[] } | undefined)?.range?.[0];
      if (start !== undefined) return counter.linePos(start).line;
    }
    return null;
  };
  const check = (value: unknown, fields: Readonly<Record<string, Field>>, path: readonly (string | number)[]): void => {
    const of = path.length === 0 ? '' : `part ${Number(path[1]) + 1}: `;
    const names = Object.keys(fields);
    const record = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(record)) {
      const at = lineOf([...path, key]);
      if (!names.includes(key)) {
        const near = closestName(key, names);
        const remedy = near ? `did you mean ${near}?` : `the keys are ${names.join(', ')}`;
        throw fault(`${of}unknown key ${JSON.stringify(key.slice(0, 80))}; ${remedy}`, at, key.slice(0, 80), near);
      }
      if (!fields[key].accepts(record[key]))
        throw fault(`${of}${key} is ${kindOf(record[key])}, expected ${fields[key].expected}`, at, key);
    }
    for (const key of names) {
      if (fields[key].required && !Object.hasOwn(record, key))
        throw fault(`${of}${key} is missing, expected ${fields[key].expected}`, lineOf(path), key);
    }
  };

  let content: unknown;
  try {
    // `maxAliasCount` bounds what a file can unfold to.
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw fault((error as Error).message, null, '');
  }
  if (!isRecord(content)) throw fault(`the file holds ${kindOf(content)}, expected name, title, source, differs and parts`, null, '');
  check(content, SUITE_FIELDS, []);
  const suite = content as unknown as Suite;
  for (const [index, part] of suite.parts.entries()) check(part, PART_FIELDS, ['parts', index]);
  return suite;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value).slice(0, 80);
}
