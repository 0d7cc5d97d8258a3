import {
  BezoarError,
  type StoredPassage,
  type StoreFilter,
  type StoreHit,
  type StoreRecord,
  type StoreShape,
  type VectorStore,
} from '@bezoar/core';
import { checkCount, checkRecords, checkSameShape, checkShape, checkVector, readSnapshot, writeSnapshot } from '@bezoar/core/stores/memory';
import type { Connection, Table } from '@lancedb/lancedb';
import type { Table as ArrowTable, Data, RecordBatch, Schema } from 'apache-arrow';
import { rankedHits, withZeroVectors } from './documents/ranked-hits.ts';
import { attempt } from './documents/store-failure.ts';
import { documentFilter, documentKey, isZero, toDocument, toPassage, vectorFields, zeroTag } from './documents/stored-document.ts';

const TABLE = 'bezoar_passages';
/** Times that opening or making the table is tried, 50 ms apart. */
const MOST_TRIES = 40;
/** Where in the schema's metadata the shape is. */
const SHAPE_KEY = 'bezoar.shape';
/** LanceDB's mark of a key: with it two writers that bring the same new id at once leave one row, without it two. */
const PRIMARY_KEY = new Map([['lance-schema:unenforced-primary-key', 'true']]);
/** Keys in one predicate: LanceDB parses it as text, and thousands of terms make it slow. */
const KEYS_AT_ONCE = 500;
/** Below so many vectors looking at all of them takes under a millisecond, and an index over fewer has nothing to learn from. */
const WORTH_AN_INDEX = 5000;
/** The word index is made anew when more than this share of the passages is not in it: those are compared with the rarities of the others. */
const UNINDEXED_SHARE = 0.1;

export interface LanceDbSettings {
  /** A folder, or a URL of object storage (`s3://...`). */
  readonly dir?: string;
  /** The user's own connection, in place of `dir`; it is left open. */
  readonly connection?: Connection;
  /** What the store is for; null opens what is there and reads its shape. */
  readonly shape: StoreShape | null;
}

export interface VectorIndexSettings {
  /** Edges a node, 2 to 100. Default 20. */
  readonly edges?: number;
  /** Candidates looked at to place a node, 20 to 2000. Default 150. */
  readonly construction?: number;
}

export interface LanceDbStore extends VectorStore {
  /**
   * Makes IVF_HNSW_SQ indexes (one for each named vector), the word index and those of keys, and brings the files in order. Searches are right
   * without it and after later changes too: what is in no index is looked at one by one. Takes minutes for a million passages.
   */
  buildIndex(settings?: VectorIndexSettings): Promise<void>;
}

/**
 * Passages in LanceDB, embedded, in a folder or in object storage, for a million passages on one machine. `put` is one commit: all or nothing, and
 * two writers of the same id leave one passage. Text search is LanceDB's BM25 (words, English stems) over title and text; its index is made by
 * the first search and made anew when a tenth of the passages is not in it.
 *
 * No text of a passage is ever part of a predicate, which in LanceDB is SQL: ids, sources, run ids and metadata are compared by 128 bits of their
 * SHA-256, written in hexadecimal. Approximate searches take 10 k candidates from the index and order them by the vectors themselves.
 *
 * Needs the optional packages `@lancedb/lancedb` and `apache-arrow` (which it brings).
 *
 * Cost: a search without an index reads every vector of that name; each `put`, `setStatus` and `remove` is a commit of some milliseconds and a new
 * file, so write in thousands. Deviations from the port: a snapshot is that of the moment it began.
 *
 * @throws {BezoarError} `MISSING_PEER`, `SHAPE_MISMATCH`, `NOT_FOUND` where `shape` is null and nothing is there, `STORE_FAILED`.
 */
