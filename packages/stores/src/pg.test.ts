import { BezoarError, type StoreRecord, type StoreShape, type VectorStore } from '@bezoar/core';
import { createRandom } from '@bezoar/core/kernels/random';
import { createMemoryStore } from '@bezoar/core/stores/memory';
import { testStore } from '@bezoar/core/testing';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openPgStore, type PgClient, type PgPool } from './pg.ts';

const SLOW = 120_000;
let schemas = 0;
const nextSchema = (): string => `suite_${process.pid}_${schemas++}`;
const SHAPE: StoreShape = { vectors: { passage: 2 }, similarity: 'cosine' };

const recordOf = (id: string, more: Partial<StoreRecord['passage']> = {}): StoreRecord => ({
  passage: { id, text: 'x', contentHash: 'h', addedAt: '2026', runId: 'r', status: 'searchable', findings: [], ...more },
  vectors: { passage: Float32Array.of(1, 2) },
});

const refusal = (running: Promise<unknown>): Promise<readonly [string, string]> =>
  running.then(
    () => ['none', ''] as const,
    (error: unknown) => (BezoarError.is(error) ? ([error.code, error.message] as const) : (['other', String(error)] as const)),
  );

describe('pg on PGlite in process', () => {
  let db: PGlite;
  let pool: pg.Pool;
  beforeAll(async () => {
    db = await PGlite.create('memory://', { extensions: { vector } });
    pool = new pg.Pool({ ...createPgConfig(db), max: 1 } as pg.PoolConfig);
  }, SLOW);
  afterAll(async () => {
    await pool.end();
    await db.close();
  });

  testStore({
    test: (name, run) => test(name, run, SLOW),
    create: (shape) => openPgStore({ pool, shape, schema: nextSchema() }),
  });

  /** The pool, with an error in place of the answer to what `fails` matches, as long as there are any; keeps what was asked. */
  const failing = (fails: RegExp, errors: object[]): { pool: PgPool; asked: string[] } => {
    const asked: string[] = [];
    const connect = async (): Promise<PgClient> => {
      const client = (await pool.connect()) as PgClient;
      const query: PgClient['query'] = async (text, values) => {
        asked.push(text.slice(0, 20));
        const error = fails.test(text) ? errors.shift() : undefined;
        if (error !== undefined) throw Object.assign(new Error('as the server said it'), error);
        return client.query(text, values);
      };
      return {
        query,
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    };
    return { pool: { connect }, asked };
  };

  it('ranks words with the scores of the core', { timeout: SLOW }, async () => {
    const random = createRandom(11);
    const vocabulary = 'harbour office bridge Halden opened year town Überfall 世界 x2 deep old the of'.split(' ');
    const sentence = (most: number): string =>
      Array.from({ length: random.integer(most) }, () => vocabulary[Math.floor(random.next() ** 2 * vocabulary.length)]).join(' ');
    const records = Array.from({ length: 120 }, (_, index) =>
      recordOf(`p${index}`, {
        text: sentence(30),
        ...(index % 4 === 0 ? { title: sentence(4) } : {}),
        source: `s${index % 3}`,
        status: index % 7 === 0 ? 'quarantined' : 'searchable',
      }),
    );
    const [inCore, inPg]: VectorStore[] = [createMemoryStore(SHAPE), await openPgStore({ pool, shape: SHAPE, schema: nextSchema() })];
    for (const store of [inCore!, inPg!]) await store.put(records);
    for (let query = 0; query < 40; query++) {
      const search = { text: sentence(8), k: [1, 5, 200][query % 3]! };
      for (const filter of [{}, { sources: ['s1'] }, { status: 'quarantined' }, { status: 'any', sources: ['s0', 's2'] }] as const) {
        const expected = await inCore!.searchText({ ...search, filter });
        const hits = await inPg!.searchText({ ...search, filter });
        expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const [rank, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[rank]!.score, 10);
      }
    }
  });

  it('writes nothing and says why when the disk is full', async () => {
    const schema = nextSchema();
    const store = await openPgStore({ pool, shape: SHAPE, schema });
    await store.put([recordOf('before')]);
    const full = failing(/^insert into/, [{ code: '53100' }]);
    const writer = await openPgStore({ pool: full.pool, shape: SHAPE, schema });
    expect(await refusal(writer.put([recordOf('after')]))).toEqual([
      'STORE_FAILED',
      'writing passages: the disk of the database is full and nothing of this was written; make room and do it again',
    ]);
    expect(full.asked.at(-1)).toBe('rollback');
    expect(await store.count()).toBe(1);
    await writer.put([recordOf('after')]);
    expect(await store.count()).toBe(2);
  });

  it('tries again what another transaction was in the way of, five times', async () => {
    const schema = nextSchema();
    await openPgStore({ pool, shape: SHAPE, schema });
    const inTheWay = Array.from({ length: 4 }, () => ({ code: '40P01' }));
    const store = await openPgStore({ pool: failing(/^insert/, inTheWay).pool, shape: SHAPE, schema });
    await store.put([recordOf('a')]);
    expect([await store.count(), inTheWay.length]).toEqual([1, 0]);
    const always = Array.from({ length: 9 }, () => ({ code: '40P01' }));
    const other = await openPgStore({ pool: failing(/^insert/, always).pool, shape: SHAPE, schema });
    expect((await refusal(other.put([recordOf('b')])))[0]).toBe('STORE_FAILED');
    expect(always).toHaveLength(4);
  });

  it('says what is missing without pgvector', { timeout: SLOW }, async () => {
    const bare = await PGlite.create('memory://');
    const plain = new pg.Pool({ ...createPgConfig(bare), max: 1 } as pg.PoolConfig);
    const [code, message] = await refusal(openPgStore({ pool: plain, shape: SHAPE }));
    expect(code).toBe('STORE_FAILED');
    expect(message).toMatch(/^opening the store: the database has no pgvector \(0.8 or later\); install it/);
    await plain.end();
    await bare.close();
  });

  it('opens what is there whatever its shape, and nothing else', async () => {
    const schema = nextSchema();
    expect(await refusal(openPgStore({ pool, shape: null, schema }))).toEqual([
      'NOT_FOUND',
      `the database has no store in schema "${schema}"; make one with: bezoar index`,
    ]);
    const shape: StoreShape = { vectors: { passage: 3, 'fragment-10': 2 }, similarity: 'dot', encoder: 'e\u0000', settings: { a: [1] } };
    await openPgStore({ pool, shape, schema });
    expect((await openPgStore({ pool, shape: null, schema })).shape).toEqual(shape);
    expect((await refusal(openPgStore({ pool, shape: { ...shape, vectors: { passage: 3 } }, schema })))[0]).toBe('SHAPE_MISMATCH');
    const wide = { vectors: { passage: 16_001 }, similarity: 'dot' } as const;
    expect((await refusal(openPgStore({ pool, shape: wide, schema: nextSchema() })))[0]).toBe('TOO_LARGE');
  });

  it('refuses what is no name, no number and no index', async () => {
    for (const bad of ['', 'A', '1a', 'a-b', 'a"b', 'a'.repeat(61)]) {
      expect((await refusal(openPgStore({ pool, shape: SHAPE, schema: bad })))[0]).toBe('INVALID_OPTION');
    }
    for (const efSearch of [0, 1001, 1.5]) {
      expect((await refusal(openPgStore({ pool, shape: SHAPE, efSearch })))[0]).toBe('INVALID_OPTION');
    }
    const wide = { vectors: { passage: 2001 }, similarity: 'dot' } as const;
    const store = await openPgStore({ pool, shape: wide, schema: nextSchema() });
    expect((await refusal(store.buildIndex()))[0]).toBe('TOO_LARGE');
    expect((await refusal(store.buildIndex(['other'])))[0]).toBe('INVALID_OPTION');
    expect((await refusal(store.setStatus([], 'gone' as 'searchable')))[0]).toBe('INVALID_OPTION');
    expect((await refusal(store.put([{ ...recordOf('x'.repeat(2001)), vectors: {} }])))[0]).toBe('BAD_INPUT');
    await store.put([{ ...recordOf('x'.repeat(2000)), vectors: {} }]);
  });

  it('takes texts of any size and keeps them out of the way of others', { timeout: SLOW }, async () => {
    const store = await openPgStore({ pool, shape: SHAPE, schema: nextSchema() });
    const many = Array.from({ length: 200_000 }, (_, index) => `w${index.toString(36)}`).join(' ');
    const records = [
      recordOf('many', { text: many }),
      recordOf('long', { text: 'y'.repeat(3_000_000) }),
      recordOf('usual', { text: 'w0 w1' }),
    ];
    await store.put(records);
    expect((await store.fetch(['many', 'long'])).map((record) => record?.passage.text.length)).toEqual([many.length, 3_000_000]);
    expect((await store.searchText({ text: 'w1', k: 5 })).map(({ id }) => id)).toEqual(['usual', 'many']);
    expect(await store.searchText({ text: 'y'.repeat(3_000_000), k: 5 })).toEqual([]);
  });

  it('keeps what was there when a restore breaks off', async () => {
    const store = await openPgStore({ pool, shape: SHAPE, schema: nextSchema() });
    await store.put([recordOf('kept')]);
    const pieces: Uint8Array[] = [];
    for await (const piece of store.snapshot()) pieces.push(piece);
    await store.put([recordOf('also')]);
    const cut = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces.slice(0, -1);
    };
    expect((await refusal(store.restore(cut())))[0]).toBe('BAD_INPUT');
    expect(await store.count()).toBe(2);
    const whole = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces;
    };
    await store.restore(whole());
    expect(await store.count()).toBe(1);
  });
});
