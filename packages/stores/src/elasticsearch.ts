import { BezoarError, type StoreFilter, type StoreHit, type StoreRecord, type StoreShape, type VectorStore } from '@bezoar/core';
import { checkCount, checkRecords, checkSameShape, checkShape, checkVector, readSnapshot, writeSnapshot } from '@bezoar/core/stores/memory';
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

/** What of the user's client is used: the transport of `@elastic/elasticsearch` and of `@opensearch-project/opensearch` alike. */
export interface ElasticsearchConnection {
  readonly transport: {
    request(request: {
      method: string;
      path: string;
      querystring?: Record<string, string>;
      body?: Record<string, unknown>;
      bulkBody?: Record<string, unknown>[];
    }): Promise<unknown>;
  };
}

export interface ElasticsearchSettings {
  /** The user's own client, of Elasticsearch or of OpenSearch; it is left open. */
  readonly client: ElasticsearchConnection;
  readonly index: string;
  /** What the store is for; null opens what is there and reads its shape. */
  readonly shape: StoreShape | null;
}

/** As the servers take them, without wildcards and commas, which would name several. */
const INDEX_NAME = /^[a-z0-9][a-z0-9._-]{0,200}$/;
/** `index.max_result_window` as the servers come. */
const MOST_HITS = 10_000;
const DOCUMENTS_AT_ONCE = 250;
const IDS_AT_ONCE = 1000;
/** Candidates of each shard for an approximate search, at least. */
const CANDIDATES = 200;
/** A match query makes one clause a word, and the servers take 1,024. */
const [MOST_CHARACTERS, MOST_WORDS] = [4000, 512];

type Json = Record<string, unknown>;

interface Kept {
  readonly id: string;
  readonly passage: string;
  readonly bytes: Readonly<Record<string, string>>;
}

interface Hit {
  readonly _id: string;
  readonly _score: number;
  readonly _source: { readonly status: string; readonly kept: Kept };
  readonly sort: readonly string[];
  readonly found?: boolean;
}

interface BulkItem {
  readonly status: number;
  readonly error?: { readonly reason?: string };
}

/**
 * Passages in an Elasticsearch (8.11 or newer) or OpenSearch (2.13 or newer, with its k-NN plugin) cluster that the user runs, through the user's own
 * client; which of the two it is, the server says. Documents are named by the first 128 bits of the SHA-256 of the passage's id, and filters compare
 * such hashes: no text of a passage is part of a path, a field's name, a script or a query string. Vectors that are fetched come from the
 * source as bytes, bit for bit.
 *
 * Approximate searches use HNSW, exact ones a script over every document; scores are turned back into cosines or dot products. Text search is the
 * server's BM25 with its English analyzer. Every write refreshes the index, so that the next search sees it: write in hundreds. Writes of many are
 * several requests: what a broken connection leaves is some of them, and doing it again completes it. No search returns more than 10,000 hits.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH`, `NOT_FOUND` where `shape` is null and there is no such index, `INVALID_OPTION`, `STORE_FAILED`.
 */