export async function openLanceDbStore({ dir, connection, shape: asked }: LanceDbSettings): Promise<LanceDbStore> {
  if (asked !== null) checkShape(asked);
  if ((dir === undefined) === (connection === undefined)) throw new BezoarError('INVALID_OPTION', 'give either dir or connection');
  const { lancedb, arrow } = await loadPeers();
  // Interval 0: each read looks for the newest version, so that another process's quarantine holds here too.
  const database = connection ?? (await attempt('opening LanceDB', () => lancedb.connect(dir!, { readConsistencyInterval: 0 })));
  const { table, shape } = await attempt('opening the LanceDB table', () => openTable(database, asked));
  const fields = vectorFields(shape);
  const schema = schemaOf(shape);

  async function openTable(from: Connection, wanted: StoreShape | null): Promise<{ table: Table; shape: StoreShape }> {
    const opened = wanted === null ? await openMade(from) : await openOrMake(from, wanted);
    const stored = (await opened.schema()).metadata.get(SHAPE_KEY);
    if (stored === undefined) throw new BezoarError('SHAPE_MISMATCH', `the table ${TABLE} was not made by Bezoar`);
    const found = JSON.parse(stored) as StoreShape;
    if (wanted !== null) checkSameShape(found, wanted);
    return { table: opened, shape: found };
  }

  async function openMade(from: Connection): Promise<Table> {
    if (!(await from.tableNames()).includes(TABLE))
      throw new BezoarError('NOT_FOUND', 'there is no Bezoar store in this LanceDB; make one with `bezoar index`');
    return from.openTable(TABLE);
  }

  /** Whoever comes while another makes the table can for a moment neither open it nor make it. */
  async function openOrMake(from: Connection, wanted: StoreShape): Promise<Table> {
    for (let tries = 1; ; tries++) {
      const opened = await from.openTable(TABLE).catch(() => null);
      if (opened !== null) return opened;
      try {
        return await from.createEmptyTable(TABLE, schemaOf(wanted));
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  function schemaOf(made: StoreShape): Schema {
    const { Field, FixedSizeList, Float32, List, Utf8 } = arrow;
    const text = (name: string) => new Field(name, new Utf8(), false);
    const vectors = [...vectorFields(made)].map(
      ([name, field]) => new Field(field, new FixedSizeList(made.vectors[name]!, new Field('item', new Float32(), true)), true),
    );
    return new arrow.Schema(
      [
        new Field('key', new Utf8(), false, PRIMARY_KEY),
        text('id'),
        text('status'),
        new Field('tags', new List(new Field('item', new Utf8(), true)), true),
        text('text'),
        text('passage'),
        ...vectors,
      ],
      new Map([[SHAPE_KEY, JSON.stringify(made)]]),
    );
  }

  function toArrow(records: readonly StoreRecord[]): ArrowTable {
    const documents = records.map((record) => toDocument(record, shape));
    const { Field, List, Utf8, vectorFromArray } = arrow;
    const texts = (values: readonly string[]): Data => vectorFromArray(values, new Utf8()).data[0]!;
    const tags = vectorFromArray(
      documents.map((document) => document.tags),
      new List(new Field('item', new Utf8(), true)),
    ).data[0]!;
    const children = [
      texts(documents.map(({ key }) => key)),
      texts(records.map(({ passage }) => JSON.stringify(passage.id))),
      texts(documents.map(({ status }) => status)),
      tags,
      texts(documents.map(({ text }) => text)),
      texts(documents.map(({ passage }) => passage)),
      ...[...fields.keys()].map((name) => vectorColumn(records, name)),
    ];
    const rows = arrow.makeData({ type: new arrow.Struct(schema.fields), length: records.length, nullCount: 0, children });
    return new arrow.Table(schema, new arrow.RecordBatch(schema, rows));
  }

  /** Cosine leaves rows with a null alone, and of a zero vector it makes no number: such a row has the zero in its tags and a null here. */
  function vectorColumn(records: readonly StoreRecord[], name: string): Data {
    const width = shape.vectors[name]!;
    const values = new Float32Array(records.length * width);
    const present = new Uint8Array(Math.ceil(records.length / 8));
    let nulls = 0;
    for (const [row, { vectors }] of records.entries()) {
      const vector = vectors[name];
      if (vector === undefined || isZero(vector)) nulls++;
      else {
        values.set(vector, row * width);
        present[row >> 3]! |= 1 << (row & 7);
      }
    }
    const child = arrow.makeData({ type: new arrow.Float32(), length: values.length, nullCount: 0, data: values });
    const type = new arrow.FixedSizeList(width, new arrow.Field('item', new arrow.Float32(), true));
    return arrow.makeData({ type, length: records.length, nullCount: nulls, nullBitmap: present, child });
  }

  let writing: Promise<unknown> = Promise.resolve();
  /** One write after the other: LanceDB tries again when two commits meet, but not for ever. */
  function write<T>(what: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const next = writing.then(() => attempt(what, run, signal));
    writing = next.catch(() => undefined);
    return next;
  }

  const merge = (records: readonly StoreRecord[]) =>
    table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(toArrow(records));

  const idsWhere = async (predicate: string | null, from = table): Promise<string[]> => {
    const query = from.query().select(['id']);
    const ids: string[] = [];
    for await (const batch of predicate === null ? query : query.where(predicate))
      for (const id of texts(batch, 'id')) ids.push(JSON.parse(id));
    return ids.sort();
  };

  /** The records of at most `KEYS_AT_ONCE` ids, by id. */
  async function fetchSome(from: Table, ids: readonly string[], names: readonly string[]): Promise<Map<string, StoreRecord>> {
    const columns = ['passage', 'status', 'tags', ...names.map((name) => fields.get(name)!)];
    const found = new Map<string, StoreRecord>();
    const query = from
      .query()
      .select(columns)
      .where(keysPredicate(ids.map(documentKey)));
    for await (const batch of query) {
      const [passages, statuses] = [[...texts(batch, 'passage')], [...texts(batch, 'status')]];
      for (let row = 0; row < batch.numRows; row++) {
        const passage = toPassage(passages[row]!, statuses[row]!);
        const tags = new Set<string>(batch.getChild('tags')?.get(row) ?? []);
        const vectors: Record<string, Float32Array> = {};
        for (const name of names) {
          const field = fields.get(name)!;
          const value = batch.getChild(field)?.get(row)?.toArray() as Float32Array | undefined;
          if (value !== undefined) vectors[name] = value.slice();
          else if (tags.has(zeroTag(field))) vectors[name] = new Float32Array(shape.vectors[name]!);
        }
        found.set(passage.id, { passage, vectors });
      }
    }
    return found;
  }

  async function* recordsOf(from: Table, ids: readonly string[], names: readonly string[]): AsyncIterable<StoreRecord> {
    for (const some of piecesOf(ids)) {
      const found = await attempt('reading from LanceDB', () => fetchSome(from, some, names));
      for (const id of some) {
        const record = found.get(id);
        if (record !== undefined) yield record;
      }
    }
  }

  const refreshWordIndex = async (): Promise<void> => {
    const stats = await table.indexStats('text_idx');
    const [indexed, missing] = [stats?.numIndexedRows ?? 0, stats?.numUnindexedRows ?? (await table.countRows())];
    if (missing > indexed * UNINDEXED_SHARE) await makeWordIndex();
  };
  const makeWordIndex = () =>
    table.createIndex('text', { config: lancedb.Index.fts({ stem: true, removeStopWords: false, withPosition: false }), replace: true });

  return Object.freeze<LanceDbStore>({
    name: 'lancedb',
    shape,
    capabilities: { approximate: true, transactional: true, persistent: true },

    async put(records, options) {
      const checked = checkRecords(shape, records);
      if (checked.length > 0) await write('writing to LanceDB', () => merge(checked), options?.signal);
    },

    async search({ name, vector, k, exact = false, filter, signal }) {
      checkCount(k);
      checkVector(shape, name, vector);
      const field = fields.get(name)!;
      const given = wherePredicate(filter);
      const zero = `array_has(tags, '${zeroTag(field)}')`;
      const zeroIds = (): Promise<string[]> => idsWhere(and(given, zero));
      const ask = async (limit: number): Promise<StoreHit[]> => {
        let query = table.query().nearestTo(vector).column(field).distanceType(shape.similarity).select(['id', '_distance']).limit(limit);
        if (given !== null) query = query.where(given);
        // Ten candidates for each one asked for, of which the vectors themselves decide: SQ keeps 8 bits a number.
        query = exact ? query.bypassVectorIndex() : query.ef(Math.max(EF, 2 * limit)).refineFactor(2);
        const found: StoreHit[] = [];
        for await (const batch of query) {
          const distances = batch.getChild('_distance')!;
          let row = 0;
          for (const id of texts(batch, 'id')) found.push({ id: JSON.parse(id), score: 1 - Number(distances.get(row++)) });
        }
        return found;
      };
      return attempt(
        'searching LanceDB',
        async () => {
          if (!isZero(vector)) return withZeroVectors(k, await rankedHits(k, ask), zeroIds);
          const ids = await idsWhere(and(given, `(${field} IS NOT NULL OR ${zero})`));
          return ids.slice(0, k).map((id) => ({ id, score: 0 }));
        },
        signal,
      );
    },

    async searchText({ text, k, filter, signal }) {
      checkCount(k);
      const given = wherePredicate(filter);
      const ask = async (limit: number): Promise<StoreHit[]> => {
        const words = new lancedb.MatchQuery(text.toWellFormed(), 'text');
        let query = table.query().fullTextSearch(words).select(['id', '_score']).limit(limit);
        if (given !== null) query = query.where(given);
        const found: StoreHit[] = [];
        for (const row of await query.toArray()) found.push({ id: JSON.parse(String(row.id)), score: Number(row._score) });
        return found;
      };
      return attempt(
        'searching LanceDB by words',
        async () => {
          await write('indexing words in LanceDB', refreshWordIndex);
          return rankedHits(k, ask);
        },
        signal,
      );
    },

    async fetch(ids, options) {
      const names = options?.vectors ?? [];
      for (const name of names) if (!fields.has(name)) checkVector(shape, name, new Float32Array(0));
      const found = new Map<string, StoreRecord>();
      for await (const record of recordsOf(table, [...new Set(ids)], names)) found.set(record.passage.id, record);
      return ids.map((id) => found.get(id) ?? null);
    },

    async *list(filter): AsyncIterable<StoredPassage> {
      const ids = await attempt('listing LanceDB', () => idsWhere(wherePredicate(filter)));
      for await (const { passage } of recordsOf(table, ids, [])) yield passage;
    },

    async setStatus(ids, status) {
      let changed = 0;
      for (const some of piecesOf([...new Set(ids)])) {
        const where = keysPredicate(some.map(documentKey));
        changed += (await write('changing a status in LanceDB', () => table.update({ where, values: { status } }))).rowsUpdated;
      }
      return changed;
    },

    async remove(which) {
      if ('runId' in which) {
        const where = wherePredicate({ status: 'any', runId: which.runId })!;
        return (await write('removing from LanceDB', () => table.delete(where))).numDeletedRows;
      }
      let removed = 0;
      for (const some of piecesOf([...new Set(which.ids)])) {
        const where = keysPredicate(some.map(documentKey));
        removed += (await write('removing from LanceDB', () => table.delete(where))).numDeletedRows;
      }
      return removed;
    },

    count: (filter) => attempt('counting in LanceDB', () => table.countRows(wherePredicate(filter) ?? undefined)),

    async *snapshot() {
      const frozen = await attempt('reading from LanceDB', async () => {
        const opened = await database.openTable(TABLE);
        await opened.checkout(await opened.version());
        return opened;
      });
      const ids = await attempt('reading from LanceDB', () => idsWhere(null, frozen));
      try {
        yield* writeSnapshot(shape, recordsOf(frozen, ids, [...fields.keys()]));
      } finally {
        frozen.close();
      }
    },

    async restore(pieces) {
      const { shape: read, records } = await readSnapshot(pieces);
      checkSameShape(read, shape);
      await write('restoring LanceDB', async () => {
        const before = await table.version();
        try {
          await table.delete('true');
          let batch: StoreRecord[] = [];
          for await (const record of records) {
            batch.push(...checkRecords(shape, [record]));
            if (batch.length >= RESTORED_AT_ONCE) {
              await merge(batch);
              batch = [];
            }
          }
          if (batch.length > 0) await merge(batch);
        } catch (error) {
          await table.checkout(before);
          await table.restore();
          throw error;
        }
      });
    },

    async buildIndex({ edges = 20, construction = 150 } = {}) {
      await write('indexing LanceDB', async () => {
        await table.optimize();
        const { Index } = lancedb;
        await table.createIndex('key', { config: Index.btree(), replace: true });
        await table.createIndex('status', { config: Index.bitmap(), replace: true });
        await table.createIndex('tags', { config: Index.labelList(), replace: true });
        await makeWordIndex();
        for (const field of fields.values()) {
          if ((await table.countRows(`${field} IS NOT NULL`)) < WORTH_AN_INDEX) continue;
          const config = Index.hnswSq({ distanceType: shape.similarity, m: edges, efConstruction: construction });
          await table.createIndex(field, { config, replace: true });
        }
      });
    },

    async close() {
      await writing;
      table.close();
      if (connection === undefined) database.close();
    },
  });
}

/** Candidates an approximate search keeps at least. */
const EF = 200;
const RESTORED_AT_ONCE = 10_000;

/** LanceDB's predicate for a filter: constants and hexadecimal that we made, nothing else. Null for no condition. */
export function wherePredicate(filter?: StoreFilter): string | null {
  const { status, all, any } = documentFilter(filter);
  const terms = all.map((tag) => `array_has(tags, '${tag}')`);
  if (status !== null) terms.unshift(`status = '${status}'`);
  if (any !== null) terms.push(any.length === 0 ? 'false' : `array_has_any(tags, make_array(${any.map((tag) => `'${tag}'`).join(', ')}))`);
  return terms.length === 0 ? null : terms.join(' AND ');
}

const and = (given: string | null, term: string): string => (given === null ? term : `${given} AND ${term}`);

const keysPredicate = (keys: readonly string[]): string => `key IN (${keys.map((key) => `'${key}'`).join(', ')})`;

function* piecesOf(ids: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < ids.length; start += KEYS_AT_ONCE) yield ids.slice(start, start + KEYS_AT_ONCE);
}

function* texts(batch: RecordBatch, column: string): Iterable<string> {
  const values = batch.getChild(column)!;
  for (let row = 0; row < batch.numRows; row++) yield String(values.get(row));
}

async function loadPeers() {
  try {
    return { lancedb: await import('@lancedb/lancedb'), arrow: await import('apache-arrow') };
  } catch (cause) {
    throw new BezoarError('MISSING_PEER', 'the store lancedb needs a package: npm install @lancedb/lancedb apache-arrow@18', { cause });
  }
}
