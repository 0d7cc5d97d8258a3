import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import { BezoarError, type PolicyFile, parsePolicyFile } from '@bezoar/core';
import type { Terminal } from './terminal.ts';

/** Where a policy is looked for when none is named, in this order. */
export const POLICY_FILES = ['bezoar.config.yaml', 'bezoar.config.yml', 'bezoar.config.json', 'bezoar.config.ts'] as const;

/** The policy file of the folder, or null where there is none. */
export function findPolicyFile(terminal: Terminal): string | null {
  return POLICY_FILES.find((name) => existsSync(resolve(terminal.cwd, name))) ?? null;
}

/** Reads and checks a policy file; a fault names file, line and field. `${NAME:default}` in a value is filled in from the environment. */
export async function readPolicy(path: string, terminal: Terminal): Promise<PolicyFile> {
  const place = resolve(terminal.cwd, path);
  const type = extname(path);
  if (['.ts', '.mts', '.js', '.mjs'].includes(type)) {
    const content = await importPolicy(place, path);
    return located(
      path,
      () => null,
      () => content,
      terminal,
    );
  }
  const source = await readFile(place, 'utf8').catch((error: unknown) => {
    throw fileFault(error, path);
  });
  const { LineCounter, parseDocument } = await import('yaml');
  const counter = new LineCounter();
  // `maxAliasCount` bounds what a file can unfold to.
  const document = parseDocument(source, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const fault = document.errors[0];
  if (fault) {
    const line = counter.linePos(fault.pos[0]).line;
    const what = fault.code === 'MULTIPLE_DOCS' ? 'a second document begins; a policy file holds one' : fault.message.split('\n')[0];
    throw new BezoarError('BAD_CONFIG', `${path} line ${line}: ${what}`, { details: { file: path, line } });
  }
  const lineOf = (field: string): number | null => {
    const key = startOf(document.contents, field);
    if (key !== null) return counter.linePos(key).line;
    const keys = field.split(/[.[\]]/).flatMap((key) => (key === '' ? [] : [/^\d+$/.test(key) ? Number(key) : key]));
    for (let depth = keys.length; depth > 0; depth--) {
      const parent = depth === 1 ? document.contents : document.getIn(keys.slice(0, depth - 1), true);
      const start = startOf(parent, keys[depth - 1]!);
      if (start !== null) return counter.linePos(start).line;
    }
    return null;
  };
  return located(path, lineOf, () => document.toJS({ maxAliasCount: 100 }), terminal);
}

/** Where a key of a mapping or an entry of a list begins in the file. */
function startOf(parent: unknown, key: string | number): number | null {
  const items = (parent as { items?: readonly unknown[] } | null)?.items;
  if (!items) return null;
  const pair = items.find((item) => String((item as { key?: { value?: unknown } }).key?.value) === String(key));
  const found = pair ? (pair as { key: unknown }).key : items[Number(key)];
  return (found as { range?: readonly number[] } | undefined)?.range?.[0] ?? null;
}

async function importPolicy(place: string, path: string): Promise<unknown> {
  if (!existsSync(place)) throw fileFault({ code: 'ENOENT' }, path);
  const { createJiti } = await import('jiti');
  try {
    // jiti's cache is a folder of code that anyone on the machine may have put there.
    return await createJiti(import.meta.url, { fsCache: false }).import(place, { default: true });
  } catch (error) {
    throw new BezoarError('BAD_CONFIG', `${path} cannot be loaded: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
      details: { file: path },
    });
  }
}

function located(path: string, lineOf: (field: string) => number | null, content: () => unknown, terminal: Terminal): PolicyFile {
  try {
    return parsePolicyFile(fillIn(content(), terminal.env, ''));
  } catch (error) {
    // Aliases without an anchor or that unfold without end.
    if (error instanceof ReferenceError)
      throw new BezoarError('BAD_CONFIG', `${path}: ${error.message}`, { cause: error, details: { file: path } });
    if (error instanceof RangeError)
      throw new BezoarError('BAD_CONFIG', `${path} is nested too deeply`, { cause: error, details: { file: path } });
    if (!BezoarError.is(error)) throw error;
    const line = lineOf(String(error.details.field ?? ''));
    throw new BezoarError(error.code, `${path}${line === null ? '' : ` line ${line}`}: ${error.message}`, {
      cause: error,
      details: { ...error.details, file: path, ...(line === null ? {} : { line }) },
    });
  }
}

function fillIn(value: unknown, env: Terminal['env'], field: string): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_]\w{0,100})(?::([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
      const found = env[name] || fallback;
      if (found !== undefined) return found;
      throw new BezoarError(
        'BAD_CONFIG',
        `${field} needs the environment variable ${name}, which is not set; set it or write \${${name}:default}`,
        {
          details: { field },
        },
      );
    });
  }
  if (Array.isArray(value)) return value.map((entry, index) => fillIn(entry, env, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fillIn(entry, env, field === '' ? key : `${field}.${key}`)]));
}
