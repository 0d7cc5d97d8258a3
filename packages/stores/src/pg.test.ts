import { testStore } from '@bezoar/core/testing';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { vector } from '@electric-sql/pglite-pgvector';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openPgStore } from './pg.ts';

let schemas = 0;
const nextSchema = (): string => `suite_${process.pid}_${schemas++}`;

describe('pg on PGlite in process meets the promises of a store', () => {
  let db: PGlite;
  let pool: pg.Pool;
  beforeAll(async () => {
    db = await PGlite.create('memory://', { extensions: { vector } });
    pool = new pg.Pool({ ...createPgConfig(db), max: 1 } as pg.PoolConfig);
  }, 120_000);
  afterAll(async () => {
    await pool.end();
    await db.close();
  });
  testStore({
    test: (name, run) => test(name, run, 120_000),
    create: (shape) => openPgStore({ pool, shape, schema: nextSchema() }),
  });
});
