import { describe, expect, it, test } from 'vitest';
import type { StoreRecord, StoreShape, VectorStore } from '../core/store-port.ts';
import { BezoarError } from '../errors.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { type StoreProperty, type StoreSuite, testStore } from './test-store.ts';

type Break = (store: VectorStore, shape: StoreShape) => Partial<VectorStore>;

/** The properties that a store fails, with the message of each. */
async function failures(change: Break, more: Partial<StoreSuite> = {}): Promise<Map<string, string>> {
  const runs: [string, () => Promise<void>][] = [];
  const create = async (shape: StoreShape): Promise<VectorStore> => {
    const store = createMemoryStore(shape);
    return { ...store, ...change(store, shape) };
  };
  testStore({ test: (name, run) => void runs.push([name, run]), create, ...more });
  const failed = new Map<string, string>();
  for (const [name, run] of runs) await run().catch((error: unknown) => failed.set(name, String(error)));
  return failed;
}

const changed = (records: readonly StoreRecord[], change: (passage: StoreRecord['passage']) => object): StoreRecord[] =>
  records.map(({ passage, vectors }) => ({ passage: { ...passage, ...change(passage) } as StoreRecord['passage'], vectors }));

/** Ways a store could be wrong, and the property that says so first; the breaks are of one promise each. */
const BROKEN: readonly (readonly [what: string, property: StoreProperty, change: Break])[] = [
  [
    'fetches in its own order',
    'fetches what was put, in the order asked for',
    (s) => ({ fetch: async (ids, o) => s.fetch([...ids].sort(), o) }),
  ],
  [
    'makes up an empty vector',
    'keeps records that lack a named vector',
    (s, shape) => ({
      put: (records, o) =>
        s.put(
          records.map(({ passage, vectors }) => ({
            passage,
            vectors: {
              ...Object.fromEntries(Object.entries(shape.vectors).map(([name, length]) => [name, new Float32Array(length)])),
              ...vectors,
            },
          })),
          o,
        ),
    }),
  ],
  [
    'keeps the first of an id',
    'replaces a passage whose id is put again',
    (s) => ({
      put: async (records, o) => {
        const there = await s.fetch(records.map(({ passage }) => passage.id));
        await s.put(
          records.filter((_, index) => there[index] === null),
          o,
        );
      },
    }),
  ],
  [
    'hands out what it keeps',
    'is not changed by what its callers do later',
    (s) => {
      const kept = new Map<string, StoreRecord>();
      return {
        put: async (records, o) => {
          await s.put(records, o);
          for (const record of records) kept.set(record.passage.id, record);
        },
        fetch: async (ids) => ids.map((id) => kept.get(id) ?? null),
      };
    },
  ],
  [
    'finds one too few',
    'finds exactly what a look at every passage finds',
    (s) => ({ search: async (q) => (await s.search(q)).slice(0, 100) }),
  ],
  [
    'leaves the filter to an exact search',
    'finds by its index only what matches',
    (s) => ({
      search: ({ filter, ...q }) => s.search({ ...q, ...(filter && q.exact ? { filter } : {}) }),
    }),
  ],
  [
    'orders equal scores as they came',
    'orders equal scores by id',
    (s) => ({
      search: async (q) => [...(await s.search({ ...q, k: 99 }))].sort((a, b) => b.score - a.score || (a.id > b.id ? -1 : 1)).slice(0, q.k),
    }),
  ],
  [
    'scores a zero vector as 1',
    'gives a zero vector the score 0',
    (s) => ({
      search: async (q) => (await s.search(q)).map(({ id, score }) => ({ id, score: score === 0 ? 1 : score })),
    }),
  ],
  [
    'ignores metadata',
    'filters by status, source, run and metadata',
    (s) => ({
      count: ({ metadata: _, ...filter } = {}) => s.count(filter),
    }),
  ],
  [
    'finds what is quarantined by its words',
    'finds no quarantined passage until it is approved',
    (s) => ({
      searchText: (q) => s.searchText({ ...q, filter: { status: 'any', ...q.filter } }),
    }),
  ],
  [
    'finds an approved passage only after another write',
    'finds no quarantined passage until it is approved',
    (s) => {
      let late: readonly string[] = [];
      return {
        setStatus: async (ids) => {
          late = ids;
          return (await s.fetch([...new Set(ids)])).filter((record) => record !== null).length;
        },
        put: async (records, o) => {
          await s.setStatus(late, 'searchable');
          await s.put(records, o);
        },
      };
    },
  ],
  [
    'finds everything for no words',
    'finds passages by their words',
    (s) => ({
      searchText: async (q) =>
        q.text.trim() === '' ? s.search({ name: 'passage', vector: Float32Array.of(1, 0, 0, 0), k: q.k }) : s.searchText(q),
    }),
  ],
  [
    'counts what it was asked to remove',
    'removes by id and by run',
    (s) => ({
      remove: async (which) => {
        const removed = await s.remove(which);
        return 'ids' in which ? which.ids.length : removed;
      },
    }),
  ],
  [
    'lists up to a hundred',
    'lists every passage once, by id, and counts the same',
    (s) => ({
      async *list(filter) {
        let left = 100;
        for await (const passage of s.list(filter)) if (left-- > 0) yield passage;
      },
    }),
  ],
  [
    'cuts texts at a zero',
    'keeps hostile content as it is or refuses it',
    (s) => ({
      put: (records, o) =>
        s.put(
          changed(records, ({ text }) => ({ text: String(text).split('\u0000')[0] })),
          o,
        ),
    }),
  ],
  [
    'loses unpaired surrogates',
    'keeps hostile content as it is or refuses it',
    (s) => ({
      put: (records, o) =>
        s.put(
          changed(records, ({ text }) => ({ text: String(text).toWellFormed() })),
          o,
        ),
    }),
  ],
  [
    'refuses hostile content with another error',
    'keeps hostile content as it is or refuses it',
    (s) => ({
      put: async (records, o) => {
        if (records.some(({ passage }) => passage.id.includes('\u0000'))) throw new Error('invalid byte sequence');
        await s.put(records, o);
      },
    }),
  ],
  [
    'pads vectors',
    'refuses vectors of another length or name',
    (s, shape) => ({
      search: (q) => {
        const vector = new Float32Array(shape.vectors[q.name] ?? 0);
        vector.set(q.vector.subarray(0, vector.length));
        return s.search({ ...q, vector });
      },
    }),
  ],
  [
    'takes infinity for a number',
    'refuses vectors that are not finite',
    (s) => ({
      search: (q) => s.search({ ...q, vector: q.vector.map((value) => (Number.isFinite(value) ? value : 0)) }),
    }),
  ],
  ['rounds k', 'refuses a k that is none', (s) => ({ search: (q) => s.search({ ...q, k: Math.max(0, Math.floor(q.k || 0)) }) })],
  [
    'writes up to the first bad record',
    'writes nothing of a put that it refuses',
    (s) => ({
      put: async (records, o) => {
        for (const record of records) await s.put([record], o);
        await s.put([], o);
      },
    }),
  ],
  ['does not look at the signal', 'stops when the signal has fired', (s) => ({ put: (records) => s.put(records) })],
  ['has something from the start', 'answers when it is empty', (s) => ({ count: async (filter) => (await s.count(filter)) || 1 })],
  [
    'restores the first half',
    'restores a snapshot',
    (s) => ({
      restore: async (pieces) => {
        await s.restore(pieces);
        const ids: string[] = [];
        for await (const { id } of s.list({ status: 'any' })) ids.push(id);
        await s.remove({ ids: ids.slice(30) });
      },
    }),
  ],
  [
    'restores anything',
    'refuses a snapshot that is not of its shape or not whole',
    (s) => ({
      restore: (pieces) => s.restore(pieces).catch(() => {}),
    }),
  ],
  [
    'loses what two write at once',
    'takes two writers at once',
    (s) => {
      let kept: StoreRecord[] = [];
      return {
        put: async (records, o) => {
          const before = kept;
          await Promise.resolve();
          kept = [...before, ...records];
          await s.remove({ runId: 'run-1' });
          await s.put(kept, o);
        },
      };
    },
  ],
];

