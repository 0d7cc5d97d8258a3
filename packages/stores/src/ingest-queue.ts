import { createHash } from 'node:crypto';
import { BezoarError, type Passage } from '@bezoar/core';
import type { ConnectionOptions, Queue } from 'bullmq';
import { attempt } from './documents/store-failure.ts';

/** The queue's name in Redis where nobody gives another. */
export const INGEST_QUEUE = 'bezoar-ingest';

/** Passages of one job: enough that Redis does not count, few enough that a killed worker loses a second's work. */
const PASSAGES = 100;
const CHARACTERS = 1_000_000;
/** Jobs asked about and added together. */
const JOBS_AT_ONCE = 50;
const TRIES = 5;
/** Times a job's worker may die before the job counts as what kills workers. */
const DEATHS = 5;
/** How long the name of a job that is done is remembered, in seconds: within it the same passages are known, after it the store knows them. */
const REMEMBERED = 24 * 3600;

/** What of the user's `Queue` is used. */
export type IngestQueue = Pick<Queue, 'addBulk' | 'getJob'>;

export interface EnqueueReport {
  readonly passages: number;
  /** Jobs that were not in the queue before. */
  readonly added: number;
  /** Jobs that wait, run or are done already. */
  readonly known: number;
  /** Jobs that had failed and are tried again. */
  readonly retried: number;
}

export interface IngestJob {
  /** SHA-256 of the passages in hex: the same at every try, so the run id of its ingest. */
  readonly id: string;
  /** Counts from 1. */
  readonly attempt: number;
}

export interface IngestWorkerSettings {
  /** Default `bezoar-ingest`. */
  readonly queue?: string;
  /** Jobs at once in this process. Default 1: the work is the processor's. */
  readonly concurrency?: number;
  /** Milliseconds after which a silent worker counts as dead and its job goes to another. Default 30,000. */
  readonly lostAfterMs?: number;
  /** Hears of jobs that failed and of a connection that is away (it comes back by itself). Default: nobody. */
  readonly onError?: (error: Error) => void;
}

export interface IngestWorker {
  /** Takes no new job, ends the one at hand, and leaves. */
  close(): Promise<void>;
}

/**
 * Puts passages into a queue for workers on any machine, a hundred a job. A job is named by the SHA-256 of its passages, so the same passages in the
 * same order are one job however often they are given; a job that had failed is tried again. An empty corpus adds nothing.
 *
 * @param queue - The user's own `new Queue(INGEST_QUEUE, { connection })` of `bullmq`; it is left open.
 * @throws {BezoarError} `STORE_FAILED` with what Redis says; jobs before that are in the queue, and doing it again adds the rest.
 */
export async function enqueueIngest(queue: IngestQueue, passages: Iterable<Passage> | AsyncIterable<Passage>): Promise<EnqueueReport> {
  const report = { passages: 0, added: 0, known: 0, retried: 0 };
  const options = {
    attempts: TRIES,
    backoff: { type: 'exponential', delay: 1000 },
    removeOnComplete: { age: REMEMBERED },
    removeOnFail: false,
  };
  const enqueue = (batches: readonly (readonly Passage[])[]): Promise<void> =>
    attempt('adding to the queue', async () => {
      const jobs = batches.map((batch) => ({ name: 'ingest', data: { passages: batch }, opts: { ...options, jobId: batchHash(batch) } }));
      const there = await Promise.all(jobs.map(({ opts }) => queue.getJob(opts.jobId)));
      const absent = jobs.filter((_, index) => there[index] === undefined);
      if (absent.length > 0) await queue.addBulk(absent);
      report.added += absent.length;
      for (const job of there) {
        if (job === undefined) continue;
        if (await job.isFailed()) {
          await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
          report.retried++;
        } else report.known++;
      }
    });

  let batches: Passage[][] = [];
  let batch: Passage[] = [];
  let characters = 0;
  for await (const passage of passages) {
    report.passages++;
    batch.push(passage);
    characters += passage.text.length;
    if (batch.length < PASSAGES && characters < CHARACTERS) continue;
    batches.push(batch);
    batch = [];
    characters = 0;
    if (batches.length < JOBS_AT_ONCE) continue;
    await enqueue(batches);
    batches = [];
  }
  if (batch.length > 0) batches.push(batch);
  if (batches.length > 0) await enqueue(batches);
  return report;
}

/**
 * Takes jobs of the queue one after another and gives their passages to `handle`, for example to `ingest` with the job's id as `runId` and one PostgreSQL
 * that all machines write to. A job whose handler throws is tried five times, longer apart each time; one whose worker was killed goes to another
 * worker. So every job is done at least once, and a second time only where a worker died between its last write and its last word: `handle` must
 * do nothing when it is given the same passages again, as `ingest` does.
 *
 * Rules over many passages (`near-duplicate-flood` and others) see a job's passages only; `rescan` of the store sees them all.
 *
 * @param connection - Where Redis is, as `bullmq` takes it: `{ host, port }` (needs the package `ioredis`), or a client with `maxRetriesPerRequest: null`.
 * @throws {BezoarError} `MISSING_PEER` without `bullmq`, `STORE_FAILED` where it has no client for Redis.
 */
export async function ingestWorker(
  connection: ConnectionOptions,
  handle: (passages: readonly Passage[], job: IngestJob) => Promise<unknown>,
  settings: IngestWorkerSettings = {},
): Promise<IngestWorker> {
  const { queue = INGEST_QUEUE, concurrency = 1, lostAfterMs = 30_000, onError = () => {} } = settings;
  const { Worker } = await import('bullmq').catch((cause: unknown) => {
    throw new BezoarError('MISSING_PEER', 'the ingest queue needs a package: npm install bullmq ioredis', { cause });
  });
  const worker = new Worker<{ passages: readonly Passage[] }>(
    queue,
    async (job) => {
      await handle(job.data.passages, { id: job.id!, attempt: job.attemptsMade + 1 });
    },
    { connection, concurrency, lockDuration: lostAfterMs, stalledInterval: lostAfterMs, maxStalledCount: DEATHS },
  );
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
  // Waits for a Redis that is away, and throws when there is no client for it.
  await attempt('connecting the ingest worker', () => worker.waitUntilReady());
  return { close: () => attempt('closing the worker', () => worker.close()) };
}

/** Of the fields that are ingested, in a fixed order: other properties of an object do not make it another job. */
function batchHash(passages: readonly Passage[]): string {
  const fields = passages.map(({ id, title, text, source, metadata }) => [id, title ?? null, text, source ?? null, metadata ?? null]);
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