export async function openElasticsearchStore({ client, index, shape: asked }: ElasticsearchSettings): Promise<VectorStore> {
  if (asked !== null) checkShape(asked);
  if (!INDEX_NAME.test(index))
    throw new BezoarError(
      'INVALID_OPTION',
      `an index is named by lower-case letters, digits, dots, dashes and underscores, not ${JSON.stringify(index)}`,
    );

  const send = async (
    method: string,
    path: string,
    more: { querystring?: Record<string, string>; body?: Json; bulkBody?: Json[] } = {},
  ) => {
    const answer = (await client.transport.request({ method, path, ...more })) as Json;
    // OpenSearch's client answers with the body among other things, Elasticsearch's with the body alone.
    return (answer !== null && typeof answer === 'object' && 'statusCode' in answer && 'body' in answer ? answer.body : answer) as Json;
  };
  const { flavor, shape } = await attempt('opening Elasticsearch', async () => {
    const { version } = (await send('GET', '/')) as { version?: { distribution?: string } };
    const made: Flavor = version?.distribution === 'opensearch' ? OPENSEARCH : ELASTICSEARCH;
    return { flavor: made, shape: await openIndex(made, asked) };
  });
  const fields = vectorFields(shape);

  async function openIndex(made: Flavor, wanted: StoreShape | null): Promise<StoreShape> {
    let stored = await readShape();
    if (stored === null) {
      if (wanted === null) throw new BezoarError('NOT_FOUND', `there is no index ${index}; make one with \`bezoar index\``);
      try {
        await send('PUT', `/${index}`, { body: indexBody(made, wanted) });
      } catch (cause) {
        // Another writer may have made it meanwhile.
        if (statusOf(cause) !== 400) throw cause;
      }
      stored = await readShape();
    }
    if (typeof stored !== 'string') throw new BezoarError('SHAPE_MISMATCH', `the index ${index} was not made by Bezoar; name another`);
    const found = JSON.parse(stored) as StoreShape;
    if (wanted !== null) checkSameShape(found, wanted);
    return found;
  }

  /** The shape's JSON; undefined for an index that is not ours, null for none. */
  async function readShape(): Promise<string | undefined | null> {
    try {
      const answer = (await send('GET', `/${index}/_mapping`)) as Record<string, { mappings?: { _meta?: { bezoar?: string } } }>;
      return Object.values(answer)[0]?.mappings?._meta?.bezoar;
    } catch (cause) {
      if (statusOf(cause) === 404) return null;
      throw cause;
    }
  }

  function indexBody(made: Flavor, wanted: StoreShape): Json {
    const properties: Json = {
      key: { type: 'keyword' },
      status: { type: 'keyword' },
      tags: { type: 'keyword' },
      text: { type: 'text', analyzer: 'english' },
      // Kept and never looked into: what is in it cannot become a field.
      kept: { type: 'object', enabled: false },
    };
    for (const [name, field] of vectorFields(wanted)) properties[field] = made.field(wanted.vectors[name]!, wanted.similarity);
    return { ...made.settings, mappings: { dynamic: false, _meta: { bezoar: JSON.stringify(wanted) }, properties } };
  }

  async function bulk(lines: Json[]): Promise<readonly BulkItem[]> {
    const answer = await send('POST', '/_bulk', { querystring: { refresh: 'true' }, bulkBody: lines });
    const items = (answer.items as Record<string, BulkItem>[]).map((item) => Object.values(item)[0]!);
    const failed = items.find(({ status }) => status >= 400 && status !== 404);
    if (failed !== undefined) throw new Error(failed.error?.reason ?? `a document was refused with status ${failed.status}`);
    return items;
  }

  async function write(records: readonly StoreRecord[], signal?: AbortSignal): Promise<void> {
    for (const some of piecesOf(records, DOCUMENTS_AT_ONCE))
      await attempt(
        'writing to Elasticsearch',
        () =>
          bulk(
            some.flatMap((record) => {
              const { key, status, tags, text, passage } = toDocument(record, shape);
              const bytes: Record<string, string> = {};
              const vectors: Record<string, number[]> = {};
              for (const [name, vector] of Object.entries(record.vectors)) {
                const field = fields.get(name)!;
                bytes[field] = vectorToText(vector);
                if (!isZero(vector)) vectors[field] = Array.from(vector);
              }
              const kept: Kept = { id: JSON.stringify(record.passage.id), passage, bytes };
              return [{ index: { _index: index, _id: key } }, { key, status, tags, text, kept, ...vectors }];
            }),
          ),
        signal,
      );
  }

  async function hitsOf(body: Json): Promise<readonly Hit[]> {
    const answer = await send('POST', `/${index}/_search`, { body: { _source: ['kept.id'], track_total_hits: false, ...body } });
    return (answer.hits as { hits: Hit[] }).hits;
  }

  const toHits = (hits: readonly Hit[], toScore: (score: number) => number): StoreHit[] =>
    hits.map(({ _source, _score }) => ({ id: JSON.parse(_source.kept.id) as string, score: toScore(_score) }));

  async function idsWhere(query: Json): Promise<string[]> {
    const ids: string[] = [];
    let after: readonly string[] | null = null;
    for (;;) {
      const hits: readonly Hit[] = await hitsOf({
        size: IDS_AT_ONCE,
        query,
        sort: [{ key: 'asc' }],
        ...(after === null ? {} : { search_after: after }),
      });
      for (const { _source } of hits) ids.push(JSON.parse(_source.kept.id) as string);
      if (hits.length < IDS_AT_ONCE) return ids.sort();
      after = hits[hits.length - 1]!.sort;
    }
  }

  async function* recordsOf(ids: readonly string[], names: readonly string[]): AsyncIterable<StoreRecord> {
    const querystring = {
      _source_includes: ['status', 'kept.passage', ...names.map((name) => `kept.bytes.${fields.get(name)!}`)].join(','),
    };
    for (const some of piecesOf(ids, IDS_AT_ONCE)) {
      const body = { ids: some.map(documentKey) };
      const answer = await attempt('reading from Elasticsearch', () => send('POST', `/${index}/_mget`, { querystring, body }));
      for (const { found, _source } of answer.docs as Hit[]) {
        if (found !== true) continue;
        const vectors: Record<string, Float32Array> = {};
        for (const name of names) {
          const bytes = _source.kept.bytes?.[fields.get(name)!];
          if (bytes !== undefined) vectors[name] = vectorFromText(bytes);
        }
        yield { passage: toPassage(_source.kept.passage, _source.status), vectors };
      }
    }
  }

  /** One action for each id; how many of the ids were there. */
  async function each(what: string, ids: readonly string[], lines: (id: string) => Json[]): Promise<number> {
    let count = 0;
    for (const some of piecesOf([...new Set(ids)], IDS_AT_ONCE)) {
      const items = await attempt(what, () => bulk(some.flatMap((id) => lines(documentKey(id)))));
      count += items.filter(({ status }) => status < 300).length;
    }
    return count;
  }

  const removeIds = (ids: readonly string[]): Promise<number> =>
    each('removing from Elasticsearch', ids, (_id) => [{ delete: { _index: index, _id } }]);

  return Object.freeze<VectorStore>({
    name: 'elasticsearch',
    shape,
    capabilities: { approximate: true, transactional: false, persistent: true },

    async put(records, options) {
      await write(checkRecords(shape, records), options?.signal);
    },

    async search({ name, vector, k, exact = false, filter, signal }) {
      checkCount(k);
      checkMost(k);
      checkVector(shape, name, vector);
      const field = fields.get(name)!;
      const given = conditions(filter);
      const zero = { term: { tags: zeroTag(field) } };
      const values = Array.from(vector);
      const ask = async (limit: number): Promise<StoreHit[]> => {
        const body = exact
          ? { query: flavor.exact(field, values, shape.similarity, [...given, { exists: { field } }]) }
          : flavor.approximate(field, values, limit, given);
        return toHits(
          await hitsOf({ size: limit, ...body }),
          exact && shape.similarity === 'cosine' ? (score) => score - 1 : SCORES[shape.similarity],
        );
      };
      return attempt(
        'searching Elasticsearch',
        async () => {
          if (!isZero(vector)) return withZeroVectors(k, await rankedHits(k, ask, MOST_HITS), () => idsWhere(every([...given, zero])));
          const ids = await idsWhere(every([...given, { bool: { should: [{ exists: { field } }, zero] } }]));
          return ids.slice(0, k).map((id) => ({ id, score: 0 }));
        },
        signal,
      );
    },

    async searchText({ text, k, filter, signal }) {
      checkCount(k);
      checkMost(k);
      const words = Array.from(new Set(text.toWellFormed().slice(0, MOST_CHARACTERS).split(/\s+/)));
      const query = { bool: { must: [{ match: { text: { query: words.slice(0, MOST_WORDS).join(' ') } } }], filter: conditions(filter) } };
      const ask = async (size: number): Promise<StoreHit[]> => toHits(await hitsOf({ size, query }), (score) => score);
      return attempt('searching Elasticsearch by words', () => rankedHits(k, ask, MOST_HITS), signal);
    },

    async fetch(ids, options) {
      const names = options?.vectors ?? [];
      for (const name of names) if (!fields.has(name)) checkVector(shape, name, new Float32Array(0));
      const found = new Map<string, StoreRecord>();
      for await (const record of recordsOf([...new Set(ids)], names)) found.set(record.passage.id, record);
      return ids.map((id) => found.get(id) ?? null);
    },

    async *list(filter) {
      const ids = await attempt('listing Elasticsearch', () => idsWhere(every(conditions(filter))));
      for await (const { passage } of recordsOf(ids, [])) yield passage;
    },

    setStatus: (ids, status) =>
      each('changing a status in Elasticsearch', ids, (_id) => [{ update: { _index: index, _id } }, { doc: { status } }]),

    remove(which) {
      if ('ids' in which) return removeIds(which.ids);
      const body = { query: every(conditions({ status: 'any', runId: which.runId })) };
      const querystring = { refresh: 'true', conflicts: 'proceed' };
      return attempt('removing from Elasticsearch', async () =>
        Number((await send('POST', `/${index}/_delete_by_query`, { querystring, body })).deleted),
      );
    },

    count: (filter) =>
      attempt('counting in Elasticsearch', async () => {
        const body = { query: every(conditions(filter)) };
        return Number((await send('POST', `/${index}/_count`, { body })).count);
      }),

    async *snapshot() {
      const ids = await attempt('reading from Elasticsearch', () => idsWhere(every([])));
      yield* writeSnapshot(shape, recordsOf(ids, [...fields.keys()]));
    },

    async restore(pieces) {
      const { shape: read, records } = await readSnapshot(pieces);
      checkSameShape(read, shape);
      const left = new Set(await attempt('reading from Elasticsearch', () => idsWhere(every([]))));
      let batch: StoreRecord[] = [];
      for await (const record of records) {
        batch.push(...checkRecords(shape, [record]));
        left.delete(record.passage.id);
        if (batch.length < DOCUMENTS_AT_ONCE) continue;
        await write(batch);
        batch = [];
      }
      await write(batch);
      await removeIds([...left]);
    },

    close: async () => undefined,
  });
}

