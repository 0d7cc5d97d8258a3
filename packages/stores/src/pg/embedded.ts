import { BezoarError, type StoreShape } from '@bezoar/core';
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
  const db = await PGlite.create(dir === 'memory:' ? 'memory://' : dir, { extensions: { vector } }).catch((error: unknown) => {
    throw storeFault(error, `opening ${dir}`);
  });
  // The configuration is made for `pg`, whose types do not know its connection.
  const pool = new pg.Pool({ ...createPgConfig(db), max: 1 } as ConstructorParameters<typeof pg.Pool>[0]);
  const close = async (): Promise<void> => {
    await pool.end();
    await db.close();
  };
  try {
    const store = await openPgStore({ ...settings, pool: pool as PgPool, shape });
    return Object.freeze({ ...store, close });
  } catch (error) {
    await close();
    throw error;
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
