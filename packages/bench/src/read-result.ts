import { open, readFile } from 'node:fs/promises';
import { BezoarError } from '@bezoar/core/errors';
import { type JsonLine, readJsonLines, recordOf } from './dataset/read-json-lines.ts';
import { fileFault } from './file-fault.ts';
import { printable } from './layout.ts';
import { PART_SCHEMAS, RESULT_SCHEMA, type ResultSchema } from './result-schema.ts';
import type { BenchResult, QuestionRecord, ResultCell, ResultPool } from './types.ts';

/** How the log begins, whoever wrote its spaces; what JSON begins with is anything else. */
const LOG = /^\ufeff?\s*\{\s*"type"\s*:\s*"run"/;
/** Characters of the longest string that Node makes. */
const MAX_CHARACTERS = 2 ** 29 - 24;
const REMEDY = 'name a file that bezoar bench wrote with --format json or jsonl';

/** The result that `--format json` or `jsonl` wrote to a file, told apart by how it begins. `name` is what messages call it. */
export async function readResult(path: string, name: string = path): Promise<BenchResult> {
  const { begin, size } = await look(path, name);
  if (LOG.test(begin)) return checkPlaces(await readLog(path, name), name);
  if (size > MAX_CHARACTERS)
    throw new BezoarError('TOO_LARGE', `${name} is too large to be read as one JSON value; write it with --format jsonl`);
  return checkResult(parse(await readFile(path, 'utf8'), name), name);
}

/** The value itself, if it is a result: of the published shape, and every place and rank in it is there. */
export function checkResult(value: unknown, name = 'the result'): BenchResult {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw bad(name, '', `is not a bench result; ${REMEDY}`);
  checkVersion((value as { schemaVersion?: unknown }).schemaVersion, name);
  requireShape(RESULT_SCHEMA, value, name, '');
  return checkPlaces(value as BenchResult, name);
}

async function look(path: string, name: string): Promise<{ begin: string; size: number }> {
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(256), 0, 256, 0);
      return { begin: buffer.toString('utf8', 0, bytesRead), size: (await file.stat()).size };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileFault(error, name);
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw bad(name, '', `is not JSON (${printable((error as Error).message).slice(0, 120)}), perhaps cut short; ${REMEDY}`);
  }
}

const LISTS = { question: 'questions', passage: 'passages', pool: 'pools', diagnosis: 'diagnoses' } as const;

async function readLog(path: string, name: string): Promise<BenchResult> {
  const result = { questions: [] as unknown[], passages: [] as unknown[], pools: [] as unknown[], diagnoses: [] as unknown[] };
  const cells: (Omit<ResultCell, 'records'> & { records: QuestionRecord[] })[] = [];
  const seen: Record<string, number> = { question: 0, passage: 0, pool: 0, cell: 0, query: 0, diagnosis: 0 };
  let head: { run: unknown; lines: unknown } | null = null;
  for await (const line of readJsonLines(path, name, { invalidUtf8: 'refuse' })) {
    const { type, ...item } = recordOf(line);
    if (typeof type !== 'string' || (type !== 'run' && !Object.hasOwn(seen, type)))
      throw bad(line.at, 'type', `is ${shown(type)}, expected run, ${Object.keys(seen).join(', ')}`);
    if ((type === 'run') !== (head === null)) throw bad(line.at, 'type', `is ${type}; a result has one run line, the first`);
    if (type === 'run') {
      checkVersion(item.schemaVersion, name);
      requireShape(PART_SCHEMAS.run, item.run, line.at, 'run');
      head = { run: item.run, lines: item.lines };
      continue;
    }
    seen[type]! += 1;
    if (type === 'cell') {
      requireShape(PART_SCHEMAS.cell, { ...item, records: [] }, line.at, '');
      cells.push({ ...(item as unknown as Omit<ResultCell, 'records'>), records: [] });
    } else if (type === 'query') cells[cellOf(item, cells.length, line)]!.records.push(recordIn(item, line));
    else {
      requireShape(PART_SCHEMAS[type as keyof typeof LISTS], item, line.at, '');
      result[LISTS[type as keyof typeof LISTS]].push(item);
    }
  }
  for (const [type, found] of Object.entries(seen)) {
    const promised = (head!.lines as Record<string, unknown> | undefined)?.[type];
    if (promised !== found)
      throw bad(
        name,
        '',
        `has ${found} ${type} lines where its first line says ${shown(promised)}: it was cut short or changed; write it again`,
      );
  }
  return { schemaVersion: 1, run: head!.run, cells, ...result } as BenchResult;
}

/** Queries stand behind their cell. */
function cellOf(item: Readonly<Record<string, unknown>>, cells: number, line: JsonLine): number {
  if (cells === 0) throw bad(line.at, 'type', 'is query, expected a cell before it');
  if (item.cell !== cells - 1) throw bad(line.at, 'cell', `is ${shown(item.cell)}, expected ${cells - 1}, the cell before it`);
  return cells - 1;
}

