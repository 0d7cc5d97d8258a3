import { Worker } from 'node:worker_threads';
import type { Defense } from '@bezoar/core';
import type { ToWorker } from './bench-worker.ts';
import type { MeasuredCell } from './measure-cell.ts';
import { type BenchModels, createMeasurer, type MeasureOrder, type Scenario } from './measurer.ts';
import { type ThreadError, unpackError } from './thread-error.ts';

/** Who measures cells: this thread, or several at once. */
export interface WorkerPool {
  readonly size: number;
  /** Resolves when it is measured; orders of one pool are taken up in the order they were given. */
  measure(scenario: Scenario, order: MeasureOrder, defense?: Defense): Promise<MeasuredCell>;
  close(): Promise<void>;
}

/**
 * Threads that measure cells; with `size` 1, or run from TypeScript sources, which threads cannot load, this thread does it. Defenses that are
 * no SPEC cannot be sent to a thread and are measured here as well.
 */
export function createWorkerPool(size: number, models: BenchModels): WorkerPool {
  const here = createHere(models);
  if (size <= 1 || import.meta.url.endsWith('.ts')) return here;
  const idle: Thread[] = Array.from({ length: size }, () => new Thread(models));
  const threads = [...idle];
  const waiting: ((thread: Thread) => void)[] = [];
  const free = (thread: Thread): void => {
    const next = waiting.shift();
    if (next) next(thread);
    else idle.push(thread);
  };
  return {
    size,
    async measure(scenario, order, defense) {
      if (defense) return here.measure(scenario, order, defense);
      const thread = idle.shift() ?? (await new Promise<Thread>((resolve) => waiting.push(resolve)));
      try {
        return await thread.measure(scenario, order);
      } finally {
        free(thread);
      }
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function createHere(models: BenchModels): WorkerPool {
  const measurer = createMeasurer(models);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    size: 1,
    measure(scenario, order, defense) {
      const result = turn.then(() => {
        measurer.pools(scenario);
        return measurer.measure(order, defense);
      });
      turn = result.catch(() => undefined);
      return result;
    },
    close: async () => undefined,
  };
}

type Answer = { readonly measured: MeasuredCell } | { readonly error: ThreadError };

class Thread {
  readonly #worker: Worker;
  /** Scenarios that the thread was told of, newest last. */
  readonly #told: string[] = [];
  /** What ended the thread, e.g. that it ran out of memory: it answers no more. */
  #end: Error | null = null;

  constructor(models: BenchModels) {
    this.#worker = new Worker(new URL('./bench-worker.mjs', import.meta.url), { workerData: models });
    this.#worker.on('error', (error: Error) => {
      this.#end = error;
    });
  }

  measure(scenario: Scenario, order: MeasureOrder): Promise<MeasuredCell> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) {
        reject(this.#end);
        return;
      }
      const done = (settle: () => void): void => {
        this.#worker.off('message', answered);
        this.#worker.off('error', failed);
        settle();
      };
      const answered = (answer: Answer): void =>
        done(() => ('measured' in answer ? resolve(answer.measured) : reject(unpackError(answer.error))));
      const failed = (error: Error): void => done(() => reject(error));
      this.#worker.on('message', answered);
      this.#worker.on('error', failed);
      const send = (message: ToWorker): void => this.#worker.postMessage(message);
      // It forgets older scenarios, and orders come scenario by scenario.
      if (this.#told.at(-1) !== scenario.key) {
        this.#told.push(scenario.key);
        send({ type: 'pools', scenario });
      }
      send({ type: 'measure', order });
    });
  }

  close(): Promise<number> {
    return this.#worker.terminate();
  }
}
