import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BezoarError, type StoreRecord, type VectorStore } from '@bezoar/core';
import { createRandom } from '@bezoar/core/kernels/random';
import { testStore } from '@bezoar/core/testing';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openStore } from './open-store.ts';
import { openPgStore } from './pg.ts';

const live = process.env.BEZOAR_POSTGRES;
if (live === undefined) {
  console.warn(
    '\nSKIPPED: no PostgreSQL (export BEZOAR_POSTGRES="$(scripts/start-postgres.sh)"); its tests of the pg store are skipped and counted\n',
  );
}

const SLOW = 180_000;
let schemas = 0;
const nextSchema = (): string => `suite_${process.pid}_${schemas++}`;
const SHAPE = { vectors: { passage: 32, other: 32 }, similarity: 'cosine' } as const;

const recordOf = (id: string, runId = 'r'): StoreRecord => ({
  passage: {
    id,
    text: `Passage ${id} of the harbour. `.repeat(40),
    contentHash: id,
    addedAt: '2026-01-01T00:00:00Z',
    runId,
    status: 'searchable',
    findings: [],
  },
  vectors: { passage: Float32Array.from({ length: 32 }, (_, index) => index + id.length) },
});

async function refusal(running: Promise<unknown>): Promise<readonly [string, string]> {
  return running.then(
    () => ['none', ''] as const,
    (error: unknown) => (BezoarError.is(error) ? [error.code, error.message] : ['other', String(error)]),
  );
}

