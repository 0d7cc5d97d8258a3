import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { BezoarError, closestName, type StoreShape, type VectorStore } from '@bezoar/core';
import { checkSameShape, createMemoryStore, printable, readSnapshot } from '@bezoar/core/stores/memory';
import { openPgliteStore } from './pg/embedded.ts';
import { openPgStore, type PgPool } from './pg.ts';

/** What comes before the colon, and what after it. */
export const STORE_URLS: Readonly<Record<string, string>> = {
  'pglite:DIR': 'PostgreSQL with pgvector in this process, in a folder (pglite:memory: keeps nothing)',
  'postgres://USER:PASSWORD@HOST/DATABASE': 'a PostgreSQL server with pgvector',
  'lancedb:DIR': 'LanceDB in this process, in a folder; for a million passages and more',
  'memory:FILE': 'everything in memory, from and to one file (memory: keeps nothing)',
  'qdrant+http://HOST:PORT/COLLECTION': 'a Qdrant server',
  'elasticsearch+http://HOST:PORT/INDEX': 'an Elasticsearch server',
};

const SCHEMES = Object.keys(STORE_URLS).flatMap((url) => {
  const scheme = url.slice(0, url.indexOf(':'));
  return scheme === 'postgres' ? ['postgres', 'postgresql'] : scheme.endsWith('+http') ? [scheme, `${scheme}s`] : [scheme];
});

/**
 * The store that a URL names, as `STORE_URLS` lists them: opened where it is there, made where it is not. `close` closes what was opened for it,
 * and writes the file of `memory:FILE`, whole or not at all. `shape` null opens what is there and takes its shape.
 *
 * @throws {BezoarError} `UNKNOWN_NAME` for another scheme, `INVALID_OPTION` for a URL without a place, `NOT_FOUND` when nothing is there and
 *   `shape` is null, `MISSING_PEER` when the store's package is not installed, `SHAPE_MISMATCH`, `STORE_FAILED`.
 */
export async function openStore(url: string, shape: StoreShape | null): Promise<VectorStore> {
  const colon = url.indexOf(':');
  const scheme = url.slice(0, Math.max(0, colon));
  const place = url.slice(colon + 1);
  if (!SCHEMES.includes(scheme)) {
    const closest = closestName(colon < 0 ? url : scheme, SCHEMES);
    const hint = closest === null ? '' : `; did you mean "${closest}:"?`;
    throw new BezoarError(
      'UNKNOWN_NAME',
      `no store has a URL like "${printable(hidePassword(url), 80)}"${hint} There are: ${Object.keys(STORE_URLS).join(', ')}`,
    );
  }
  if (place === '' && scheme !== 'memory') {
    throw new BezoarError(
      'INVALID_OPTION',
      `"${scheme}:" names no place; write ${Object.keys(STORE_URLS).find((form) => form.startsWith(scheme))}`,
    );
  }
  switch (scheme) {
    case 'memory':
      return openMemoryFile(place, shape);
    case 'pglite':
      return openPgliteStore(place, shape);
    case 'lancedb': {
      const { openLanceDbStore } = await import('./lancedb.ts');
      return openLanceDbStore({ dir: place, shape });
    }
    case 'postgres':
    case 'postgresql':
      return openServer(url, shape);
    case 'qdrant+http':
    case 'qdrant+https': {
      const { server, name } = serverAndName(url);
      const { QdrantClient } = await peer('@qdrant/js-client-rest', () => import('@qdrant/js-client-rest'));
      const { openQdrantStore } = await import('./qdrant.ts');
      return openQdrantStore({ client: new QdrantClient({ url: server }), collection: name, shape });
    }
    default: {
      const { server, name } = serverAndName(url);
      const { Client } = await peer('@elastic/elasticsearch', () => import('@elastic/elasticsearch'));
      const { openElasticsearchStore } = await import('./elasticsearch.ts');
      const client = new Client({ node: server });
      const store = await openElasticsearchStore({ client, index: name, shape });
      return closing(store, () => client.close());
    }
  }
}

