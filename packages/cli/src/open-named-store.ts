import { resolve } from 'node:path';
import type { StoreShape, VectorStore } from '@bezoar/core';
import { openStore } from '@bezoar/stores/open-store';
import type { Terminal } from './terminal.ts';

/** Stores whose URL ends in a path. */
const LOCAL = /^(pglite|lancedb|memory):(?!memory:$)(.+)$/s;

/** Opens the store that a URL names, paths from the user's folder; runs the work; closes the store whatever happened. */
export async function withStore<T>(
  url: string,
  shape: StoreShape | null,
  terminal: Terminal,
  work: (store: VectorStore) => Promise<T>,
): Promise<T> {
  const local = LOCAL.exec(url);
  const store = await openStore(local ? `${local[1]}:${resolve(terminal.cwd, local[2]!)}` : url, shape);
  try {
    const result = await work(store);
    await store.close();
    return result;
  } catch (error) {
    // What went wrong first is what the user must hear.
    await store.close().catch(() => undefined);
    throw error;
  }
}
