import { BezoarError, type StoreFilter, type StoreHit, type StoreRecord, type StoreShape, type VectorStore } from '@bezoar/core';
import { tokenizeWords } from '@bezoar/core/kernels/tokenize-words';
import { checkCount, checkRecords, checkSameShape, checkShape, checkVector, readSnapshot, writeSnapshot } from '@bezoar/core/stores/memory';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { rankedHits, withZeroVectors } from './documents/ranked-hits.ts';
import { attempt } from './documents/store-failure.ts';
import {
  documentFilter,
  documentKey,
  isZero,
  toDocument,
  toPassage,
  vectorFields,
  vectorFromText,
  vectorToText,
  zeroTag,
} from './documents/stored-document.ts';

/** What of the user's client is used. */
export type QdrantConnection = Pick<
  QdrantClient,
  | 'collectionExists'
  | 'createCollection'
  | 'createPayloadIndex'
  | 'upsert'
  | 'query'
  | 'scroll'
  | 'retrieve'
  | 'count'
  | 'setPayload'
  | 'delete'
>;

export interface QdrantSettings {
  /** The user's own client; it is left open. */
  readonly client: QdrantConnection;
  readonly collection: string;
  /** What the store is for; null opens what is there and reads its shape. */
  readonly shape: StoreShape | null;
}

/** The sparse vector of a passage's words. */
const WORDS = 'words';
/** The point that holds the shape. It has no vectors and no status, so no search, listing or count meets it. */
const SHAPE_POINT = '00000000-0000-0000-0000-000000000000';
/** Points a request writes: 256 with six vectors of 384 numbers are 11 MB of JSON, and the server takes 32. */
const POINTS_AT_ONCE = 256;
const IDS_AT_ONCE = 1000;
/** BM25 as bm25s has it. The length of the usual passage is fixed, since the weights of a passage are made before the others are known. */
const [K1, B, USUAL_LENGTH] = [1.5, 0.75, 100];
/** Words of a question that are looked for. */
const MOST_WORDS = 512;

interface Payload {
  readonly id: string;
  readonly status: string;
  readonly tags: readonly string[];
  readonly passage: string;
  readonly bytes: Readonly<Record<string, string>>;
}

/**
 * Passages in a Qdrant cluster that the user runs, through the user's own client (`@qdrant/js-client-rest`; server 1.13 or newer). Points are named
 * by the first 128 bits of the SHA-256 of the passage's id, and filters compare such hashes: no text of a passage is part of a request's path or
 * of a field's name. Vectors that are fetched come from the payload, bit for bit, since the server keeps those of cosine at unit length.
 *
 * Text search is BM25 by a sparse vector of the passage's words (rarity counted by the server; words without stems, a fixed usual length of 100).
 * `put`, `restore` and `setStatus` of many are several requests: what a broken connection leaves is some of them, and doing it again completes it.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH`, `NOT_FOUND` where `shape` is null and there is no such collection, `STORE_FAILED`.
 */
