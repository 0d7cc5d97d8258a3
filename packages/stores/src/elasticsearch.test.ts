import { randomUUID } from 'node:crypto';
import type { StoreRecord, StoreShape } from '@bezoar/core';
import { testStore } from '@bezoar/core/testing';
import { Client as ElasticClient } from '@elastic/elasticsearch';
import { Client as OpenSearchClient } from '@opensearch-project/opensearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFakeElasticsearch } from '../../../tests/fake-elasticsearch.ts';
import type { JsonServer } from '../../../tests/json-server.ts';
import { liveServer } from '../../../tests/live-server.ts';
import { type ElasticsearchConnection, openElasticsearchStore } from './elasticsearch.ts';

const SHAPE: StoreShape = { vectors: { passage: 3, 'fragment-0': 2 }, similarity: 'cosine' };
const hostile = `'"}]} DROP * \u0000 \ud800`;
const record: StoreRecord = {
  passage: {
    id: hostile,
    text: `The wolf, the wolf and ${hostile}`,
    source: hostile,
    metadata: { [hostile]: hostile },
    contentHash: 'h',
    addedAt: '2026-11-21T00:00:00Z',
    runId: hostile,
    status: 'searchable',
    findings: [],
  },
  vectors: { passage: Float32Array.of(0.25, -0.5, 3) },
};

const CLIENTS = {
  elasticsearch: (node: string): ElasticsearchConnection => new ElasticClient({ node }) as unknown as ElasticsearchConnection,
  opensearch: (node: string): ElasticsearchConnection => new OpenSearchClient({ node }) as unknown as ElasticsearchConnection,
};