/** The store with something that is done after it was closed. */
const closing = (store: VectorStore, after: () => Promise<unknown>): VectorStore =>
  Object.freeze({
    ...store,
    close: async () => {
      await store.close();
      await after();
    },
  });

async function peer<T>(name: string, load: () => Promise<T>): Promise<T> {
  return load().catch((error: unknown) => {
    throw new BezoarError('MISSING_PEER', `this store needs a package: npm install ${name}`, { cause: error });
  });
}

async function openServer(url: string, shape: StoreShape | null): Promise<VectorStore> {
  const { default: pg } = await peer('pg', () => import('pg'));
  const pool = new pg.Pool({ connectionString: url });
  // An idle connection that the server ends is no error: the next one is opened when it is needed.
  pool.on('error', () => {});
  try {
    return closing(await openPgStore({ pool: pool as PgPool, shape }), () => pool.end());
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The server's URL and the last part of its path. */
function serverAndName(url: string): { server: string; name: string } {
  const parsed = URL.canParse(url.slice(url.indexOf('+') + 1)) ? new URL(url.slice(url.indexOf('+') + 1)) : null;
  const parts = parsed?.pathname.split('/').filter((part) => part !== '') ?? [];
  const name = parts.pop() ?? 'bezoar';
  if (parsed === null) throw new BezoarError('INVALID_OPTION', `"${printable(hidePassword(url), 80)}" is no URL of a server`);
  parsed.pathname = `/${parts.join('/')}`;
  return { server: parsed.href.replace(/\/$/, ''), name: decodeURIComponent(name) };
}

const hidePassword = (url: string): string => url.replace(/(:\/\/[^:@/]*:)[^@]*@/, '$1...@');

async function openMemoryFile(file: string, shape: StoreShape | null): Promise<VectorStore> {
  const fault = (doing: string, error: unknown): BezoarError => {
    const { code = '' } = error as { code?: string };
    const remedy =
      code === 'ENOSPC' ? 'the disk is full; make room and do it again' : `the system said ${code || printable(String(error), 200)}`;
    return new BezoarError('STORE_FAILED', `${doing} ${printable(file, 200)}: ${remedy}`, { cause: error });
  };
  const bytes =
    file === ''
      ? null
      : await readFile(file).catch((error: unknown) => {
          if ((error as { code?: string }).code === 'ENOENT') return null;
          throw fault('reading', error);
        });
  if (bytes === null && shape === null)
    throw new BezoarError('NOT_FOUND', `there is no store in ${printable(file, 200) || 'memory'}; make one with: bezoar index`);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    if (bytes !== null) yield bytes;
  };
  const there = bytes === null ? null : (await readSnapshot(pieces())).shape;
  if (there !== null && shape !== null) checkSameShape(there, shape);
  const store = createMemoryStore((there ?? shape)!);
  if (bytes !== null) await store.restore(pieces());
  if (file === '') return store;
  let changed = bytes === null;
  const changes =
    <A extends unknown[], R>(method: (...given: A) => Promise<R>): ((...given: A) => Promise<R>) =>
    (...given) => {
      changed = true;
      return method(...given);
    };
  return Object.freeze<VectorStore>({
    ...store,
    capabilities: { ...store.capabilities, persistent: true },
    put: changes(store.put),
    setStatus: changes(store.setStatus),
    remove: changes(store.remove),
    restore: changes(store.restore),
    async close() {
      if (changed) {
        const beside = `${file}.${process.pid}.writing`;
        try {
          await writeFile(beside, store.snapshot(), { flush: true });
          await rename(beside, file);
        } catch (error) {
          await rm(beside, { force: true });
          throw fault('writing', error);
        }
        changed = false;
      }
      await store.close();
    },
  });
}
