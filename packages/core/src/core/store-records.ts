import { BezoarError } from '../errors.ts';
import type { JsonValue } from '../types.ts';
import { closestName } from './closest-name.ts';
import { printable } from './printable.ts';
import type { StoredPassage, StoreFilter, StoreRecord, StoreShape } from './store-port.ts';

/** Names of vectors become columns and fields in databases, so they are of this form and never the attacker's. */
const VECTOR_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** The shape, when it is one. Throws `INVALID_OPTION` for no vectors, a bad name or a length that is none. */
export function checkShape(shape: StoreShape): StoreShape {
  const vectors = Object.entries(shape.vectors);
  if (vectors.length === 0) throw new BezoarError('INVALID_OPTION', 'a store needs at least one named vector');
  for (const [name, length] of vectors) {
    if (!VECTOR_NAME.test(name)) {
      throw new BezoarError('INVALID_OPTION', `a vector's name is lower-case letters, digits and dashes, not "${printable(name, 60)}"`);
    }
    if (!Number.isInteger(length) || length < 1 || length > 65_536) {
      throw new BezoarError('INVALID_OPTION', `the length of vector "${name}" is a whole number from 1 to 65536, not ${length}`);
    }
  }
  if (shape.similarity !== 'cosine' && shape.similarity !== 'dot') {
    throw new BezoarError('INVALID_OPTION', `similarity is cosine or dot, not ${printable(String(shape.similarity), 40)}`);
  }
  return shape;
}

/** Throws `SHAPE_MISMATCH` when a store that was made for `made` is opened for `asked`. Settings may differ; an encoder only where both name one. */
export function checkSameShape(made: StoreShape, asked: StoreShape): void {
  const differs = (what: string, is: unknown, wanted: unknown): never => {
    throw new BezoarError(
      'SHAPE_MISMATCH',
      `the store was made with ${what} ${is}, not ${wanted}; open it for that, or make another store`,
    );
  };
  const list = (shape: StoreShape): string =>
    Object.entries(shape.vectors)
      .map(([name, length]) => `${name}:${length}`)
      .sort()
      .join(' ');
  if (list(made) !== list(asked)) differs('vectors', list(made), list(asked));
  if (made.similarity !== asked.similarity) differs('similarity', made.similarity, asked.similarity);
  if (made.encoder !== undefined && asked.encoder !== undefined && made.encoder !== asked.encoder) {
    differs('encoder', printable(made.encoder, 80), printable(asked.encoder, 80));
  }
}

/** Throws `SHAPE_MISMATCH` for an unknown name or another length, `BAD_INPUT` for what is not finite. */
export function checkVector(shape: StoreShape, name: string, vector: Float32Array): void {
  const length = Object.hasOwn(shape.vectors, name) ? shape.vectors[name] : undefined;
  if (length === undefined) {
    const names = Object.keys(shape.vectors);
    const closest = closestName(name, names);
    const hint = closest === null ? `it has ${names.slice(0, 12).join(', ')}` : `did you mean "${closest}"?`;
    throw new BezoarError('SHAPE_MISMATCH', `the store has no vector "${printable(name, 60)}"; ${hint}`);
  }
  if (vector.length !== length) {
    throw new BezoarError(
      'SHAPE_MISMATCH',
      `vector "${name}" has ${vector.length} numbers, and the store keeps ${length}; use its encoder`,
      {
        details: { expected: length, received: vector.length },
      },
    );
  }
  for (let i = 0; i < length; i++) {
    if (!Number.isFinite(vector[i]))
      throw new BezoarError('BAD_INPUT', `number ${i} of vector "${name}" is ${vector[i]}; it must be finite`);
  }
}

/** Throws `INVALID_OPTION` unless k is a whole number of 0 or more. */
export function checkCount(k: number): void {
  if (!Number.isInteger(k) || k < 0) throw new BezoarError('INVALID_OPTION', `k is a whole number of 0 or more, not ${k}`);
}

export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new BezoarError('ABORTED', 'the caller aborted the work on the store', { cause: signal.reason });
}

const TEXT_FIELDS = ['id', 'text', 'contentHash', 'addedAt', 'runId'] as const;

/**
 * The records as a store may keep them, each id once (the last one counts), in order of first appearance: plain frozen copies of the documented
 * fields, so that nothing the caller does later changes them. All are checked before any is returned.
 *
 * @throws {BezoarError} `BAD_INPUT` for a passage that is not of the documented shape or a vector that is not finite, `SHAPE_MISMATCH`.
 */
export function checkRecords(shape: StoreShape, records: readonly StoreRecord[]): StoreRecord[] {
  const byId = new Map<string, StoreRecord>();
  for (const { passage, vectors } of records) {
    for (const [name, vector] of Object.entries(vectors)) checkVector(shape, name, vector);
    byId.set(passage.id, { passage: plainPassage(passage), vectors });
  }
  return Array.from(byId.values());
}

function plainPassage(passage: StoredPassage): StoredPassage {
  const { id, text, title, source, metadata, contentHash, addedAt, runId, status, findings } = passage;
  const refuse = (what: string): never => {
    throw new BezoarError('BAD_INPUT', `passage "${printable(String(id), 60)}" has ${what}`);
  };
  for (const field of TEXT_FIELDS) if (typeof passage[field] !== 'string') refuse(`no ${field}, which is a text`);
  for (const field of ['title', 'source'] as const) {
    if (passage[field] !== undefined && typeof passage[field] !== 'string') refuse(`a ${field} that is no text`);
  }
  if (status !== 'searchable' && status !== 'quarantined') refuse('a status that is neither searchable nor quarantined');
  if (!Array.isArray(findings)) refuse('findings that are no list');
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    refuse('metadata that are no object');
  }
  let json = '';
  try {
    json = JSON.stringify({ id, text, title, source, metadata, contentHash, addedAt, runId, status, findings });
  } catch {
    refuse('metadata or findings that are no JSON');
  }
  return deepFreeze(JSON.parse(json));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}

/** Whether a passage is one the filter speaks of, as `StoreFilter` says. */
export function passageMatcher(filter: StoreFilter = {}): (passage: StoredPassage) => boolean {
  const { status = 'searchable', runId } = filter;
  const sources = filter.sources && new Set(filter.sources);
  const metadata = Object.entries(filter.metadata ?? {});
  return (passage) =>
    (status === 'any' || passage.status === status) &&
    (runId === undefined || passage.runId === runId) &&
    (sources === undefined || (passage.source !== undefined && sources.has(passage.source))) &&
    metadata.every(([key, value]) => {
      const own = passage.metadata;
      return own !== undefined && Object.hasOwn(own, key) && sameJson(own[key] as JsonValue, value);
    });
}

/** Equal as JSON, whatever the order of keys. */
function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, JsonValue>, b as Record<string, JsonValue>];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key]!, right[key]!));
}