for (const flavor of ['elasticsearch', 'opensearch'] as const) {
  const connect = CLIENTS[flavor];
  let server: JsonServer;
  let client: ElasticsearchConnection;
  beforeAll(async () => {
    server = await openFakeElasticsearch(flavor);
    client = connect(server.url);
  });
  afterAll(() => server.close());
  const open = (index: string, shape: StoreShape | null = SHAPE) => openElasticsearchStore({ client, index, shape });

  describe(`the conformance suite of a store, with the client of ${flavor} against a server of our own`, () => {
    let last = '';
    testStore({
      test,
      skipTest: test.skip,
      create: (shape) => {
        last = randomUUID();
        return open(last, shape);
      },
      again: (store) => open(last, store.shape),
    });
  });

  const live = liveServer(`BEZOAR_${flavor.toUpperCase()}`);
  describe.skipIf(live === null)(`the conformance suite of a store, with a real ${flavor}`, () => {
    const made: string[] = [];
    testStore({
      test,
      skipTest: test.skip,
      create: (shape) => {
        made.push(`bezoar-test-${randomUUID()}`);
        return openElasticsearchStore({ client: connect(live!), index: made.at(-1)!, shape });
      },
      again: (store) => openElasticsearchStore({ client: connect(live!), index: made.at(-1)!, shape: store.shape }),
    });
    afterAll(async () => {
      for (const index of made) await connect(live!).transport.request({ method: 'DELETE', path: `/${index}` });
    });
  });

  describe(`what is asked of ${flavor}`, () => {
    test('is in the documented form', async () => {
      const from = server.requests.length;
      const store = await open('forms');
      await store.put([record]);
      const vector = Float32Array.of(1, 0, 0);
      for (const exact of [true, false]) await store.search({ name: 'passage', vector, k: 1, exact, filter: { sources: [hostile] } });
      await store.searchText({ text: 'the "wolf" AND *', k: 3 });
      const asked = server.requests.slice(from).map(({ method, path, query, body }) => ({ method, path, query, body }));
      const made = asked.find(({ method }) => method === 'PUT');
      expect(made).toMatchObject({
        path: '/forms',
        body: {
          mappings: {
            dynamic: false,
            properties: {
              kept: { type: 'object', enabled: false },
              v1:
                flavor === 'elasticsearch'
                  ? { type: 'dense_vector', dims: 3, similarity: 'cosine', index_options: { type: 'hnsw' } }
                  : { type: 'knn_vector', dimension: 3, method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' } },
            },
          },
        },
      });
      const [, document] = asked.find(({ path }) => path === '/_bulk')!.body as [unknown, Record<string, unknown>];
      expect(Object.keys(document)).toEqual(['key', 'status', 'tags', 'text', 'kept', 'v1']);
      const searches = asked.filter(({ path }) => path === '/forms/_search').map(({ body }) => body);
      const source = { term: { status: 'searchable' } };
      const anySource = { terms: { tags: [expect.stringMatching(/^s[0-9a-f]{32}$/)] } };
      expect(searches[0]).toMatchObject({
        query: { script_score: { query: { bool: { filter: [source, anySource, { exists: { field: 'v1' } }] } } } },
      });
      expect(searches[1]).toMatchObject(
        flavor === 'elasticsearch'
          ? { size: 17, knn: { field: 'v1', query_vector: [1, 0, 0], k: 17, num_candidates: 200, filter: [source, anySource] } }
          : { size: 17, query: { knn: { v1: { vector: [1, 0, 0], k: 17, filter: { bool: { filter: [source, anySource] } } } } } },
      );
      expect(searches[2]).toMatchObject({
        query: { bool: { must: [{ match: { text: { query: 'the "wolf" AND *' } } }], filter: [source] } },
      });
    });

    test('has no text of a passage in a path or in the name of a field', () => {
      const texts = server.requests.flatMap(({ path, body }) => [path, ...namesIn(body)]);
      expect(texts.filter((text) => text.includes('DROP'))).toEqual([]);
    });
  });

  describe(`a store in ${flavor}`, () => {
    test('is found again with its shape, and refuses another', async () => {
      await (await open('again')).put([record]);
      const found = await open('again', null);
      expect(found.shape).toEqual(SHAPE);
      expect(await found.count()).toBe(1);
      await expect(open('none', null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(open('again', { ...SHAPE, similarity: 'dot' })).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
      for (const index of ['a,b', '*', '_all', '../x', 'A', ''])
        await expect(open(index)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
      await client.transport.request({
        method: 'PUT',
        path: '/foreign',
        body: { ...(flavor === 'opensearch' && { settings: {} }), mappings: { properties: {} } },
      });
      await expect(open('foreign')).rejects.toMatchObject({
        code: 'SHAPE_MISMATCH',
        message: expect.stringContaining('not made by Bezoar'),
      });
    });

    test('turns scores back into dot products, exact or not', async () => {
      const store = await open('dot', { ...SHAPE, similarity: 'dot' });
      const other = { ...record, passage: { ...record.passage, id: 'other' }, vectors: { passage: Float32Array.of(-2, 0, 0) } };
      await store.put([record, other]);
      for (const exact of [true, false]) {
        const hits = await store.search({ name: 'passage', vector: Float32Array.of(2, 1, 0.5), k: 2, exact });
        expect(hits.map(({ id }) => id)).toEqual([hostile, 'other']);
        expect(hits[0]!.score).toBeCloseTo(1.5, 6);
        expect(hits[1]!.score).toBeCloseTo(-4, 5);
      }
    });

    test('turns scores back into cosines, exact or not', async () => {
      const store = await open('cosine');
      await store.put([record]);
      for (const exact of [true, false]) {
        const [hit] = await store.search({ name: 'passage', vector: Float32Array.of(0, 1, 0), k: 2, exact });
        expect(hit!.score).toBeCloseTo(-0.5 / Math.sqrt(0.0625 + 0.25 + 9), 6);
      }
    });

    test('asks for no more than the server returns', async () => {
      const store = await open('many');
      await expect(store.search({ name: 'passage', vector: Float32Array.of(1, 0, 0), k: 10_001 })).rejects.toMatchObject({
        code: 'TOO_LARGE',
      });
      await expect(store.searchText({ text: 'a', k: 10_001 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
      await store.put([record]);
      expect(await store.searchText({ text: `${'x '.repeat(50_000)} wolf`, k: 1 })).toEqual([]);
      const words = Array.from({ length: 2000 }, (_, index) => index).join(' ');
      await store.searchText({ text: words, k: 1 });
      const { query } = server.requests.at(-1)!.body as { query: { bool: { must: [{ match: { text: { query: string } } }] } } };
      expect(query.bool.must[0].match.text.query.split(' ')).toHaveLength(512);
    });

    test('says in one sentence what the server says', async () => {
      const store = await open('refused');
      const refusing: ElasticsearchConnection = {
        transport: {
          request: async (request) =>
            request.path === '/_bulk'
              ? { items: [{ index: { status: 400, error: { reason: 'disk\nfull' } } }] }
              : client.transport.request(request),
        },
      };
      const broken = await openElasticsearchStore({ client: refusing, index: 'refused', shape: null });
      await expect(broken.put([record])).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: 'writing to Elasticsearch failed: disk full',
      });
      expect(await store.count()).toBe(0);
      const nowhere = openElasticsearchStore({ client: connect('http://127.0.0.1:9'), index: 'x', shape: SHAPE });
      await expect(nowhere).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringMatching(/^opening Elasticsearch failed: [^\n]+$/),
      });
    });
  });
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}