function recordIn({ cell: _, ...record }: Readonly<Record<string, unknown>>, line: JsonLine): QuestionRecord {
  requireShape(PART_SCHEMAS.query, record, line.at, '');
  return record as unknown as QuestionRecord;
}

function checkVersion(version: unknown, name: string): void {
  if (version === undefined) throw bad(name, 'schemaVersion', `is missing, so it is not a bench result; ${REMEDY}`);
  if (version !== 1)
    throw bad(
      name,
      'schemaVersion',
      `is ${shown(version)}, and this version reads 1; use the version of bezoar that wrote it, or measure again`,
    );
}

function checkPlaces(result: BenchResult, name: string): BenchResult {
  const { questions, passages, pools, cells } = result;
  const place = (index: number, length: number, path: string, of: string): void => {
    if (index >= length) throw bad(name, path, `is ${index}, and there are ${length} ${of}; write the result again`);
  };
  for (const [p, pool] of pools.entries()) {
    place(pool.question, questions.length, `pools[${p}].question`, 'questions');
    for (const [i, { passage }] of pool.passages.entries())
      place(passage, passages.length, `pools[${p}].passages[${i}].passage`, 'passages');
  }
  for (const [c, { records }] of cells.entries()) {
    for (const [r, record] of records.entries()) checkRecord(record, pools, `cells[${c}].records[${r}]`, name, place);
  }
  return result;
}

function checkRecord(
  { pool, cleanPool, context, cleanContext, verdicts }: QuestionRecord,
  pools: readonly ResultPool[],
  path: string,
  name: string,
  place: (index: number, length: number, path: string, of: string) => void,
): void {
  if (pool !== null) place(pool, pools.length, `${path}.pool`, 'pools');
  if (cleanPool !== null) place(cleanPool, pools.length, `${path}.cleanPool`, 'pools');
  const size = pool === null ? 0 : pools[pool]!.passages.length;
  const cleanSize = cleanPool === null ? 0 : pools[cleanPool]!.passages.length;
  const ranks = [
    ...context.map((rank) => ['context', rank, size] as const),
    ...cleanContext.map((rank) => ['cleanContext', rank, cleanSize] as const),
  ];
  for (const [key, rank, last] of ranks) {
    if (rank > last) throw bad(name, `${path}.${key}`, `has rank ${rank}, and its pool has ${last} passages; write the result again`);
  }
  if (verdicts && verdicts.length !== size)
    throw bad(name, `${path}.verdicts`, `has ${verdicts.length} verdicts for ${size} passages; write the result again`);
}

function requireShape(schema: ResultSchema, value: unknown, name: string, path: string): void {
  const fault = faultIn(schema, value, path);
  if (fault) throw bad(name, fault.path, `${fault.what}; correct it, or write the result again`);
}

interface Fault {
  readonly path: string;
  readonly what: string;
}

/** The first thing about a value that its schema does not allow. */
function faultIn(schema: ResultSchema, value: unknown, path: string): Fault | null {
  if (schema.anyOf) return value === null ? null : faultIn(schema.anyOf[0]!, value, path);
  const expected = expectedBy(schema);
  if (value === undefined) return { path, what: `is missing, expected ${expected}` };
  if (!allows(schema, value)) return { path, what: `is ${shown(value)}, expected ${expected}` };
  if (schema.items)
    return firstFault(
      (value as unknown[]).entries(),
      (index) => `${path}[${index}]`,
      () => schema.items!,
    );
  if (schema.additionalProperties)
    return firstFault(
      Object.entries(value as object),
      (key) => dotted(path, key),
      () => schema.additionalProperties!,
    );
  if (!schema.properties) return null;
  const given = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(schema.properties).filter((key) => schema.required!.includes(key) || Object.hasOwn(given, key));
  return firstFault(
    keys.map((key) => [key, Object.hasOwn(given, key) ? given[key] : undefined] as const),
    (key) => dotted(path, key),
    (key) => schema.properties![key]!,
  );
}

function firstFault<K>(
  entries: Iterable<readonly [K, unknown]>,
  pathOf: (key: K) => string,
  schemaOf: (key: K) => ResultSchema,
): Fault | null {
  for (const [key, entry] of entries) {
    const fault = faultIn(schemaOf(key), entry, pathOf(key));
    if (fault) return fault;
  }
  return null;
}

const dotted = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

function allows(schema: ResultSchema, value: unknown): boolean {
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum) return schema.enum.includes(value as string | null);
  const types = [schema.type!].flat();
  if (!types.some((type) => isOf(type, value))) return false;
  return typeof value !== 'number' || schema.minimum === undefined || value >= schema.minimum;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

function expectedBy(schema: ResultSchema): string {
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum) return schema.enum.join(', ');
  const least = schema.minimum === undefined ? '' : ` of at least ${schema.minimum}`;
  return [schema.type!].flat().join(' or ') + least;
}

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'missing' : printable(typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value));
};

const bad = (name: string, path: string, what: string): BezoarError =>
  new BezoarError('BAD_INPUT', `${name}${path === '' ? '' : `: ${printable(path).slice(0, 200)}`} ${what}`, {
    details: { file: name, path },
  });
