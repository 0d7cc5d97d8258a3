import { randomUUID } from 'node:crypto';
import type { StoreRecord, StoreShape } from '@bezoar/core';
import { testStore } from '@bezoar/core/testing';
import { QdrantClient } from '@qdrant/js-client-rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFakeQdrant } from '../../../tests/fake-qdrant.ts';
import type { JsonServer } from '../../../tests/json-server.ts';
import { liveServer } from '../../../tests/live-server.ts';
import { openQdrantStore } from './qdrant.ts';

let server: JsonServer;
beforeAll(async () => {
  server = await openFakeQdrant();
});
afterAll(() => server.close());
const connect = (url = server.url): QdrantClient => new QdrantClient({ url, checkCompatibility: false });

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

describe("the conformance suite of a store, with Qdrant's client against a server of our own", () => {
  let last = '';
  testStore({
    test,
    skipTest: test.skip,
    create: (shape) => {
      last = randomUUID();
      return openQdrantStore({ client: connect(), collection: last, shape });
    },
    again: (store) => openQdrantStore({ client: connect(), collection: last, shape: store.shape }),
  });
});

const live = liveServer('BEZOAR_QDRANT');
describe.skipIf(live === null)('the conformance suite of a store, with the Qdrant that BEZOAR_QDRANT names', () => {
  const made: string[] = [];
  testStore({
    test,
    skipTest: test.skip,
    create: (shape) => {
      made.push(`bezoar-test-${randomUUID()}`);
      return openQdrantStore({ client: connect(live!), collection: made.at(-1)!, shape });
    },
    again: (store) => openQdrantStore({ client: connect(live!), collection: made.at(-1)!, shape: store.shape }),
  });
  afterAll(async () => {
    for (const collection of made) await connect(live!).deleteCollection(collection);
  });
});

describe('what is asked of Qdrant', () => {
  test('is in the documented form', async () => {
    const from = server.requests.length;
    const store = await openQdrantStore({ client: connect(), collection: 'forms', shape: SHAPE });
    await store.put([record]);
    await store.search({ name: 'passage', vector: Float32Array.of(1, 0, 0), k: 3, exact: true, filter: { sources: [hostile] } });
    await store.searchText({ text: 'wolf', k: 3 });
    const asked = server.requests.slice(from).map(({ method, path, query, body }) => ({ method, path, query, body }));
    expect(asked[1]).toEqual({
      method: 'PUT',
      path: '/collections/forms',
      query: {},
      body: {
        vectors: { v0: { size: 2, distance: 'Cosine' }, v1: { size: 3, distance: 'Cosine' } },
        sparse_vectors: { words: { modifier: 'idf' } },
      },
    });
    const upsert = asked.find(({ path, body }) => path.endsWith('/points') && JSON.stringify(body).includes('contentHash'));
    expect(upsert).toMatchObject({
      method: 'PUT',
      query: { wait: 'true' },
      body: {
        points: [{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), vector: { v1: [0.25, -0.5, 3] }, payload: { status: 'searchable' } }],
      },
    });
    const [dense, words] = asked.filter(({ path }) => path.endsWith('/points/query'));
    expect(dense).toMatchObject({
      method: 'POST',
      body: {
        query: [1, 0, 0],
        using: 'v1',
        params: { exact: true },
        with_payload: ['id'],
        filter: {
          must: [
            { key: 'status', match: { any: ['searchable'] } },
            { key: 'tags', match: { any: [expect.stringMatching(/^s[0-9a-f]{32}$/)] } },
          ],
        },
      },
    });
    expect(words).toMatchObject({ body: { query: { indices: [expect.any(Number)], values: [1] }, using: 'words' } });
  });

  test('scores words as BM25 does', async () => {
    const store = await openQdrantStore({ client: connect(), collection: 'words', shape: SHAPE });
    await store.put([record]);
    const [hit] = await store.searchText({ text: 'wolf', k: 3 });
    // "wolf" twice in the passage's words (`wolf wolf drop`); one passage of one has it: rarity ln(1 + 0.5 / 1.5).
    const share = (2.5 * 2) / (2 + 1.5 * (1 - 0.75 + (0.75 * 3) / 100));
    expect(hit?.score).toBeCloseTo(share * Math.log(1 + 0.5 / 1.5), 12);
  });

  test('has no text of a passage in a path or in the name of a field', async () => {
    const texts = server.requests.flatMap(({ path, body }) => [path, ...namesIn(body)]);
    expect(texts.filter((text) => text.includes('DROP'))).toEqual([]);
  });
});

describe('a store in Qdrant', () => {
  test('is found again with its shape, and refuses another', async () => {
    const client = connect();
    await (await openQdrantStore({ client, collection: 'again', shape: SHAPE })).put([record]);
    const found = await openQdrantStore({ client, collection: 'again', shape: null });
    expect(found.shape).toEqual(SHAPE);
    expect(await found.count()).toBe(1);
    await expect(openQdrantStore({ client, collection: 'none', shape: null })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const other = openQdrantStore({ client, collection: 'again', shape: { ...SHAPE, similarity: 'dot' } });
    await expect(other).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
    await client.createCollection('foreign', { vectors: { v0: { size: 3, distance: 'Dot' } }, sparse_vectors: {} });
    const foreign = openQdrantStore({ client, collection: 'foreign', shape: SHAPE });
    await expect(foreign).rejects.toMatchObject({ code: 'SHAPE_MISMATCH', message: expect.stringContaining('not made by Bezoar') });
  });

  test('finds the dot products of a store of dot products', async () => {
    const store = await openQdrantStore({ client: connect(), collection: 'dot', shape: { ...SHAPE, similarity: 'dot' } });
    await store.put([record]);
    expect(await store.search({ name: 'passage', vector: Float32Array.of(2, 1, 0.5), k: 1 })).toEqual([{ id: hostile, score: 1.5 }]);
  });

  test('says in one sentence that nobody answers', async () => {
    const opening = openQdrantStore({ client: connect('http://127.0.0.1:9'), collection: 'c', shape: SHAPE });
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/^opening Qdrant failed: [^\n]+$/),
    });
  });

  test('says what the server says', async () => {
    const store = await openQdrantStore({ client: connect(), collection: 'deleted', shape: SHAPE });
    const client = connect();
    const broken = await openQdrantStore({
      client: Object.assign(client, { count: () => connect().count('nowhere') }),
      collection: 'deleted',
      shape: null,
    });
    expect(await store.count()).toBe(0);
    await expect(broken.count()).rejects.toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining("doesn't exist") });
  });
});

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}