export async function openQdrantStore({ client, collection, shape: asked }: QdrantSettings): Promise<VectorStore> {
  if (asked !== null) checkShape(asked);
  const shape = await attempt('opening Qdrant', () => openCollection(asked));
  const fields = vectorFields(shape);

  async function openCollection(wanted: StoreShape | null): Promise<StoreShape> {
    if (!(await client.collectionExists(collection)).exists) {
      if (wanted === null)
        throw new BezoarError(
          'NOT_FOUND',
          `there is no collection ${JSON.stringify(collection)} in Qdrant; make one with \`bezoar index\``,
        );
      await create(wanted);
    }
    const [point] = await client.retrieve(collection, { ids: [SHAPE_POINT], with_payload: ['shape'] });
    if (typeof point?.payload?.shape !== 'string')
      throw new BezoarError('SHAPE_MISMATCH', `the collection ${JSON.stringify(collection)} was not made by Bezoar; name another`);
    const made = JSON.parse(point.payload.shape) as StoreShape;
    if (wanted !== null) checkSameShape(made, wanted);
    return made;
  }

  async function create(made: StoreShape): Promise<void> {
    const distance = made.similarity === 'cosine' ? 'Cosine' : 'Dot';
    const vectors = Object.fromEntries(
      Array.from(vectorFields(made), ([name, field]) => [field, { size: made.vectors[name]!, distance } as const]),
    );
    await client.createCollection(collection, { vectors, sparse_vectors: { [WORDS]: { modifier: 'idf' } } });
    for (const field_name of ['status', 'tags'])
      await client.createPayloadIndex(collection, { field_name, field_schema: 'keyword', wait: true });
    const payload = { shape: JSON.stringify(made) };
    await client.upsert(collection, { points: [{ id: SHAPE_POINT, vector: {}, payload }], wait: true });
  }

  function toPoint(record: StoreRecord) {
    const { key, status, tags, text, passage } = toDocument(record, shape);
    const vector: Record<string, number[] | SparseVector> = {};
    const bytes: Record<string, string> = {};
    for (const [name, values] of Object.entries(record.vectors)) {
      const field = fields.get(name)!;
      bytes[field] = vectorToText(values);
      if (!isZero(values)) vector[field] = Array.from(values);
    }
    const words = weighWords(tokenizeWords(text), saturated);
    if (words.indices.length > 0) vector[WORDS] = words;
    const payload: Payload = { id: JSON.stringify(record.passage.id), status, tags, passage, bytes };
    return { id: pointId(key), vector, payload: payload as unknown as Record<string, unknown> };
  }

  async function write(records: readonly StoreRecord[], signal?: AbortSignal): Promise<void> {
    for (const some of piecesOf(records, POINTS_AT_ONCE))
      await attempt('writing to Qdrant', () => client.upsert(collection, { points: some.map(toPoint), wait: true }), signal);
  }

  const hitsOf = (points: readonly { payload?: unknown; score: number }[]): StoreHit[] =>
    points.map(({ payload, score }) => ({ id: JSON.parse((payload as Payload).id) as string, score }));

  async function idsWhere(filter: QdrantFilter): Promise<string[]> {
    const ids: string[] = [];
    let offset: string | number | undefined;
    do {
      const page = await client.scroll(collection, {
        filter,
        limit: IDS_AT_ONCE,
        with_payload: ['id'],
        ...(offset === undefined ? {} : { offset }),
      });
      for (const { payload } of page.points) ids.push(JSON.parse((payload as unknown as Payload).id) as string);
      offset = (page.next_page_offset ?? undefined) as string | number | undefined;
    } while (offset !== undefined);
    return ids.sort();
  }

  async function* recordsOf(ids: readonly string[], names: readonly string[]): AsyncIterable<StoreRecord> {
    const with_payload = ['status', 'passage', ...names.map((name) => `bytes.${fields.get(name)!}`)];
    for (const some of piecesOf(ids, IDS_AT_ONCE)) {
      const points = some.map((id) => pointId(documentKey(id)));
      const found = await attempt('reading from Qdrant', () => client.retrieve(collection, { ids: points, with_payload }));
      const byPoint = new Map(found.map((point) => [String(point.id), point.payload as unknown as Payload]));
      for (const point of points) {
        const payload = byPoint.get(point);
        if (payload === undefined) continue;
        const vectors: Record<string, Float32Array> = {};
        for (const name of names) {
          const bytes = payload.bytes?.[fields.get(name)!];
          if (bytes !== undefined) vectors[name] = vectorFromText(bytes);
        }
        yield { passage: toPassage(payload.passage, payload.status), vectors };
      }
    }
  }

  /** Which of the ids are there, as points. */
  async function pointsOf(ids: readonly string[]): Promise<string[]> {
    const points = ids.map((id) => pointId(documentKey(id)));
    return (await client.retrieve(collection, { ids: points, with_payload: false })).map(({ id }) => String(id));
  }

  async function eachPiece(what: string, ids: readonly string[], run: (points: string[]) => Promise<unknown>): Promise<number> {
    let count = 0;
    for (const some of piecesOf([...new Set(ids)], IDS_AT_ONCE))
      await attempt(what, async () => {
        const points = await pointsOf(some);
        if (points.length > 0) await run(points);
        count += points.length;
      });
    return count;
  }

  const removeIds = (ids: readonly string[]): Promise<number> =>
    eachPiece('removing from Qdrant', ids, (points) => client.delete(collection, { points, wait: true }));

  return Object.freeze<VectorStore>({
    name: 'qdrant',
    shape,
    capabilities: { approximate: true, transactional: false, persistent: true },

    async put(records, options) {
      await write(checkRecords(shape, records), options?.signal);
    },

    async search({ name, vector, k, exact = false, filter, signal }) {
      checkCount(k);
      checkVector(shape, name, vector);
      const field = fields.get(name)!;
      const given = qdrantFilter(filter);
      const zero = { key: 'tags', match: { value: zeroTag(field) } };
      const ask = async (limit: number): Promise<StoreHit[]> => {
        const query = Array.from(vector);
        const settings = { query, using: field, filter: given, params: { exact }, limit, with_payload: ['id'] };
        return hitsOf((await client.query(collection, settings)).points);
      };
      return attempt(
        'searching Qdrant',
        async () => {
          if (!isZero(vector)) return withZeroVectors(k, await rankedHits(k, ask), () => idsWhere({ must: [...given.must, zero] }));
          const ids = await idsWhere({ must: [...given.must, { should: [{ has_vector: field }, zero] }] });
          return ids.slice(0, k).map((id) => ({ id, score: 0 }));
        },
        signal,
      );
    },

    async searchText({ text, k, filter, signal }) {
      checkCount(k);
      const query = weighWords(tokenizeWords(text).slice(0, MOST_WORDS), (count) => count);
      if (query.indices.length === 0) return [];
      const settings = { query, using: WORDS, filter: qdrantFilter(filter), with_payload: ['id'] };
      const ask = async (limit: number): Promise<StoreHit[]> => hitsOf((await client.query(collection, { ...settings, limit })).points);
      return attempt('searching Qdrant by words', () => rankedHits(k, ask), signal);
    },

    async fetch(ids, options) {
      const names = options?.vectors ?? [];
      for (const name of names) if (!fields.has(name)) checkVector(shape, name, new Float32Array(0));
      const found = new Map<string, StoreRecord>();
      for await (const record of recordsOf([...new Set(ids)], names)) found.set(record.passage.id, record);
      return ids.map((id) => found.get(id) ?? null);
    },

    async *list(filter) {
      const ids = await attempt('listing Qdrant', () => idsWhere(qdrantFilter(filter)));
      for await (const { passage } of recordsOf(ids, [])) yield passage;
    },

    setStatus: (ids, status) =>
      eachPiece('changing a status in Qdrant', ids, (points) => client.setPayload(collection, { payload: { status }, points, wait: true })),

    remove(which) {
      if ('ids' in which) return removeIds(which.ids);
      const filter = qdrantFilter({ status: 'any', runId: which.runId });
      return attempt('removing from Qdrant', async () => {
        const { count } = await client.count(collection, { filter, exact: true });
        await client.delete(collection, { filter, wait: true });
        return count;
      });
    },

    count: (filter) =>
      attempt('counting in Qdrant', async () => (await client.count(collection, { filter: qdrantFilter(filter), exact: true })).count),

    async *snapshot() {
      const ids = await attempt('reading from Qdrant', () => idsWhere(qdrantFilter({ status: 'any' })));
      yield* writeSnapshot(shape, recordsOf(ids, [...fields.keys()]));
    },

    async restore(pieces) {
      const { shape: read, records } = await readSnapshot(pieces);
      checkSameShape(read, shape);
      const left = new Set(await attempt('reading from Qdrant', () => idsWhere(qdrantFilter({ status: 'any' }))));
      let batch: StoreRecord[] = [];
      for await (const record of records) {
        batch.push(...checkRecords(shape, [record]));
        left.delete(record.passage.id);
        if (batch.length < POINTS_AT_ONCE) continue;
        await write(batch);
        batch = [];
      }
      await write(batch);
      await removeIds([...left]);
    },

    close: async () => undefined,
  });
}

