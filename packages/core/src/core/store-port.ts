import type { JsonObject, JsonValue, Passage } from '../types.ts';

/** Whether retrieval may return a passage. What is quarantined is kept and never found by a search until somebody approves it. */
export type PassageStatus = 'searchable' | 'quarantined';

/** A passage as a store keeps it: with where it came from and what it was judged to be when it came in. */
export interface StoredPassage extends Passage {
  /** SHA-256 of the JSON text of [title or "", text], in hex: the same content has the same hash, whatever its id. */
  readonly contentHash: string;
  /** When it came in: ISO 8601, UTC. */
  readonly addedAt: string;
  /** Which ingest brought it. */
  readonly runId: string;
  readonly status: PassageStatus;
  /** What the ingest gate found, for who reviews it; empty for what is clean. */
  readonly findings: readonly JsonObject[];
}

/** A passage with its vectors by name: `passage` for the whole text, and what index defenses add (`fragment-0`, ...). */
export interface StoreRecord {
  readonly passage: StoredPassage;
  readonly vectors: Readonly<Record<string, Float32Array>>;
}

/** Which passages a search, a count or a listing speaks of; every field given must hold. Without `status` only searchable ones. */
export interface StoreFilter {
  readonly status?: PassageStatus | 'any';
  readonly sources?: readonly string[];
  readonly runId?: string;
  /** Metadata of the passage that must be equal, by key. */
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

export interface VectorSearch {
  /** Which of the named vectors is compared. */
  readonly name: string;
  readonly vector: Float32Array;
  readonly k: number;
  /** `true` looks at every passage; `false` lets the store use its approximate index where it has one. Default false. */
  readonly exact?: boolean;
  readonly filter?: StoreFilter;
  readonly signal?: AbortSignal;
}

export interface TextSearch {
  readonly text: string;
  readonly k: number;
  readonly filter?: StoreFilter;
  readonly signal?: AbortSignal;
}

/** A passage's id with its score, higher is better: cosine or dot product as the store was made, BM25 or the store's own rank for text. */
export interface StoreHit {
  readonly id: string;
  readonly score: number;
}

/** What a store was made for; opening it for something else is `SHAPE_MISMATCH`. */
export interface StoreShape {
  /** Length of each named vector. */
  readonly vectors: Readonly<Record<string, number>>;
  readonly similarity: 'cosine' | 'dot';
  /** SPEC and fingerprint of the encoder that made the vectors, where it is known. */
  readonly encoder?: string;
  /** Whatever index defenses want to find again, such as their options. */
  readonly settings?: JsonObject;
}

export interface StoreCapabilities {
  /** Has an index that answers without looking at every passage. */
  readonly approximate: boolean;
  /** `put` is all or nothing. */
  readonly transactional: boolean;
  /** Survives the process. */
  readonly persistent: boolean;
}

/**
 * Where passages and their vectors are. Ids are unique; putting an id again replaces the passage. Nothing that a passage holds is ever part of
 * a query's text, a path or code: ids, titles, sources and metadata are the attacker's.
 *
 * Every method rejects with a `BezoarError`: `SHAPE_MISMATCH` for a vector of another length or an unknown name, `BAD_INPUT` for a vector that is
 * not finite, `ABORTED`, `STORE_FAILED` with one clear sentence for what the database or the disk says.
 */
export interface VectorStore {
  /** The SPEC's kind, e.g. `memory`, `pg`, `lancedb`. */
  readonly name: string;
  readonly shape: StoreShape;
  readonly capabilities: StoreCapabilities;
  /** Adds or replaces. A record may lack a named vector; it is then not found by it. */
  put(records: readonly StoreRecord[], options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Best first; equal scores by id. Fewer than k where fewer match. */
  search(search: VectorSearch): Promise<readonly StoreHit[]>;
  /** Best first; equal scores by id. Nothing for a text without words. */
  searchText(search: TextSearch): Promise<readonly StoreHit[]>;
  /** In the order asked for; null for what is not there. Vectors only of the names asked for (default none). Quarantined passages are fetched too. */
  fetch(ids: readonly string[], options?: { readonly vectors?: readonly string[] }): Promise<readonly (StoreRecord | null)[]>;
  /** Every matching passage once, by id. */
  list(filter?: StoreFilter): AsyncIterable<StoredPassage>;
  /** How many of the ids were there. A passage that becomes searchable is found by the next search. */
  setStatus(ids: readonly string[], status: PassageStatus): Promise<number>;
  /** By id, or all that one ingest brought. How many were removed. */
  remove(which: { readonly ids: readonly string[] } | { readonly runId: string }): Promise<number>;
  count(filter?: StoreFilter): Promise<number>;
  /** Everything in the store, in pieces; `restore` of a store of the same shape takes them. */
  snapshot(): AsyncIterable<Uint8Array>;
  restore(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  close(): Promise<void>;
}