/** Starts the writer, kills it so many milliseconds after it said that so many puts were done, and says which were by then. */
function killedWriter(url: string, afterPuts: number, afterMs: number): Promise<Set<number>> {
  const script = fileURLToPath(new URL('./pg/put-until-killed.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const done = new Set<number>();
  child.stdout!.on('data', (chunk: Buffer) => {
    for (const [, round] of chunk.toString().matchAll(/put (\d+)/g)) done.add(Number(round));
    if (done.size >= afterPuts) setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  return new Promise((resolve) => child.on('close', () => resolve(done)));
}

/** Every put is there whole or not at all, and those it had said were done are there. */
async function expectWholePuts(store: VectorStore, done: ReadonlySet<number>): Promise<number> {
  let whole = 0;
  for (let round = 0; round < 10; round++) {
    const count = await store.count({ runId: `round-${round}`, status: 'any' });
    expect([0, 200]).toContain(count);
    if (done.has(round)) expect(count).toBe(200);
    whole += count / 200;
  }
  return whole;
}

const targets = [
  {
    name: 'PGlite over TCP',
    absent: false,
    async start() {
      const db = await PGlite.create('memory://', { extensions: { vector } });
      const probe = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => probe.once('listening', resolve));
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      const server = new PGLiteSocketServer({ db, port, maxConnections: 20 });
      await server.start();
      const stop = async (): Promise<void> => {
        await server.stop();
        await db.close();
      };
      return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
    },
  },
  {
    name: 'PostgreSQL, the server that BEZOAR_POSTGRES names,',
    absent: live === undefined,
    start: async () => ({ url: live!, stop: async () => {} }),
  },
];

for (const target of targets) {
  describe.skipIf(target.absent)(`pg on ${target.name}`, () => {
    let url = '';
    let stop = async (): Promise<void> => {};
    let pool: pg.Pool;
    let other: pg.Pool;
    beforeAll(async () => {
      ({ url, stop } = await target.start());
      [pool, other] = [0, 1].map(() => new pg.Pool({ connectionString: url, max: 4 })) as [pg.Pool, pg.Pool];
      for (const each of [pool, other]) each.on('error', () => {});
    }, SLOW);
    afterAll(async () => {
      const { rows } = await pool.query("select nspname as name from pg_namespace where nspname like 'suite_%' or nspname = 'bezoar'");
      for (const { name } of rows) await pool.query(`drop schema "${name}" cascade`);
      await Promise.all([pool.end(), other.end()]);
      await stop();
    }, SLOW);

    const schemaOf = new WeakMap<VectorStore, string>();
    testStore({
      test: (name, run) => test(name, run, SLOW),
      create: async (shape) => {
        const schema = nextSchema();
        const store = await openPgStore({ pool, shape, schema });
        schemaOf.set(store, schema);
        return store;
      },
      again: (store) => openPgStore({ pool: other, shape: null, schema: schemaOf.get(store)! }),
    });

    it('is made once by many that open it at the same time', { timeout: SLOW }, async () => {
      const schema = nextSchema();
      const stores = await Promise.all([pool, other, pool, other].map((each) => openPgStore({ pool: each, shape: SHAPE, schema })));
      await Promise.all(stores.map((store, index) => store.put([recordOf(`w${index}`), recordOf('shared')])));
      expect(await stores[0]!.count()).toBe(5);
    });

    it('leaves nothing of a put whose connection was lost, and goes on', { timeout: SLOW }, async () => {
      const schema = nextSchema();
      const { hostname, port } = new URL(url);
      const sockets = new Set<Socket>();
      let allowed = Number.POSITIVE_INFINITY;
      const proxy = createServer((inward) => {
        const outward = dial(Number(port), hostname);
        for (const [from, to] of [
          [inward, outward],
          [outward, inward],
        ] as const) {
          sockets.add(from);
          from.on('error', () => {}).on('close', () => to.destroy());
        }
        outward.pipe(inward);
        inward.on('data', (chunk) => {
          allowed -= chunk.length;
          if (allowed >= 0) outward.write(chunk);
          else for (const socket of sockets) socket.destroy();
        });
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => proxy.once('listening', resolve));
      const way = new URL(url);
      way.port = String((proxy.address() as AddressInfo).port);
      const through = new pg.Pool({ connectionString: way.href, max: 2 });
      through.on('error', () => {});
      const store = await openPgStore({ pool: through, shape: SHAPE, schema });
      await store.put([recordOf('before')]);
      const records = Array.from({ length: 1500 }, (_, index) => recordOf(`n${index}`));
      for (const bytes of [100_000, 1_500_000]) {
        allowed = bytes;
        const [code, message] = await refusal(store.put(records));
        expect(code).toBe('STORE_FAILED');
        expect(message).toMatch(/^writing passages: the connection to the database was lost and nothing of this was written/);
        allowed = Number.POSITIVE_INFINITY;
        expect(await store.count()).toBe(1);
      }
      await store.put(records);
      expect(await store.count()).toBe(1501);
      await through.end();
      proxy.close();
    });

    it('holds every put of a killed writer whole or not at all', { timeout: SLOW }, async () => {
      const random = createRandom(5);
      for (let round = 0; round < 3; round++) {
        await pool.query('drop schema if exists bezoar cascade');
        const done = await killedWriter(url, 1 + random.integer(6), random.integer(60));
        const store = await openPgStore({ pool, shape: SHAPE });
        const whole = await expectWholePuts(store, done);
        expect(whole).toBeGreaterThan(0);
        expect(whole).toBeLessThan(10);
        await store.put([recordOf('after')]);
        expect(await store.count({ runId: 'r' })).toBe(1);
      }
    });

    it('lets go of an aborted put', { timeout: SLOW }, async () => {
      const store = await openPgStore({ pool, shape: SHAPE, schema: nextSchema() });
      const abort = new AbortController();
      const running = store.put(
        Array.from({ length: 4000 }, (_, index) => recordOf(`n${index}`)),
        { signal: abort.signal },
      );
      setTimeout(() => abort.abort(), 30);
      expect((await refusal(running))[0]).toBe('ABORTED');
      expect(await store.count()).toBe(0);
    });

    it('finds by its index nearly what it finds exactly, and past filters', { timeout: SLOW }, async () => {
      const random = createRandom(7);
      const gaussian = (): Float32Array => Float32Array.from({ length: 32 }, () => random.next() + random.next() + random.next() - 1.5);
      const schema = nextSchema();
      // Of a few thousand short vectors the planner would rather look at all of them.
      const forced = new pg.Pool({ connectionString: url, max: 1 });
      forced.on('connect', (client) => void client.query('set enable_seqscan = off; set enable_sort = off; set enable_bitmapscan = off'));
      const store = await openPgStore({ pool: forced, shape: SHAPE, schema });
      const used = async (): Promise<number> => {
        await forced.query('select pg_stat_force_next_flush()');
        const uses = "select idx_scan::int4 as uses from pg_stat_all_indexes where schemaname = $1 and indexrelname = 'hnsw-passage'";
        return (await forced.query(uses, [schema])).rows[0].uses;
      };
      const records = Array.from({ length: 3000 }, (_, index): StoreRecord => {
        const { passage } = recordOf(`n${index}`);
        return { passage: { ...passage, text: 'x', source: index % 100 === 0 ? 'rare' : 'usual' }, vectors: { passage: gaussian() } };
      });
      await store.put(records);
      await store.buildIndex(['passage']);
      await store.buildIndex(['passage']);
      await pool.query('analyze');
      let found = 0;
      for (let query = 0; query < 20; query++) {
        const search = { name: 'passage', vector: gaussian(), k: 10 };
        const exact = new Set((await store.search({ ...search, exact: true })).map(({ id }) => id));
        const hits = await store.search(search);
        expect(hits).toHaveLength(10);
        found += hits.filter(({ id }) => exact.has(id)).length;
        expect(await store.search({ ...search, filter: { sources: ['rare'] } })).toHaveLength(10);
      }
      expect(found / 200).toBeGreaterThanOrEqual(0.9);
      expect(await used()).toBe(40);
      const nearest = { name: 'passage', vector: records[5]!.vectors.passage!, k: 1 };
      expect((await store.search(nearest))[0]?.id).toBe('n5');
      await store.setStatus(['n5'], 'quarantined');
      expect((await store.search(nearest))[0]?.id).not.toBe('n5');
      await store.setStatus(['n5'], 'searchable');
      expect((await store.search(nearest))[0]?.id).toBe('n5');
      expect(await used()).toBe(43);
      await store.put([{ ...recordOf('zero'), vectors: { passage: new Float32Array(32) } }]);
      const beyond = await store.search({ ...nearest, k: 4000 });
      expect(beyond).toHaveLength(3001);
      expect(beyond.find(({ id }) => id === 'zero')?.score).toBe(0);
      for (const setting of ['enable_seqscan', 'enable_sort', 'enable_bitmapscan']) await forced.query(`reset ${setting}`);
      await forced.end();
    });
  });
}

describe('pg in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bezoar-pglite-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('holds every put of a killed writer whole or not at all', { timeout: SLOW }, async () => {
    const random = createRandom(6);
    for (let round = 0; round < 2; round++) {
      const url = `pglite:${join(folder, `killed-${round}`)}`;
      const done = await killedWriter(url, 1 + random.integer(6), random.integer(60));
      const store = await openStore(url, null);
      const whole = await expectWholePuts(store, done);
      expect(whole).toBeGreaterThan(0);
      expect(whole).toBeLessThan(10);
      await store.put([recordOf('after')]);
      expect(await store.count({ runId: 'r' })).toBe(1);
      await store.close();
    }
  });

  it('is open in one process at a time', { timeout: SLOW }, async () => {
    const url = `pglite:${join(folder, 'one')}`;
    const store = await openStore(url, SHAPE);
    const [code, message] = await refusal(openStore(url, SHAPE));
    expect(code).toBe('STORE_FAILED');
    expect(message).toMatch(/process \d+ has it open; close it there, or give several processes a PostgreSQL server/);
    await store.close();
    await (await openStore(url, null)).close();
  });
});
