import {
  BezoarError,
  passageText,
  type StoredPassage,
  type StoreFilter,
  type StoreHit,
  type StoreRecord,
  type StoreShape,
  type VectorStore,
} from '@bezoar/core';
import {
  checkAborted,
  checkCount,
  checkRecords,
  checkSameShape,
  checkShape,
  checkVector,
  printable,
  readSnapshot,
  writeSnapshot,
} from '@bezoar/core/stores/memory';
import { fromStorable, fromStorableJson, toStorable, toStorableJson } from './pg/lossless-text.ts';
import { storeFault } from './pg/store-fault.ts';
import { readVectorBytes, vectorArrayBytes, vectorBytes } from './pg/vector-bytes.ts';
import { wordQuery, wordVector } from './pg/word-vector.ts';

/** What is used of a client of the package `pg`. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PgResult {
  // biome-ignore lint/suspicious/noExplicitAny: rows are whatever the statement selects
  readonly rows: any[];
  readonly rowCount: number | null;
}

/** What is used of `pg.Pool`. */
export interface PgPool {
  connect(): Promise<PgClient>;
}

export interface PgStoreSettings {
  /** The caller's; `close` leaves it open. */
  readonly pool: PgPool;
  /** Null opens what is there, whatever its shape. */
  readonly shape: StoreShape | null;
  /** The PostgreSQL schema that holds the store: lower-case letters, digits and underscores. Default `bezoar`. */
  readonly schema?: string;
  /** How many candidates an approximate search keeps, 1 to 1000, at least k. Default 100. */
  readonly efSearch?: number;
}

export interface PgStore extends VectorStore {
  /** Makes the approximate index (HNSW over searchable passages) of each vector's name, or of those given. Minutes above 100,000 passages. */
  buildIndex(names?: readonly string[]): Promise<void>;
}

/** Passages of one statement: more are not faster, and a statement is held in memory on both sides. */
const BATCH = 500;
const BATCH_CHARACTERS = 4_000_000;
/** Bytes. An entry of PostgreSQL's b-tree has at most 2,704. */
const LONGEST_ID = 2000;
/** pgvector's most for a column, and for an HNSW index. */
const MOST_NUMBERS = 16_000;
const MOST_INDEXED_NUMBERS = 2000;
/** As core's BM25. */
const K1 = 1.5;
const B = 0.75;
/** Tries of a transaction that the database ended because of another one (deadlock, serialization failure, taken lock). */
const TRIES = 5;
const COLUMNS = 'id, title, text, source, metadata, content_hash, added_at, run_id, status, findings, words, length';

/**
 * A store in PostgreSQL with pgvector 0.8 or later: one for PGlite in process, PGlite's socket server, and a server. One table in a schema of its
 * own, a `vector` column a name, everything a parameter. Each `put` is one transaction. Without an index that `buildIndex` made, or with
 * `exact`, every passage is looked at; with one, searches of searchable passages use it, going on past filters until there are k (iterative scan),
 * and look at every passage where it does not find k.
 *
 * Text search is BM25 in Lucene's form, with core's words and core's constants, computed in the database: a `tsvector` holds each word with as
 * many places as it occurs, a GIN index finds the candidates, and rarities are counted over the passages of the status asked for. PostgreSQL's
 * own ranks (`ts_rank_cd`) know no rarity.
 *
 * Zeros and unpaired surrogates, which PostgreSQL cannot store, are kept in an escaped form and come back as they were. Ids of more than 2,000
 * bytes are refused.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` when the store there was made for another shape, `NOT_FOUND` when there is none and `shape` is null,
 *   `INVALID_OPTION`, `STORE_FAILED`.
 */
