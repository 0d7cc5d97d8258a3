import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BezoarError, type StoreRecord, type StoreShape } from '@bezoar/core';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore, STORE_URLS } from './open-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-open-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

const shape: StoreShape = { vectors: { passage: 3 }, similarity: 'cosine', encoder: 'toy', settings: { fragments: 5 } };
const record = (id: string): StoreRecord => ({
  passage: { id, text: `text of ${id}`, contentHash: 'h', addedAt: '2026-01-01T00:00:00Z', runId: 'r', status: 'searchable', findings: [] },
  vectors: { passage: Float32Array.of(1, 2, 3) },
});
const refusal = (running: Promise<unknown>): Promise<[string, string]> =>
  running.then(
    () => ['none', ''],
    (error: unknown) => (BezoarError.is(error) ? [error.code, error.message] : ['other', String(error)]),
  );

describe('openStore', () => {
  for (const scheme of ['memory', 'pglite', 'lancedb']) {
    it(`keeps what was put in ${scheme} and finds its shape again`, { timeout: 120_000 }, async () => {
      const url = `${scheme}:${join(folder, `kept.${scheme}`)}`;
      expect((await refusal(openStore(url, null)))[0]).toBe('NOT_FOUND');
      const store = await openStore(url, shape);
      expect(store.capabilities.persistent).toBe(true);
      await store.put([record('a'), record('b')]);
      await store.close();
      const again = await openStore(url, null);
      expect(again.shape).toEqual(shape);
      expect(await again.search({ name: 'passage', vector: Float32Array.of(1, 2, 3), k: 5, exact: true })).toHaveLength(2);
      expect((await again.fetch(['b'], { vectors: ['passage'] }))[0]?.vectors.passage).toEqual(Float32Array.of(1, 2, 3));
      expect(await again.remove({ ids: ['a'] })).toBe(1);
      await again.close();
      for (const other of [
        { ...shape, vectors: { passage: 4 } },
        { ...shape, similarity: 'dot' as const },
        { ...shape, encoder: 'other' },
      ]) {
        expect((await refusal(openStore(url, other)))[0]).toBe('SHAPE_MISMATCH');
      }
      const third = await openStore(url, shape);
      expect(await third.count()).toBe(1);
      await third.close();
    });
  }

  it('keeps nothing without a file', async () => {
    const store = await openStore('memory:', shape);
    await store.put([record('a')]);
    expect(store.capabilities.persistent).toBe(false);
    await store.close();
    expect((await refusal(openStore('memory:', null)))[0]).toBe('NOT_FOUND');
  });

  it('writes a memory file whole or not at all, and only after a change', async () => {
    const file = join(folder, 'atomic.bezoar');
    const store = await openStore(`memory:${file}`, shape);
    await store.put([record('a')]);
    await store.close();
    const before = readFileSync(file);
    const unchanged = await openStore(`memory:${file}`, null);
    rmSync(file);
    await unchanged.close();
    expect(readdirSync(folder).filter((name) => name.startsWith('atomic'))).toEqual([]);
    writeFileSync(file, before.subarray(0, -4));
    expect((await refusal(openStore(`memory:${file}`, null)))[0]).toBe('BAD_INPUT');
    const nowhere = await openStore(`memory:${join(folder, 'none', 'x')}`, shape);
    expect((await refusal(nowhere.close()))[0]).toBe('STORE_FAILED');
    expect((await refusal(openStore(`memory:${folder}`, null)))[0]).toBe('STORE_FAILED');
  });

  it('names the closest scheme', async () => {
    const [code, message] = await refusal(openStore('pglit:dir', shape));
    expect(code).toBe('UNKNOWN_NAME');
    expect(message).toContain('did you mean "pglite:"?');
    for (const form of Object.keys(STORE_URLS)) expect(message).toContain(form);
    expect((await refusal(openStore('postgers://me:secret@host/db', shape)))[1]).toMatch(
      /"postgers:\/\/me:\.\.\.@host\/db"; did you mean "postgres:"/,
    );
    expect((await refusal(openStore('', shape)))[0]).toBe('UNKNOWN_NAME');
    expect((await refusal(openStore('/a/folder', shape)))[0]).toBe('UNKNOWN_NAME');
    expect(await refusal(openStore('pglite:', shape))).toEqual(['INVALID_OPTION', '"pglite:" names no place; write pglite:DIR']);
    expect((await refusal(openStore('qdrant+http:', shape)))[0]).toBe('INVALID_OPTION');
  });

  it('says in one sentence that nobody answers', { timeout: 60_000 }, async () => {
    for (const url of ['postgres://me:secret@127.0.0.1:1/db', 'qdrant+http://127.0.0.1:1/c', 'elasticsearch+http://127.0.0.1:1/i']) {
      const [code, message] = await refusal(openStore(url, shape));
      expect([url, code]).toEqual([url, 'STORE_FAILED']);
      expect(message).not.toContain('secret');
      expect(message.length).toBeLessThan(400);
    }
  });
});