describe('testStore', () => {
  it('passes a store that keeps its promises, whatever the seed', async () => {
    for (const seed of [1, 2, 3]) expect(await failures(() => ({}), { seed })).toEqual(new Map());
  });

  test.each(BROKEN)('catches a store that %s', async (_, property, change) => {
    expect(Array.from((await failures(change)).keys())).toContain(property);
  });

  it('takes a store that refuses what it cannot keep', async () => {
    const careful: Break = (s) => ({
      put: async (records, o) => {
        for (const { passage } of records) {
          if (passage.id.includes('\u0000')) throw new BezoarError('BAD_INPUT', 'an id has a zero');
        }
        await s.put(records, o);
      },
    });
    expect(await failures(careful)).toEqual(new Map());
  });

  it('skips by name and counts what it skips', () => {
    const names: string[] = [];
    const skipped: string[] = [];
    testStore({
      test: (name) => void names.push(name),
      skipTest: (name) => void skipped.push(name),
      create: async (shape) => createMemoryStore(shape),
      skip: { 'restores a snapshot': 'it has none' },
    });
    expect(skipped).toEqual(['restores a snapshot (it has none)']);
    expect(names).not.toContain('restores a snapshot');
    expect(names.length).toBe(22);
  });

  it('closes what it opens', async () => {
    let open = 0;
    const counting = async (shape: StoreShape): Promise<VectorStore> => {
      const store = createMemoryStore(shape);
      open++;
      return {
        ...store,
        close: async () => {
          open--;
          await store.close();
        },
      };
    };
    const runs: (() => Promise<void>)[] = [];
    testStore({ test: (_, run) => void runs.push(run), create: counting, again: (store) => counting(store.shape) });
    for (const run of runs) await run().catch(() => {});
    expect(open).toBe(0);
  });
});
