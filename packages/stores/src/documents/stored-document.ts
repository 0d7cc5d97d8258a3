import { createHash } from 'node:crypto';
import { type JsonValue, passageText, type StoredPassage, type StoreFilter, type StoreRecord, type StoreShape } from '@bezoar/core';

/**
 * A record as LanceDB, Qdrant and Elasticsearch keep it. What the attacker wrote is in `text` and `passage` only; what filters and keys compare
 * is hexadecimal that we made of it, so that no id, source or metadata value can be part of a predicate, a path or a field name.
 */
export interface StoredDocument {
  readonly key: string;
  readonly status: 'searchable' | 'quarantined';
  readonly tags: readonly string[];
  /** Title and text for the full-text index; lone surrogates are replaced, as UTF-8 has none. */
  readonly text: string;
  /** JSON of the passage without its status: lone surrogates are escapes there, so that it comes back to the letter. */
  readonly passage: string;
}

/** 128 bits of SHA-256: what a UUID holds, and finding another id with the same key takes 2^128 tries. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** The key of a passage's id. Of its JSON text, since hashing UTF-8 would make all lone surrogates one. */
export const documentKey = (id: string): string => digest(JSON.stringify(id));

const sourceTag = (source: string): string => `s${digest(JSON.stringify(source))}`;
const runTag = (runId: string): string => `r${digest(JSON.stringify(runId))}`;
const metadataTag = (key: string, value: JsonValue): string => `m${digest(canonicalJson([key, value]))}`;

/** The names of the columns or fields of a shape's vectors: by position among the sorted names, so that a name need not be one anywhere. */
export function vectorFields(shape: StoreShape): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(shape.vectors)
      .sort()
      .map((name, index) => [name, `v${index}`]),
  );
}

/** Tag of what has a vector of that name whose length is zero: its cosine with everything is 0, and these servers cannot say so. */
export const zeroTag = (field: string): string => `z${field}`;

export function toDocument(record: StoreRecord, shape: StoreShape): StoredDocument {
  const { status, ...passage } = record.passage;
  const fields = vectorFields(shape);
  const tags = [runTag(passage.runId)];
  if (passage.source !== undefined) tags.push(sourceTag(passage.source));
  for (const [key, value] of Object.entries(passage.metadata ?? {})) tags.push(metadataTag(key, value));
  for (const [name, vector] of Object.entries(record.vectors)) if (isZero(vector)) tags.push(zeroTag(fields.get(name)!));
  return {
    key: documentKey(passage.id),
    status,
    tags,
    text: passageText(passage).toWellFormed(),
    passage: JSON.stringify(passage),
  };
}

export const toPassage = (passage: string, status: string): StoredPassage => ({
  ...(JSON.parse(passage) as Omit<StoredPassage, 'status'>),
  status: status === 'quarantined' ? 'quarantined' : 'searchable',
});

/** What must hold of a document's status and tags. */
export interface DocumentFilter {
  readonly status: 'searchable' | 'quarantined' | null;
  readonly all: readonly string[];
  /** At least one of them; null where it does not matter. */
  readonly any: readonly string[] | null;
}

export function documentFilter(filter: StoreFilter = {}): DocumentFilter {
  const all = Object.entries(filter.metadata ?? {}).map(([key, value]) => metadataTag(key, value));
  if (filter.runId !== undefined) all.push(runTag(filter.runId));
  const { status = 'searchable' } = filter;
  return { status: status === 'any' ? null : status, all, any: filter.sources?.map(sourceTag) ?? null };
}

export function isZero(vector: Float32Array): boolean {
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) return false;
  return true;
}

export const vectorToText = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

export function vectorFromText(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy, since a Buffer may start where no 32-bit number can.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** JSON with the keys of objects in order, so that equal values have equal texts. */
function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}