/** What differs between the two servers. */
interface Flavor {
  readonly settings: Json;
  field(length: number, similarity: StoreShape['similarity']): Json;
  approximate(field: string, vector: number[], k: number, filter: readonly Json[]): Json;
  /** Scores are 1 + cosine, or what `SCORES.dot` reads. */
  exact(field: string, vector: number[], similarity: StoreShape['similarity'], filter: readonly Json[]): Json;
}

const ELASTICSEARCH: Flavor = {
  settings: {},
  // Plain HNSW: what the server would choose keeps 1 or 8 bits a number, and its scores are of those.
  field: (dims, similarity) => ({
    type: 'dense_vector',
    dims,
    index: true,
    similarity: similarity === 'cosine' ? 'cosine' : 'max_inner_product',
    index_options: { type: 'hnsw' },
  }),
  approximate: (field, query_vector, k, filter) => ({
    knn: { field, query_vector, k, num_candidates: Math.min(MOST_HITS, Math.max(CANDIDATES, 2 * k)), filter },
  }),
  exact: (field, vector, similarity, filter) => ({
    script_score: {
      query: every(filter),
      script: {
        source:
          similarity === 'cosine'
            ? `cosineSimilarity(params.vector, '${field}') + 1.0`
            : `double d = dotProduct(params.vector, '${field}'); return d < 0 ? 1 / (1 - d) : d + 1;`,
        params: { vector },
      },
    },
  }),
};

