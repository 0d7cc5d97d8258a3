import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredPassage, StoreRecord, StoreShape } from '@bezoar/core';
import { createRandom } from '@bezoar/core/kernels/random';
import { createMemoryStore } from '@bezoar/core/stores/memory';
import { testStore } from '@bezoar/core/testing';
import { connect } from '@lancedb/lancedb';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type LanceDbStore, openLanceDbStore, wherePredicate } from './lancedb.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-lancedb-'));
let stores = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the conformance suite of a store', () => {
  testStore({
    test,
    skipTest: test.skip,
    create: (shape) => openLanceDbStore({ dir: join(folder, `${++stores}`), shape }),
    again: (store) => openLanceDbStore({ dir: join(folder, `${stores}`), shape: store.shape }),
  });
});

const SHAPE: StoreShape = { vectors: { passage: 8, 'fragment-0': 8 }, similarity: 'cosine', encoder: 'toy', settings: { fragments: 1 } };
const open = (dir = `${++stores}`, shape: StoreShape | null = SHAPE): Promise<LanceDbStore> =>
  openLanceDbStore({ dir: join(folder, dir), shape });

const recordOf = (id: string, vector: Float32Array, more: Partial<StoredPassage> = {}): StoreRecord => ({
  passage: {
    id,
    text: `text of ${id}`,
    contentHash: 'h',
    addedAt: '2026-11-21T00:00:00Z',
    runId: 'run',
    status: 'searchable',
    findings: [],
    ...more,
  },
  vectors: { passage: vector },
});

const random = createRandom(3);
const drawn = (): Float32Array => Float32Array.from({ length: 8 }, () => random.next() - 0.5);

