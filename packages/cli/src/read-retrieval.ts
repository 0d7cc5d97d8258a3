import {
  BezoarError,
  type JsonObject,
  MAX_CHARACTERS,
  MAX_PASSAGES,
  type Query,
  type Retrieval,
  type RetrievedPassage,
} from '@bezoar/core';
import type { JsonLine } from './read-json-lines.ts';

/** Ids stand in messages and in the evidence of other passages. */
const MAX_ID = 1000;

/** Checks one line of `defend`'s input and makes a retrieval of it. A fault names line and field, and says what was expected. */
export function readRetrieval({ value, at }: JsonLine): Retrieval {
  const record = object(value, at, '', '{"query": {"id", "text"}, "passages": [{"id", "text"}]}');
  const query = readQuery(record.query, at);
  if (!Array.isArray(record.passages)) throw fault(at, 'passages', record.passages, 'a list of passages');
  if (record.passages.length > MAX_PASSAGES) {
    throw new BezoarError('TOO_LARGE', `${at}: passages has ${record.passages.length} entries, expected at most ${MAX_PASSAGES}`);
  }
  const passages = record.passages.map((passage, index) => readPassage(passage, index, at));
  checkShapes(query, passages, at);
  return { query, passages };
}

/** Checks the question of a record. */
function readQuery(value: unknown, at: string): Query {
  const query = object(value, at, 'query', '{"id", "text"}');
  const embedding = readEmbedding(query.embedding, at, 'query.embedding');
  return {
    id: text(query.id, at, 'query.id', MAX_ID),
    text: text(query.text, at, 'query.text', MAX_CHARACTERS),
    ...(embedding ? { embedding } : {}),
  };
}

function readPassage(value: unknown, index: number, at: string): RetrievedPassage {
  const field = (name: string): string => `passages[${index}].${name}`;
  const passage = object(value, at, `passages[${index}]`, '{"id", "text"}');
  const embedding = readEmbedding(passage.embedding, at, field('embedding'));
  return {
    id: text(passage.id, at, field('id'), MAX_ID),
    text: text(passage.text, at, field('text')),
    rank: index + 1,
    ...optional('title', passage.title, () => text(passage.title, at, field('title'))),
    ...optional('source', passage.source, () => text(passage.source, at, field('source'))),
    ...optional('metadata', passage.metadata, () => object(passage.metadata, at, field('metadata'), 'an object') as JsonObject),
    ...optional('relevance', passage.relevance, () => number(passage.relevance, at, field('relevance'))),
    ...(embedding ? { embedding } : {}),
  };
}

/** Rows of different length are the caller's mistake whatever the stages need: it is said at the door, with the line. */
function checkShapes(query: Query, passages: readonly RetrievedPassage[], at: string): void {
  const seen = new Map<string, number>();
  const first = passages.find((passage) => passage.embedding);
  for (const [index, passage] of passages.entries()) {
    const other = seen.get(passage.id);
    if (other !== undefined) {
      throw new BezoarError(
        'DUPLICATE_ID',
        `${at}: passages[${index}].id is the same as passages[${other}].id; ids must be unique within a retrieval`,
      );
    }
    seen.set(passage.id, index);
    if (passage.embedding && passage.embedding.length !== first!.embedding!.length) {
      throw new BezoarError(
        'SHAPE_MISMATCH',
        `${at}: passages[${index}].embedding has ${passage.embedding.length} numbers, expected ${first!.embedding!.length} as the others; encode all with one encoder`,
      );
    }
  }
  if (first && query.embedding && query.embedding.length !== first.embedding!.length) {
    throw new BezoarError(
      'SHAPE_MISMATCH',
      `${at}: query.embedding has ${query.embedding.length} numbers, expected ${first.embedding!.length} as the passages; encode both with one encoder`,
    );
  }
}

function optional<K extends string, T>(key: K, value: unknown, read: () => T): Partial<Record<K, T>> {
  return value === undefined || value === null ? {} : ({ [key]: read() } as Record<K, T>);
}

/** Passages may be of any length here: a defense sets too long ones aside, so that one cannot stop the others. */
function text(value: unknown, at: string, field: string, limit = Number.POSITIVE_INFINITY): string {
  if (typeof value !== 'string') throw fault(at, field, value, 'text');
  if (value.length > limit) {
    throw new BezoarError('TOO_LARGE', `${at}: ${field} has ${value.length} characters, expected at most ${limit}`, { details: { field } });
  }
  return value;
}

function number(value: unknown, at: string, field: string): number {
  if (typeof value !== 'number') throw fault(at, field, value, 'a number');
  return value;
}

function object(value: unknown, at: string, field: string, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault(at, field, value, expected);
  return value as Readonly<Record<string, unknown>>;
}

/** null and an empty list are a missing embedding; null inside one is what JSON makes of NaN, so it is read as that. */
function readEmbedding(value: unknown, at: string, field: string): Float32Array | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw fault(at, field, value, 'a list of numbers');
  for (const [index, entry] of value.entries()) {
    if (entry !== null && typeof entry !== 'number') throw fault(at, `${field}[${index}]`, entry, 'a number');
  }
  return value.length === 0 ? null : Float32Array.from(value as (number | null)[], (entry) => entry ?? Number.NaN);
}

function fault(at: string, field: string, value: unknown, expected: string): BezoarError {
  const kind =
    value === undefined
      ? 'missing'
      : value === null
        ? 'null'
        : Array.isArray(value)
          ? 'a list'
          : typeof value === 'object'
            ? 'an object'
            : `a ${typeof value}`;
  return new BezoarError('BAD_INPUT', `${at}: ${field === '' ? 'the line' : field} is ${kind}, expected ${expected}`, {
    details: { field, expected },
  });
}