interface SparseVector {
  readonly indices: number[];
  readonly values: number[];
}

type Condition =
  | { readonly key: string; readonly match: { readonly value: string } | { readonly any: string[] } }
  | { readonly has_vector: string }
  | { readonly should: Condition[] };

interface QdrantFilter {
  readonly must: Condition[];
}

/** Qdrant's filter. The status is always in it: what has none is no passage. */
function qdrantFilter(filter?: StoreFilter): QdrantFilter {
  const { status, all, any } = documentFilter(filter);
  const must: Condition[] = [{ key: 'status', match: { any: status === null ? ['searchable', 'quarantined'] : [status] } }];
  for (const value of all) must.push({ key: 'tags', match: { value } });
  if (any !== null) must.push({ key: 'tags', match: { any: [...any] } });
  return { must };
}

const pointId = (key: string): string => [key.slice(0, 8), key.slice(8, 12), key.slice(12, 16), key.slice(16, 20), key.slice(20)].join('-');

/** BM25's share of a word in a passage: everything but its rarity, which the server counts. */
const saturated = (count: number, words: number): number => ((K1 + 1) * count) / (count + K1 * (1 - B + (B * words) / USUAL_LENGTH));

/** One number a word, at the place that the word's FNV-1a hash says; words that meet there are counted as one. */
function weighWords(words: readonly string[], weigh: (count: number, words: number) => number): SparseVector {
  const counts = new Map<number, number>();
  for (const word of words) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
    counts.set(hash >>> 0, (counts.get(hash >>> 0) ?? 0) + 1);
  }
  return { indices: [...counts.keys()], values: Array.from(counts.values(), (count) => weigh(count, words.length)) };
}

function* piecesOf<T>(values: readonly T[], size: number): Iterable<readonly T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}