export async function openPgStore(settings: PgStoreSettings): Promise<PgStore> {
  const { pool, schema = 'bezoar', efSearch = 100 } = settings;
  if (!/^[a-z][a-z0-9_]{0,59}$/.test(schema)) {
    throw new BezoarError(
      'INVALID_OPTION',
      `a schema's name is lower-case letters, digits and underscores, not "${printable(schema, 60)}"`,
    );
  }
  if (!Number.isInteger(efSearch) || efSearch < 1 || efSearch > 1000) {
    throw new BezoarError('INVALID_OPTION', `efSearch is a whole number from 1 to 1000, not ${efSearch}`);
  }
  const passages = `"${schema}".passages`;
  const inTransaction = <T>(doing: string, run: (client: PgClient) => Promise<T>): Promise<T> => transact(pool, doing, run);
  const { shape, vectorOid, indexed } = await inTransaction('opening the store', (client) => prepare(client, schema, settings.shape));
  const names = Object.keys(shape.vectors);
  const distance = shape.similarity === 'cosine' ? '<=>' : '<#>';

  const scoreOf = (measured: number): number => {
    if (Number.isNaN(measured)) return 0;
    if (shape.similarity === 'cosine') return Math.max(-1, Math.min(1, 1 - measured));
    return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, -measured));
  };
  const hitOf = (row: { id: string; measured: number }): StoreHit => ({ id: fromStorable(row.id), score: scoreOf(row.measured) });
  const insert = async (client: PgClient, table: string, records: readonly StoreRecord[]): Promise<void> => {
    const values = columnsOf(records);
    const vectors = names.map((name) =>
      vectorArrayBytes(
        records.map((record) => record.vectors[name]),
        vectorOid,
      ),
    );
    const types = [...COLUMNS.split(', ').map((column) => (column === 'length' ? 'int4' : 'text')), ...names.map(() => 'vector')];
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    const all = `${COLUMNS}${names.map((name) => `, "v-${name}"`).join('')}`;
    const selected = all.replace('metadata', 'metadata::jsonb').replace('findings', 'findings::jsonb').replace('words', 'words::tsvector');
    const replaced = all.split(', ').map((column) => `${column} = excluded.${column}`);
    await client.query(
      `insert into ${table} (${all}) select ${selected} from unnest(${arrays.join(', ')}) as given (${all})
       on conflict (id) do update set ${replaced.slice(1).join(', ')}`,
      [...values, ...vectors],
    );
  };
  const page = async (filter: StoreFilter | undefined, after: string | null, vectors: readonly string[]): Promise<StoreRecord[]> =>
    inTransaction('listing', async (client) => {
      const values: unknown[] = [];
      const where = conditions(filter, values);
      if (after !== null) where.push(`id > $${values.push(toStorable(after))}`);
      const { rows } = await client.query(
        `select ${readColumns(vectors)} from ${passages} where ${where.join(' and ') || 'true'} order by id limit ${BATCH}`,
        values,
      );
      return rows.map((row) => recordOf(row, vectors));
    });
  const pages = async function* (filter: StoreFilter | undefined, vectors: readonly string[]): AsyncGenerator<StoreRecord> {
    for (let after: string | null = null; ; ) {
      const records: StoreRecord[] = await page(filter, after, vectors);
      yield* records;
      if (records.length < BATCH) return;
      after = records[records.length - 1]!.passage.id;
    }
  };

  return Object.freeze<PgStore>({
    name: 'pg',
    shape,
    capabilities: { approximate: true, transactional: true, persistent: true },

    async put(records, options) {
      checkAborted(options?.signal);
      const checked = checkRecords(shape, records).sort((a, b) => (a.passage.id < b.passage.id ? -1 : 1));
      for (const { passage } of checked) checkId(passage.id);
      if (checked.length === 0) return;
      await inTransaction('writing passages', async (client) => {
        for (const batch of batchesOf(checked)) {
          checkAborted(options?.signal);
          await insert(client, passages, batch);
        }
      });
    },

    async search({ name, vector, k, exact = false, filter, signal }) {
      checkAborted(signal);
      checkCount(k);
      checkVector(shape, name, vector);
      if (k === 0) return [];
      const approximate = !exact && indexed.has(name) && (filter?.status ?? 'searchable') === 'searchable';
      const values: unknown[] = [vectorBytes(vector), k];
      const where = [`"v-${name}" is not null`, ...conditions(filter, values)].join(' and ');
      const measured = `"v-${name}" ${distance} $1::vector`;
      const select = (client: PgClient, order: string): Promise<PgResult> =>
        client.query(`select id, ${measured} as measured from ${passages} where ${where} order by ${order} limit $2`, values);
      return inTransaction('searching', async (client) => {
        if (approximate) {
          const candidates = Math.min(1000, Math.max(efSearch, k));
          await client.query("select set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)", [
            String(candidates),
          ]);
          const found = (await select(client, measured)).rows;
          // The index gives up after 20,000 passages that the filter leaves out, and has no zero vectors.
          if (found.length === k) return found.map(hitOf).sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
        }
        // Only the bare operator is answered by the index; as an expression it is computed for every passage. A zero vector's distance is NaN.
        const order = `coalesce(nullif(${measured}, 'NaN'), ${shape.similarity === 'cosine' ? 1 : 0}), id`;
        return (await select(client, order)).rows.map(hitOf);
      });
    },

    async searchText({ text, k, filter, signal }) {
      checkAborted(signal);
      checkCount(k);
      const { words, times } = wordQuery(text);
      if (words.length === 0 || k === 0) return [];
      const values: unknown[] = [words, times, k];
      const status = conditions({ status: filter?.status ?? 'searchable' }, values).join(' and ') || 'true';
      const fits = conditions(filter, values).join(' and ') || 'true';
      // Equal sums in another order differ in the last digits, so scores are rounded before they are compared.
      const rows = await inTransaction('searching for words', async (client) => {
        const result = await client.query(
          `with terms as (select term::tsquery, times, number from unnest($1::text[], $2::int4[]) with ordinality as given (term, times, number)),
           totals as (select count(*)::float8 as passages, avg(length)::float8 as average from ${passages} where ${status}),
           matches as materialized (
             select id, length, number, ts_rank_cd('{1, 1, 1, 1}', words, term)::float8 as frequency, ${fits} as fits
             from ${passages} cross join terms where words @@ term and ${status}),
           weights as (
             select number, max(times) * ln(1 + (max(passages) - count(*) + 0.5) / (count(*) + 0.5)) as weight
             from matches join terms using (number) cross join totals group by number)
           select id, sum(weight * frequency / (frequency + ${K1} * (1 - ${B} + ${B} * length / average))) as score
           from matches join weights using (number) cross join totals where fits group by id
           order by round(sum(weight * frequency / (frequency + ${K1} * (1 - ${B} + ${B} * length / average)))::numeric, 10) desc, id limit $3`,
          values,
        );
        return result.rows;
      });
      return rows.map((row): StoreHit => ({ id: fromStorable(row.id), score: row.score }));
    },

    async fetch(ids, options) {
      const vectors = options?.vectors ?? [];
      for (const name of vectors) if (!names.includes(name)) checkVector(shape, name, new Float32Array(0));
      const found = new Map<string, StoreRecord>();
      const wanted = Array.from(new Set(ids));
      for (let start = 0; start < wanted.length; start += BATCH) {
        const { rows } = await inTransaction('fetching', (client) =>
          client.query(`select ${readColumns(vectors)} from ${passages} where id = any($1::text[])`, [
            wanted.slice(start, start + BATCH).map(toStorable),
          ]),
        );
        for (const row of rows) {
          const record = recordOf(row, vectors);
          found.set(record.passage.id, record);
        }
      }
      return ids.map((id) => found.get(id) ?? null);
    },

    async *list(filter) {
      for await (const { passage } of pages(filter, [])) yield passage;
    },

    async setStatus(ids, status) {
      if (status !== 'searchable' && status !== 'quarantined') {
        throw new BezoarError('INVALID_OPTION', `a status is searchable or quarantined, not ${printable(String(status), 40)}`);
      }
      return inTransaction('changing a status', async (client) => {
        const locked = `select id from ${passages} where id = any($1::text[]) order by id for update`;
        const result = await client.query(
          `with these as (${locked}) update ${passages} set status = $2 from these where passages.id = these.id`,
          [ids.map(toStorable), status],
        );
        return result.rowCount ?? 0;
      });
    },

    async remove(which) {
      const [condition, value] =
        'ids' in which ? ['id = any($1::text[])', which.ids.map(toStorable)] : ['run_id = $1', toStorable(which.runId)];
      return inTransaction('removing passages', async (client) => {
        const locked = `select id from ${passages} where ${condition} order by id for update`;
        const result = await client.query(`with these as (${locked}) delete from ${passages} using these where passages.id = these.id`, [
          value,
        ]);
        return result.rowCount ?? 0;
      });
    },

    async count(filter) {
      const values: unknown[] = [];
      const where = conditions(filter, values).join(' and ') || 'true';
      const { rows } = await inTransaction('counting', (client) =>
        client.query(`select count(*)::float8 as count from ${passages} where ${where}`, values),
      );
      return rows[0].count;
    },

    snapshot: () => writeSnapshot(shape, pages({ status: 'any' }, names)),

    async restore(pieces) {
      const read = await readSnapshot(pieces);
      checkSameShape(read.shape, shape);
      // Beside the store first, a piece at a time: whoever gives the pieces may need the pool's only connection.
      const beside = `"${schema}".restoring`;
      const drop = `drop table if exists ${beside}`;
      await inTransaction('restoring', async (client) => {
        await client.query(drop);
        await client.query(`create table ${beside} (like ${passages} including defaults, primary key (id))`);
      });
      try {
        let pending: StoreRecord[] = [];
        const flush = async (): Promise<void> => {
          const batch = checkRecords(shape, pending);
          pending = [];
          if (batch.length > 0) await inTransaction('restoring', (client) => insert(client, beside, batch));
        };
        for await (const record of read.records) {
          checkId(record.passage.id);
          if (pending.push(record) === BATCH) await flush();
        }
        await flush();
        await inTransaction('restoring', async (client) => {
          await client.query(`delete from ${passages}`);
          await client.query(`insert into ${passages} select * from ${beside}`);
        });
      } finally {
        await inTransaction('restoring', (client) => client.query(drop));
      }
    },

    async buildIndex(wanted = names) {
      for (const name of wanted) {
        const length = shape.vectors[name];
        if (length === undefined) throw new BezoarError('INVALID_OPTION', `the store has no vector "${printable(name, 60)}"`);
        if (length > MOST_INDEXED_NUMBERS) {
          throw new BezoarError(
            'TOO_LARGE',
            `an index takes vectors of up to ${MOST_INDEXED_NUMBERS} numbers, and "${name}" has ${length}`,
          );
        }
        const operators = shape.similarity === 'cosine' ? 'vector_cosine_ops' : 'vector_ip_ops';
        await inTransaction('building an index', async (client) => {
          // The graph is built several times faster while it fits into memory.
          await client.query("set local maintenance_work_mem = '512MB'");
          await client.query(
            `create index if not exists "hnsw-${name}" on ${passages} using hnsw ("v-${name}" ${operators}) where status = 'searchable'`,
          );
        });
        indexed.add(name);
      }
    },

    close: async () => {},
  });
}