const OPENSEARCH: Flavor = {
  settings: { settings: { index: { knn: true } } },
  field: (dimension, similarity) => ({
    type: 'knn_vector',
    dimension,
    method: { name: 'hnsw', engine: 'lucene', space_type: similarity === 'cosine' ? 'cosinesimil' : 'innerproduct' },
  }),
  approximate: (field, vector, k, filter) => ({ query: { knn: { [field]: { vector, k, filter: every(filter) } } } }),
  exact: (field, vector, similarity, filter) => ({
    script_score: {
      query: every(filter),
      script:
        similarity === 'cosine'
          ? { source: 'cosineSimilarity(params.query_value, doc[params.field]) + 1.0', params: { query_value: vector, field } }
          : { source: 'knn_score', lang: 'knn', params: { query_value: vector, field, space_type: 'innerproduct' } },
    },
  }),
};

/** From the servers' score, which is never negative, to the number it is made of. */
const SCORES: Readonly<Record<StoreShape['similarity'], (score: number) => number>> = {
  cosine: (score) => 2 * score - 1,
  dot: (score) => (score < 1 ? 1 - 1 / score : score - 1),
};

function conditions(filter?: StoreFilter): Json[] {
  const { status, all, any } = documentFilter(filter);
  const terms: Json[] = all.map((tag) => ({ term: { tags: tag } }));
  if (status !== null) terms.push({ term: { status } });
  if (any !== null) terms.push({ terms: { tags: any } });
  return terms;
}

/** All of the conditions; of none, everything. */
const every = (filter: readonly Json[]): Json => ({ bool: { filter } });

function checkMost(k: number): void {
  if (k > MOST_HITS) throw new BezoarError('TOO_LARGE', `Elasticsearch returns at most ${MOST_HITS} hits, and k is ${k}`);
}

const statusOf = (error: unknown): number | null => {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : null;
};

function* piecesOf<T>(values: readonly T[], size: number): Iterable<readonly T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}