describe('a store in LanceDB', () => {
  test('finds the same with and without its indexes, and after later changes', async () => {
    const store = await open();
    const records = Array.from({ length: 6000 }, (_, index) =>
      recordOf(`p${index}`, drawn(), { source: `s${index % 3}`, status: index % 10 === 0 ? 'quarantined' : 'searchable' }),
    );
    await store.put(records);
    const questions = Array.from({ length: 20 }, drawn);
    const ask = (exact: boolean) =>
      Promise.all(questions.map((vector) => store.search({ name: 'passage', vector, k: 10, exact, filter: { sources: ['s1'] } })));
    const before = await ask(true);
    await store.buildIndex();
    expect(await ask(true)).toEqual(before);
    const approximate = await ask(false);
    const found = approximate.flatMap((hits, index) => hits.filter(({ id }) => before[index]!.some((hit) => hit.id === id)));
    expect(found.length / 200).toBeGreaterThanOrEqual(0.95);
    // Approved, replaced and removed after the index was made.
    const [quarantined, replaced, removed] = ['p10', 'p11', 'p13'];
    const vector = questions[0]!;
    await store.setStatus([quarantined], 'searchable');
    await store.put([recordOf(replaced, vector), recordOf(quarantined, vector)]);
    await store.remove({ ids: [removed] });
    const hits = await store.search({ name: 'passage', vector, k: 2 });
    expect(hits.map(({ id }) => id)).toEqual([quarantined, replaced]);
    const [gone] = await store.search({ name: 'passage', vector: records[13]!.vectors.passage!, k: 1 });
    expect(gone!.id).not.toBe(removed);
    expect(await store.count({ status: 'any' })).toBe(5999);
    await store.close();
  });

  test('ranks by words although most passages are in no index', async () => {
    const store = await open();
    await store.put([recordOf('one', drawn(), { text: 'a wolf runs in the snow among many other words that say nothing of it' })]);
    expect(await store.searchText({ text: 'running', k: 3 })).toHaveLength(1);
    const many = Array.from({ length: 40 }, (_, index) => recordOf(`w${index}`, drawn(), { text: `${'wolf '.repeat(1 + index)}snow` }));
    await store.put(many);
    const [best] = await store.searchText({ text: 'wolf', k: 1 });
    const all = await store.searchText({ text: 'wolf', k: 50 });
    expect(all).toHaveLength(41);
    expect(best).toEqual(all[0]);
    expect(all.every(({ score }, index) => index === 0 || score <= all[index - 1]!.score)).toBe(true);
    await store.close();
  });

  test('puts the text of no passage into a predicate', () => {
    const constant =
      /^(status = '(searchable|quarantined)'|array_has\(tags, '[rm][0-9a-f]{32}'\)|array_has_any\(tags, make_array\('s[0-9a-f]{32}'(, 's[0-9a-f]{32}')*\)\)|false)$/;
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("'", "' OR '1'='1", "'); DROP TABLE x; --", '\\', '\u0000', '\ud800'),
    );
    const filter = fc.record(
      {
        status: fc.constantFrom('any' as const, 'searchable' as const, 'quarantined' as const),
        sources: fc.array(hostile, { maxLength: 3 }),
        runId: hostile,
        metadata: fc.dictionary(hostile, fc.oneof(hostile, fc.integer(), fc.constant(null))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filter, (given) => {
        const predicate = wherePredicate(given);
        expect(predicate === null ? [] : predicate.split(' AND ').filter((term) => !constant.test(term))).toEqual([]);
      }),
    );
    expect(wherePredicate({ status: 'any' })).toBeNull();
    expect(wherePredicate()).toBe("status = 'searchable'");
    expect(wherePredicate({ sources: [] })).toBe("status = 'searchable' AND false");
  });

  test('is found again with its shape, and refuses another', async () => {
    const store = await open('again');
    await store.put([recordOf('a', drawn())]);
    await store.close();
    const found = await open('again', null);
    expect(found.shape).toEqual(SHAPE);
    expect(await found.count()).toBe(1);
    await found.close();
    const other = open('again', { ...SHAPE, vectors: { passage: 9 } });
    await expect(other).rejects.toMatchObject({ code: 'SHAPE_MISMATCH' });
    await expect(open('nothing', null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is made once by six at once, and written by all', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => open('race')));
    const [a, b] = [recordOf('a', drawn()), recordOf('b', drawn())];
    await Promise.all(
      opened.flatMap((store, index) => [store.put([a, b, recordOf(`x${index}`, drawn())]), store.put([a, recordOf(`y${index}`, drawn())])]),
    );
    expect(await opened[0]!.count()).toBe(14);
    expect((await opened[5]!.fetch(['a', 'x0', 'y5'])).map((record) => record?.passage.id)).toEqual(['a', 'x0', 'y5']);
    for (const store of opened) await store.close();
  });

  test('takes a connection and leaves it open', async () => {
    const connection = await connect(join(folder, 'connection'));
    const store = await openLanceDbStore({ connection, shape: SHAPE });
    await store.close();
    expect(connection.isOpen()).toBe(true);
    connection.close();
    await expect(openLanceDbStore({ shape: SHAPE })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('takes the snapshot of another store, and gives one that it takes', async () => {
    const [memory, back, store] = [createMemoryStore(SHAPE), createMemoryStore(SHAPE), await open()];
    await memory.put(
      Array.from({ length: 30 }, (_, index) => recordOf(`p${index}`, drawn(), { status: index % 2 ? 'searchable' : 'quarantined' })),
    );
    await store.restore(memory.snapshot());
    expect(await store.count()).toBe(15);
    await back.restore(store.snapshot());
    const ids = ['p0', 'p1', 'p29'];
    expect(await back.fetch(ids, { vectors: ['passage'] })).toEqual(await memory.fetch(ids, { vectors: ['passage'] }));
    await store.close();
  });

  test('keeps what it had when a snapshot breaks off', async () => {
    const [store, target] = [await open(), await open()];
    await store.put(Array.from({ length: 30 }, (_, index) => recordOf(`p${index}`, drawn())));
    await target.put([recordOf('mine', drawn())]);
    const bytes: Uint8Array[] = [];
    for await (const piece of store.snapshot()) bytes.push(piece);
    const cut = async function* () {
      yield* bytes.slice(0, -1);
    };
    await expect(target.restore(cut())).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(await target.count()).toBe(1);
    expect((await target.fetch(['mine']))[0]?.passage.id).toBe('mine');
    await store.close();
    await target.close();
  });

  test('says in one sentence what the disk says', async () => {
    const store = await open('gone');
    rmSync(join(folder, 'gone'), { recursive: true });
    await expect(store.count()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/^counting in LanceDB failed: [^\n]+$/),
    });
  });
});

/** A writer in another process, killed somewhere in the middle. */
describe('a writer that is killed', () => {
  test('leaves all of each put or nothing of it', async () => {
    const dir = 'killed';
    await (await open(dir)).close();
    const program = `
      import { openLanceDbStore } from ${JSON.stringify(new URL('./lancedb.ts', import.meta.url).href)};
      const store = await openLanceDbStore({ dir: ${JSON.stringify(join(folder, dir))}, shape: null });
      for (let put = 0; ; put++) {
        const vectors = { passage: Float32Array.of(1, 2, 3, 4, 5, 6, 7, put) };
        const passage = { text: 't', contentHash: 'h', addedAt: 'now', runId: 'run' + put, status: 'searchable', findings: [] };
        await store.put(Array.from({ length: 500 }, (_, index) => ({ passage: { ...passage, id: put + '-' + index }, vectors })));
        console.log(put);
      }`;
    const file = join(folder, 'writer.mts');
    writeFileSync(file, program);
    const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (piece) => {
        said += String(piece);
        if (said.split('\n').length > 4) setTimeout(() => child.kill('SIGKILL'), 37);
      });
      child.on('exit', () => resolve());
    });
    const told = said.trim().split('\n').length;
    expect(told).toBeGreaterThanOrEqual(4);
    const store = await open(dir, null);
    const counts: number[] = [];
    for (let put = 0; put <= told + 1; put++) counts.push(await store.count({ runId: `run${put}` }));
    expect(counts.slice(0, told)).toEqual(Array.from({ length: told }, () => 500));
    expect(counts.filter((count) => count !== 0 && count !== 500)).toEqual([]);
    await store.put([recordOf('after', drawn())]);
    expect(await store.count()).toBe(counts.reduce((sum, count) => sum + count, 1));
    await store.close();
  });
});