/** Runs in a transaction on a connection of its own; tried again where another transaction was in the way. */
async function transact<T>(pool: PgPool, doing: string, run: (client: PgClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactOnce(pool, run);
    } catch (error) {
      const inTheWay = ['40P01', '40001', '55P03'].includes((error as { code?: string }).code ?? '');
      if (!inTheWay || attempt === TRIES) throw storeFault(error, doing);
    }
  }
}

async function transactOnce<T>(pool: PgPool, run: (client: PgClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let lost = false;
  // Without a listener, a connection that is lost while nothing is asked of it would end the process.
  const onError = (): void => {
    lost = true;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    try {
      const result = await run(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(onError);
      throw error;
    }
  } finally {
    client.removeListener('error', onError);
    client.release(lost);
  }
}

/** Makes the tables where there are none; says what is there. */
async function prepare(
  client: PgClient,
  schema: string,
  asked: StoreShape | null,
): Promise<{ shape: StoreShape; vectorOid: number; indexed: Set<string> }> {
  const { rows } = await client.query('select to_regclass($1) is not null as made', [`"${schema}".store`]);
  let shape = asked;
  if (!rows[0].made) {
    if (asked === null) throw new BezoarError('NOT_FOUND', `the database has no store in schema "${schema}"; make one with: bezoar index`);
    // Two that open an empty database at once would both make it.
    await client.query("select pg_advisory_xact_lock(hashtext('bezoar store'))");
    await create(client, schema, checkShape(asked));
  }
  const made = fromStorableJson((await client.query(`select shape::text from "${schema}".store`)).rows[0].shape) as StoreShape;
  if (asked === null) shape = made;
  else checkSameShape(made, asked);
  const types = await client.query("select 'vector'::regtype::oid::int8::float8 as oid");
  const indexes = await client.query('select indexname as name from pg_indexes where schemaname = $1', [schema]);
  const built = indexes.rows.map((row) => String(row.name)).filter((name) => name.startsWith('hnsw-'));
  return { shape: shape ?? made, vectorOid: types.rows[0].oid, indexed: new Set(built.map((name) => name.slice(5))) };
}

async function create(client: PgClient, schema: string, shape: StoreShape): Promise<void> {
  for (const [name, length] of Object.entries(shape.vectors)) {
    if (length > MOST_NUMBERS) {
      throw new BezoarError('TOO_LARGE', `pgvector keeps up to ${MOST_NUMBERS} numbers a vector, and "${name}" has ${length}`);
    }
  }
  const vectors = Object.entries(shape.vectors).map(([name, length]) => `"v-${name}" vector(${length})`);
  const statements = [
    'create extension if not exists vector',
    `create schema if not exists "${schema}"`,
    `create table if not exists "${schema}".store (one boolean primary key default true check (one), shape jsonb not null)`,
    // The hash indexes take texts of any length. What fits into a page stays in it: vectors kept elsewhere make a look at every passage slow.
    `create table if not exists "${schema}".passages (
       id text collate "C" primary key, title text, text text not null, source text, metadata jsonb, content_hash text not null,
       added_at text not null, run_id text not null, status text not null check (status in ('searchable', 'quarantined')),
       findings jsonb not null, words tsvector not null, length int4 not null, ${vectors.join(', ')}) with (toast_tuple_target = 8160)`,
    `create index if not exists passages_words on "${schema}".passages using gin (words)`,
    `create index if not exists passages_run on "${schema}".passages using hash (run_id)`,
    `create index if not exists passages_source on "${schema}".passages using hash (source)`,
    `create index if not exists passages_length on "${schema}".passages (status, length)`,
  ];
  for (const statement of statements) await client.query(statement);
  await client.query(`insert into "${schema}".store (shape) values ($1::jsonb) on conflict do nothing`, [toStorableJson(shape)]);
}

function checkId(id: string): void {
  const bytes = Buffer.byteLength(toStorable(id));
  if (bytes > LONGEST_ID) {
    throw new BezoarError('BAD_INPUT', `id "${printable(id, 40)}" has ${bytes} bytes, and PostgreSQL indexes up to ${LONGEST_ID}`);
  }
}

function* batchesOf(records: readonly StoreRecord[]): Generator<StoreRecord[]> {
  let batch: StoreRecord[] = [];
  let characters = 0;
  for (const record of records) {
    batch.push(record);
    characters += record.passage.text.length;
    if (batch.length === BATCH || characters > BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** One array a column, in the order of COLUMNS. */
function columnsOf(records: readonly StoreRecord[]): unknown[][] {
  const words = records.map(({ passage }) => wordVector(passageText(passage)));
  const text = (of: (passage: StoredPassage) => string | undefined): (string | null)[] =>
    records.map(({ passage }) => {
      const value = of(passage);
      return value === undefined ? null : toStorable(value);
    });
  return [
    text(({ id }) => id),
    text(({ title }) => title),
    text((passage) => passage.text),
    text(({ source }) => source),
    records.map(({ passage }) => (passage.metadata === undefined ? null : toStorableJson(passage.metadata))),
    text(({ contentHash }) => contentHash),
    text(({ addedAt }) => addedAt),
    text(({ runId }) => runId),
    text(({ status }) => status),
    records.map(({ passage }) => toStorableJson(passage.findings)),
    words.map((word) => word.words),
    words.map(({ length }) => length),
  ];
}

const readColumns = (vectors: readonly string[]): string =>
  `id, title, text, source, metadata::text, content_hash, added_at, run_id, status, findings::text${vectors
    .map((name, index) => `, vector_send("v-${name}") as vector${index}`)
    .join('')}`;

function recordOf(row: Record<string, string | null> & Record<`vector${number}`, Buffer | null>, names: readonly string[]): StoreRecord {
  const vectors: Record<string, Float32Array> = {};
  for (const [index, name] of names.entries()) {
    const bytes = row[`vector${index}`] as Buffer | null;
    if (bytes !== null) vectors[name] = readVectorBytes(bytes);
  }
  const text = (column: string): string => fromStorable(row[column] as string);
  return {
    passage: {
      id: text('id'),
      text: text('text'),
      ...(row.title === null ? {} : { title: text('title') }),
      ...(row.source === null ? {} : { source: text('source') }),
      ...(row.metadata === null ? {} : { metadata: fromStorableJson(row.metadata as string) as NonNullable<StoredPassage['metadata']> }),
      contentHash: text('content_hash'),
      addedAt: text('added_at'),
      runId: text('run_id'),
      status: row.status as StoredPassage['status'],
      findings: fromStorableJson(row.findings as string) as StoredPassage['findings'],
    },
    vectors,
  };
}

/** The filter as conditions; what it compares with goes to `values`. Statuses are written out, for the index of searchable passages to be used. */
function conditions(filter: StoreFilter | undefined, values: unknown[]): string[] {
  const { status = 'searchable', sources, runId, metadata = {} } = filter ?? {};
  const where: string[] = [];
  if (status !== 'any') where.push(status === 'quarantined' ? "status = 'quarantined'" : "status = 'searchable'");
  if (sources !== undefined) where.push(`source = any($${values.push(sources.map(toStorable))}::text[])`);
  if (runId !== undefined) where.push(`run_id = $${values.push(toStorable(runId))}`);
  for (const [key, value] of Object.entries(metadata)) {
    where.push(`metadata -> $${values.push(toStorable(key))}::text = $${values.push(toStorableJson(value))}::jsonb`);
  }
  return where;
}
