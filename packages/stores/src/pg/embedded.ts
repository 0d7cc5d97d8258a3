import { readFile, rm, writeFile } from 'node:fs/promises';
import { BezoarError, type StoreShape } from '@bezoar/core';
import { printable } from '@bezoar/core/stores/memory';
import { openPgStore, type PgPool, type PgStore, type PgStoreSettings } from '../pg.ts';
import { storeFault } from './store-fault.ts';

/**
 * A store in PGlite, PostgreSQL in this process, with pgvector: `dir` is a folder, or `memory:` for none. One process at a time may have a folder
 * open. `close` closes the database; without it the process may not exit.
 *
 * @throws {BezoarError} `MISSING_PEER` without `pg`, `@electric-sql/pglite` or `@electric-sql/pglite-pgvector`; as `openPgStore`.
 */
export async function openPgliteStore(
  dir: string,
  shape: StoreShape | null,
  settings: Omit<PgStoreSettings, 'pool' | 'shape'> = {},
): Promise<PgStore> {
  const [{ PGlite }, { createPgConfig }, { vector }, { default: pg }] = await peers();
  const unlock = dir === 'memory:' ? async () => {} : await lock(dir);
  const db = await PGlite.create(dir === 'memory:' ? 'memory://' : dir, { extensions: { vector } }).catch(async (error: unknown) => {
    await unlock();
    throw storeFault(error, `opening ${printable(dir, 200)}`);
  });
  // The configuration is made for `pg`, whose types do not know its connection.
  const pool = new pg.Pool({ ...createPgConfig(db), max: 1 } as ConstructorParameters<typeof pg.Pool>[0]);
  const close = async (): Promise<void> => {
    await pool.end();
    await db.close();
    await unlock();
  };
  try {
    const store = await openPgStore({ ...settings, pool: pool as PgPool, shape });
    return Object.freeze({ ...store, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Marks the folder as open by a file beside it with the number of this process: PGlite itself lets two processes write to one folder, which ends it.
 * The mark of a process that is gone counts for nothing.
 */
async function lock(dir: string): Promise<() => Promise<void>> {
  const file = `${dir.replace(/[\\/]+$/, '')}.lock`;
  const mark = (): Promise<void> => writeFile(file, String(process.pid), { flag: 'wx' });
  await mark().catch(async (error: unknown) => {
    if ((error as { code?: string }).code !== 'EEXIST') throw storeFault(error, `opening ${printable(dir, 200)}`);
    const holder = Number(await readFile(file, 'utf8'));
    if (isRunning(holder)) {
      throw new BezoarError(
        'STORE_FAILED',
        `opening ${printable(dir, 200)}: process ${holder} has it open; close it there, or give several processes a PostgreSQL server (postgres://...)`,
      );
    }
    await rm(file, { force: true });
    await mark();
  });
  return () => rm(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // It runs and belongs to somebody else.
    return (error as { code?: string }).code === 'EPERM';
  }
}

const peers = () =>
  Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/node-postgres'),
    import('@electric-sql/pglite-pgvector'),
    import('pg'),
  ]).catch((error: unknown) => {
    throw new BezoarError(
      'MISSING_PEER',
      'an embedded store needs three packages: npm install pg @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15',
      { cause: error },
    );
  });
