import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Passage } from '@bezoar/core';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { Queue, UnrecoverableError } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enqueueIngest, ingestWorker } from './ingest-queue.ts';
import { openStore } from './open-store.ts';

const named = process.env.BEZOAR_REDIS;
const hasBinary = spawnSync('redis-server', ['--version']).status === 0;
/** BullMQ loads it by name, and does not bring it. */
const hasClient = (() => {
  try {
    return createRequire(import.meta.url).resolve('ioredis') !== '';
  } catch {
    return false;
  }
})();
const hasRedis = (named !== undefined || hasBinary) && hasClient;
if (!hasRedis)
  console.warn(
    '\nSKIPPED: no redis-server (apt-get install redis-server, or BEZOAR_REDIS=redis://...) or no ioredis (npm install ioredis); the tests of the ingest queue are skipped\n',
  );

const folder = mkdtempSync(join(tmpdir(), 'bezoar-queue-'));
const passagesOf = (count: number): Passage[] =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index}`, text: `Passage ${index} of the harbour.`, source: `s${index % 3}` }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 600) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.skipIf(!hasRedis)('ingest by several machines', () => {
  let redis: ChildProcess | null = null;
  let connection: { host: string; port: number };
  const queues: Queue[] = [];
  let made = 0;
  const openQueue = (): Queue => {
    const queue = new Queue(`test-${process.pid}-${++made}`, { connection });
    queues.push(queue);
    return queue;
  };

  beforeAll(async () => {
    if (named !== undefined) {
      const { hostname, port } = new URL(named);
      connection = { host: hostname, port: Number(port || 6379) };
      return;
    }
    const port = await freePort();
    redis = spawn('redis-server', ['--port', `${port}`, '--save', '', '--dir', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    redis.stdout!.on('data', (piece) => {
      said += String(piece);
    });
    await until('Redis is ready', () => said.includes('Ready to accept connections'));
    connection = { host: '127.0.0.1', port };
  });

  afterAll(async () => {
    for (const queue of queues) {
      await queue.obliterate({ force: true });
      await queue.close();
    }
    redis?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('adds the same passages once, however often they are given', async () => {
    const queue = openQueue();
    const passages = passagesOf(250);
    expect(await enqueueIngest(queue, passages)).toEqual({ passages: 250, added: 3, known: 0, retried: 0 });
    expect(await enqueueIngest(queue, passages)).toEqual({ passages: 250, added: 0, known: 3, retried: 0 });
    const changed = passages.map((passage) => (passage.id === 'p249' ? { ...passage, text: 'other' } : passage));
    expect(await enqueueIngest(queue, changed)).toEqual({ passages: 250, added: 1, known: 2, retried: 0 });
    const decorated = passages.map((passage) => ({ unknown: 1, ...passage }));
    expect(await enqueueIngest(queue, decorated)).toMatchObject({ added: 0, known: 3 });
    expect(await enqueueIngest(queue, [])).toEqual({ passages: 0, added: 0, known: 0, retried: 0 });
    expect(await queue.getJobCounts('waiting')).toEqual({ waiting: 4 });
  });

  test('makes jobs of long passages smaller', async () => {
    const long = passagesOf(6).map((passage) => ({ ...passage, text: 'x'.repeat(400_000) }));
    expect(await enqueueIngest(openQueue(), long)).toMatchObject({ added: 2 });
  });

  test('tries a job again, and one that failed when it is given again', async () => {
    const queue = openQueue();
    const [errors, attempts]: [string[], number[]] = [[], []];
    let broken = true;
    const worker = await ingestWorker(
      connection,
      async (passages, { attempt }) => {
        attempts.push(attempt);
        if (passages[0]!.id === 'p0' && broken) throw new UnrecoverableError('the database is gone');
        if (attempt === 1 && passages[0]!.id === 'p100') throw new Error('for a moment');
      },
      { queue: queue.name, onError: ({ message }) => errors.push(message) },
    );
    const passages = passagesOf(200);
    await enqueueIngest(queue, passages);
    await until('one job is done and one failed', async () => {
      const { completed, failed } = await queue.getJobCounts('completed', 'failed');
      return completed === 1 && failed === 1;
    });
    expect(attempts).toEqual([1, 1, 2]);
    expect(errors).toEqual(['the database is gone', 'for a moment']);
    broken = false;
    expect(await enqueueIngest(queue, passages)).toEqual({ passages: 200, added: 0, known: 1, retried: 1 });
    await until('both are done', async () => (await queue.getJobCounts('completed')).completed === 2);
    await worker.close();
  });

  test('says in one sentence that Redis is away', async () => {
    const away = { getJob: () => Promise.reject(new Error('connect ECONNREFUSED')), addBulk: () => Promise.resolve([]) };
    await expect(enqueueIngest(away, passagesOf(1))).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: 'adding to the queue failed: connect ECONNREFUSED',
    });
  });

  test('loses and doubles nothing with two workers of which one is killed', { timeout: 120_000 }, async () => {
    const queue = openQueue();
    const db = await PGlite.create({ extensions: { vector } });
    const port = await freePort();
    const server = new PGLiteSocketServer({ db, port, maxConnections: 20 });
    await server.start();
    const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
    const shape = { vectors: { passage: 4 }, similarity: 'cosine' } as const;
    await (await openStore(url, shape)).close();

    const module = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    const program = join(folder, 'worker.mts');
    writeFileSync(
      program,
      `import { openStore } from ${module('./open-store.ts')};
       import { ingestWorker } from ${module('./ingest-queue.ts')};
       const store = await openStore(${JSON.stringify(url)}, null);
       let jobs = 0;
       await ingestWorker(${JSON.stringify(connection)}, async (passages, { id }) => {
         const records = passages.map((passage) => ({
           passage: { ...passage, contentHash: id, addedAt: '2026-11-21T00:00:00Z', runId: id, status: 'searchable', findings: [] },
           vectors: { passage: Float32Array.of(1, 2, 3, Number(passage.id.slice(1))) },
         }));
         if (process.argv[2] === 'dies' && ++jobs === 2) {
           await store.put(records.slice(0, 50));
           console.log('half');
           await new Promise((resolve) => setTimeout(resolve, 1e9));
         }
         await store.put(records);
         console.log('done');
       }, { queue: ${JSON.stringify(queue.name)}, lostAfterMs: 1000 });`,
    );
    const start = (fate: string): ChildProcess =>
      spawn(process.execPath, ['--import', 'tsx', program, fate], { stdio: ['ignore', 'pipe', 'inherit'] });

    const passages = passagesOf(2000);
    await enqueueIngest(queue, passages);
    const [dies, lives] = [start('dies'), start('lives')];
    const said = { dies: '', lives: '' };
    dies.stdout!.on('data', (piece) => {
      said.dies += String(piece);
      if (said.dies.includes('half')) dies.kill('SIGKILL');
    });
    lives.stdout!.on('data', (piece) => {
      said.lives += String(piece);
    });
    // The same batch a second time, while it is worked on.
    expect(await enqueueIngest(queue, passages)).toEqual({ passages: 2000, added: 0, known: 20, retried: 0 });
    await until('all jobs are done', async () => (await queue.getJobCounts('completed')).completed === 20);
    expect(said.dies).toBe('done\nhalf\n');
    // One done by the killed one, the one it began done again.
    expect(said.lives.trim().split('\n')).toHaveLength(19);
    expect(await enqueueIngest(queue, passages)).toMatchObject({ added: 0, known: 20 });

    const exited = new Promise((resolve) => lives.on('exit', resolve));
    lives.kill();
    await exited;
    const store = await openStore(url, null);
    const ids: string[] = [];
    for await (const { id } of store.list()) ids.push(id);
    expect(ids).toEqual(passages.map(({ id }) => id).sort());
    expect(await store.count({ status: 'any' })).toBe(2000);
    await store.close();
    await server.stop();
    await db.close();
  });
});
