import type { StoredPassage, StoreFilter, StoreHit, StoreRecord, StoreShape, VectorStore } from '../core/store-port.ts';
import { BezoarError } from '../errors.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { createRandom } from '../kernels/random.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { HOSTILE_TEXTS } from './test-defense.ts';

/** What the suite checks, by name; a store that cannot meet one lists it in `skip` with the reason. */
const PROPERTIES = [
  'fetches what was put, in the order asked for',
  'keeps records that lack a named vector',
  'replaces a passage whose id is put again',
  'is not changed by what its callers do later',
  'finds exactly what a look at every passage finds',
  'finds by its index only what matches',
  'orders equal scores by id',
  'gives a zero vector the score 0',
  'filters by status, source, run and metadata',
  'finds no quarantined passage until it is approved',
  'finds passages by their words',
  'removes by id and by run',
  'lists every passage once, by id, and counts the same',
  'keeps hostile content as it is or refuses it',
  'refuses vectors of another length or name',
  'refuses vectors that are not finite',
  'refuses a k that is none',
  'writes nothing of a put that it refuses',
  'stops when the signal has fired',
  'answers when it is empty',
  'restores a snapshot',
  'refuses a snapshot that is not of its shape or not whole',
  'takes two writers at once',
] as const;

export type StoreProperty = (typeof PROPERTIES)[number];

export interface StoreSuite {
  /** The test runner's own `test(name, run)`: vitest, node:test and others fit. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  /** Registers a test that is skipped, so that it is counted. */
  readonly skipTest?: (name: string) => void;
  /** An empty store of that shape, with nothing in common with those made before. The suite closes it. */
  readonly create: (shape: StoreShape) => Promise<VectorStore>;
  /** A second writer to the same place, where there is such a thing; the suite closes it too. Default: the same store. */
  readonly again?: (store: VectorStore) => Promise<VectorStore>;
  readonly seed?: number;
  readonly skip?: Partial<Record<StoreProperty, string>>;
}

const SHAPE: StoreShape = { vectors: { passage: 4, 'fragment-0': 3 }, similarity: 'cosine', encoder: 'toy', settings: { fragments: 1 } };

/** Ids, titles, sources and keys as an attacker would choose them, beside the texts that broke programs. */
const HOSTILE_NAMES: readonly string[] = [
  "'; drop table passages; --",
  'a"b\'c`d\\e$1%s{}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '',
  ' ',
  'nul\u0000inside',
  'lone \ud800 surrogate',
  'escape\uffff0000',
  '\u{1f469}\u200d\u{1f4bb}',
  'e\u0301 and \u00e9',
  '*',
  'long'.repeat(400),
];

/** The public conformance suite of a store: every promise of `VectorStore`. Throws through the given `test`. */
export function testStore(suite: StoreSuite): void {
  const { seed = 1, skip = {} } = suite;
  const withStore = async (run: (store: VectorStore) => Promise<void>, shape = SHAPE): Promise<void> => {
    const store = await suite.create(shape);
    try {
      await run(store);
    } finally {
      await store.close();
    }
  };
  const checks: Record<StoreProperty, () => Promise<void>> = {
    'fetches what was put, in the order asked for': () =>
      withStore(async (store) => {
        const records = [
          recordOf('b', [1, 2, 3, 4], {
            title: 'T',
            source: 's',
            metadata: { n: 1, deep: { list: [1, null, 'x'] } },
            status: 'quarantined',
          }),
          recordOf('a', [0.1, -0.2, 1e-8, 3e5], { findings: [{ rule: 'r', at: 3 }] }),
        ];
        await store.put(records);
        const fetched = await store.fetch(['a', 'none', 'b', 'a'], { vectors: ['passage'] });
        equal(fetched.map(plainRecord), [records[1], null, records[0], records[1]].map(plainRecord), 'records');
        equal(Object.keys((await store.fetch(['a']))[0]!.vectors), [], 'vectors that nobody asked for');
        await refuses(store.fetch(['a'], { vectors: ['other'] }), 'SHAPE_MISMATCH');
        equal(await store.fetch([]), [], 'nothing');
        equal([store.shape.vectors, store.shape.similarity], [SHAPE.vectors, SHAPE.similarity], 'the shape');
      }),
    'keeps records that lack a named vector': () =>
      withStore(async (store) => {
        const both = recordOf('both', [1, 0, 0, 0]);
        await store.put([
          { ...both, vectors: { ...both.vectors, 'fragment-0': Float32Array.of(1, 1, 0) } },
          recordOf('one', [1, 0, 0, 0]),
          { passage: recordOf('none', [0, 0, 0, 0]).passage, vectors: {} },
        ]);
        equal(idsOf(await store.search({ name: 'passage', vector: unit(4), k: 9, exact: true })), ['both', 'one'], 'by the passage');
        equal(idsOf(await store.search({ name: 'fragment-0', vector: unit(3), k: 9, exact: true })), ['both'], 'by the fragment');
        const fetched = await store.fetch(['both', 'one', 'none'], { vectors: ['passage', 'fragment-0'] });
        equal(
          fetched.map((record) => Object.keys(record!.vectors).sort()),
          [['fragment-0', 'passage'], ['passage'], []],
          'vectors',
        );
        equal(await store.count(), 3, 'passages');
      }),
    'replaces a passage whose id is put again': () =>
      withStore(async (store) => {
        await store.put([{ ...recordOf('a', [1, 0, 0, 0], { text: 'old words' }), vectors: bothVectors() }]);
        await store.put([recordOf('a', [0, 1, 0, 0], { text: 'first copy' }), recordOf('a', [0, 0, 1, 0], { text: 'new words' })]);
        const [record] = await store.fetch(['a'], { vectors: ['passage', 'fragment-0'] });
        equal(plainRecord(record ?? null), plainRecord(recordOf('a', [0, 0, 1, 0], { text: 'new words' })), 'the last one');
        equal(await store.count({ status: 'any' }), 1, 'passages');
        equal(idsOf(await store.search({ name: 'fragment-0', vector: unit(3), k: 9 })), [], 'by the fragment that is gone');
        equal(idsOf(await store.searchText({ text: 'old', k: 9 })), [], 'by the old words');
        equal(idsOf(await store.searchText({ text: 'new', k: 9 })), ['a'], 'by the new words');
      }),
    'is not changed by what its callers do later': () =>
      withStore(async (store) => {
        const record = recordOf('a', [1, 0, 0, 0], { metadata: { key: 'as put' } });
        const before = plainRecord(record);
        await store.put([record]);
        equal(plainRecord(record), before, 'what was put');
        record.vectors.passage!.fill(7);
        (record.passage.metadata as Record<string, JsonValue>).key = 'changed';
        const [fetched] = await store.fetch(['a'], { vectors: ['passage'] });
        equal(plainRecord(fetched ?? null), before, 'after what was put changed');
        fetched!.vectors.passage!.fill(7);
        equal(plainRecord((await store.fetch(['a'], { vectors: ['passage'] }))[0]!), before, 'after what was fetched changed');
      }),
    'finds exactly what a look at every passage finds': async () => {
      for (const similarity of ['cosine', 'dot'] as const) {
        await withStore(
          async (store) => {
            const records = randomRecords(seed, 150, 8);
            await store.put(records.slice(0, 100));
            await store.put(records.slice(100));
            const random = createRandom(seed + 1);
            for (const k of [0, 1, 10, 150, 1000]) {
              const vector = gaussian(random, 8);
              const filter: StoreFilter = k === 10 ? { sources: ['s1', 's2'] } : {};
              const scores = new Map<string, number>();
              for (const { passage, vectors } of records) {
                if (passage.status !== 'searchable' || (filter.sources && !filter.sources.includes(passage.source!))) continue;
                const rows = vectors.passage!;
                scores.set(passage.id, similarity === 'cosine' ? cosineSimilarity(vector, rows) : product(vector, rows));
              }
              sameRanking(await store.search({ name: 'passage', vector, k, exact: true, filter }), scores, k);
            }
          },
          { vectors: { passage: 8 }, similarity },
        );
      }
    },
    'finds by its index only what matches': () =>
      withStore(
        async (store) => {
          const records = randomRecords(seed, 120, 8);
          await store.put(records);
          const byId = new Map(records.map((record) => [record.passage.id, record]));
          const vector = gaussian(createRandom(seed + 2), 8);
          for (const filter of [{}, { sources: ['s1'] }, { runId: 'r0' }, { status: 'quarantined' }] as const) {
            const hits = await store.search({ name: 'passage', vector, k: 10, filter });
            verify(hits.length > 0 && hits.length <= 10, `${hits.length} of ten hits`);
            equal(new Set(idsOf(hits)).size, hits.length, 'different ids');
            for (const { id, score } of hits) {
              const { passage, vectors } = byId.get(id)!;
              const asked: StoreFilter = { status: 'searchable', ...filter };
              verify(passage.status === asked.status, `${id} is ${passage.status}`);
              verify(!asked.sources || asked.sources.includes(passage.source!), `${id} is of ${passage.source}`);
              verify(asked.runId === undefined || passage.runId === asked.runId, `${id} is of run ${passage.runId}`);
              near(score, cosineSimilarity(vector, vectors.passage!), `score of ${id}`);
            }
            for (let i = 1; i < hits.length; i++) verify(hits[i]!.score <= hits[i - 1]!.score, 'a later hit has a higher score');
          }
        },
        { vectors: { passage: 8 }, similarity: 'cosine' },
      ),
    'orders equal scores by id': () =>
      withStore(async (store) => {
        await store.put(['d', 'b', 'c10', 'a', 'c9'].map((id) => recordOf(id, [1, 2, 3, 4], { text: 'the same words' })));
        await store.put([recordOf('z', [2, 4, 6, 8.5], { text: 'same' })]);
        const search = { name: 'passage', vector: Float32Array.of(1, 2, 3, 4), exact: true };
        equal(idsOf(await store.search({ ...search, k: 3 })), ['a', 'b', 'c10'], 'the first three by vector');
        equal(idsOf(await store.search({ ...search, k: 9 })), ['a', 'b', 'c10', 'c9', 'd', 'z'], 'all by vector');
        equal(idsOf(await store.searchText({ text: 'words', k: 3 })), ['a', 'b', 'c10'], 'the first three by words');
      }),
    'gives a zero vector the score 0': async () => {
      for (const similarity of ['cosine', 'dot'] as const) {
        await withStore(
          async (store) => {
            await store.put([recordOf('zero', [0, 0, 0, 0]), recordOf('away', [-1, 0, 0, 0]), recordOf('near', [1, 0, 0, 0])]);
            const hits = await store.search({ name: 'passage', vector: unit(4), k: 3, exact: true });
            equal(idsOf(hits), ['near', 'zero', 'away'], 'ids');
            near(hits[1]!.score, 0, 'the score of the zero vector');
            const none = await store.search({ name: 'passage', vector: new Float32Array(4), k: 3, exact: true });
            equal(
              none.map(({ id, score }) => [id, Math.abs(score)]),
              [
                ['away', 0],
                ['near', 0],
                ['zero', 0],
              ],
              'a zero question',
            );
          },
          { ...SHAPE, similarity },
        );
      }
    },
    'filters by status, source, run and metadata': () =>
      withStore(async (store) => {
        await store.put([
          recordOf('a', [1, 0, 0, 0], { source: 's1', runId: 'r1', metadata: { tag: 'x', n: 1 } }),
          recordOf('b', [1, 0, 0, 0], { source: 's2', runId: 'r1', metadata: { tag: { y: 1, z: [2] } } }),
          recordOf('c', [1, 0, 0, 0], { runId: 'r2', metadata: { tag: null } }),
          recordOf('d', [1, 0, 0, 0], { source: 's1', runId: 'r2', status: 'quarantined' }),
        ]);
        const cases: readonly (readonly [StoreFilter, string])[] = [
          [{}, 'abc'],
          [{ status: 'any' }, 'abcd'],
          [{ status: 'quarantined' }, 'd'],
          [{ sources: ['s1'] }, 'a'],
          [{ sources: ['s1'], status: 'any' }, 'ad'],
          [{ sources: ['s1', 's2'] }, 'ab'],
          [{ sources: [] }, ''],
          [{ runId: 'r1' }, 'ab'],
          [{ runId: 'none' }, ''],
          [{ metadata: { tag: 'x' } }, 'a'],
          [{ metadata: { tag: 'x', n: 1 } }, 'a'],
          [{ metadata: { tag: 'x', n: '1' } }, ''],
          [{ metadata: { tag: { z: [2], y: 1 } } }, 'b'],
          [{ metadata: { tag: null } }, 'c'],
          [{ metadata: { constructor: 1 } }, ''],
          [{ metadata: {} }, 'abc'],
          [{ runId: 'r1', sources: ['s2'], metadata: {} }, 'b'],
        ];
        for (const [filter, expected] of cases) {
          const what = JSON.stringify(filter);
          equal(idsOf(await all(store.list(filter))).join(''), expected, `listed by ${what}`);
          equal(await store.count(filter), expected.length, `counted by ${what}`);
          const found = await store.search({ name: 'passage', vector: unit(4), k: 9, exact: true, filter });
          equal(idsOf(found).join(''), expected, `found by ${what}`);
          equal(
            idsOf(await store.searchText({ text: 'bridge', k: 9, filter }))
              .sort()
              .join(''),
            expected,
            `found by words and ${what}`,
          );
        }
      }),
    'finds no quarantined passage until it is approved': () =>
      withStore(async (store) => {
        await store.put([
          recordOf('clean', [1, 0, 0, 0]),
          recordOf('held', [1, 0, 0, 0], { status: 'quarantined', findings: [{ rule: 'x' }] }),
        ]);
        const found = async (): Promise<string[]> => {
          const search = { name: 'passage', vector: unit(4), k: 9 };
          const lists = [
            await store.search(search),
            await store.search({ ...search, exact: true }),
            await store.searchText({ text: 'bridge', k: 9 }),
            await all(store.list()),
          ].map((hits) => idsOf(hits).sort().join(' '));
          equal(lists.slice(1), [lists[0], lists[0], lists[0]], 'four ways to find');
          return lists[0]!.split(' ');
        };
        equal(await found(), ['clean'], 'before');
        equal(await store.setStatus(['held', 'none', 'held'], 'searchable'), 1, 'how many were there');
        equal(await found(), ['clean', 'held'], 'after approval');
        const [held] = await store.fetch(['held'], { vectors: ['passage'] });
        const approved = recordOf('held', [1, 0, 0, 0], { status: 'searchable', findings: [{ rule: 'x' }] });
        equal(plainRecord(held ?? null), plainRecord(approved), 'the approved passage');
        equal(await store.setStatus(['clean', 'held'], 'quarantined'), 2, 'how many were there');
        equal(await found(), [''], 'after both were taken back');
        equal(await store.setStatus([], 'searchable'), 0, 'nobody');
      }),
    'finds passages by their words': () =>
      withStore(async (store) => {
        await store.put([
          recordOf('a', [1, 0, 0, 0], { text: 'The harbour office opened the Halden bridge in 1961.' }),
          recordOf('b', [1, 0, 0, 0], { text: 'A recipe for lemon cake with butter.' }),
          recordOf('c', [1, 0, 0, 0], { title: 'Zebra', text: 'Stripes.' }),
          recordOf('d', [1, 0, 0, 0], { text: 'The harbour is deep and the harbour is old, says the harbour office of the town.' }),
          { passage: recordOf('e', [0, 0, 0, 0], { text: 'No vector speaks of walrus.' }).passage, vectors: {} },
        ]);
        const found = async (text: string, k = 9): Promise<string[]> => idsOf(await store.searchText({ text, k }));
        equal((await found('Halden BRIDGE harbour'))[0], 'a', 'the best for three words');
        equal(await found('lemon cake'), ['b'], 'by two words');
        equal(await found('zebra'), ['c'], 'by a word of the title');
        equal((await found('harbour', 1)).length, 1, 'one of two');
        equal((await found('harbour')).sort(), ['a', 'd'], 'both');
        equal(await found('walrus'), ['e'], 'without a vector');
        for (const text of ['', ' ', '?!', 'unheardof']) equal(await found(text), [], `by ${JSON.stringify(text)}`);
        equal(await found('harbour', 0), [], 'no hits wanted');
        for (const text of [...HOSTILE_TEXTS, ...HOSTILE_NAMES, "it's & (a | b) ! <-> :* 'q", 'a:b\\c']) {
          for (const { score } of await store.searchText({ text, k: 9 })) verify(Number.isFinite(score), `score ${score}`);
        }
        equal(await found("bridge' & !harbour | (x"), await found('bridge harbour x'), 'words among operators');
        for (const { score } of await store.searchText({ text: 'harbour office', k: 9 })) verify(score > 0, `score ${score}`);
      }),
    'removes by id and by run': () =>
      withStore(async (store) => {
        const records = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
          recordOf(id, [1, index, 0, 0], { runId: index < 2 ? 'r1' : 'r2', status: index === 1 ? 'quarantined' : 'searchable' }),
        );
        await store.put(records);
        equal(await store.remove({ ids: ['c', 'none', 'c'] }), 1, 'one by id');
        equal(await store.remove({ runId: 'r1' }), 2, 'those of a run, whatever their status');
        equal(await store.remove({ runId: 'r1' }), 0, 'those of a run that are gone');
        equal(await store.remove({ ids: [] }), 0, 'none');
        equal(idsOf(await store.search({ name: 'passage', vector: unit(4), k: 9 })).sort(), ['d', 'e'], 'found after');
        equal(idsOf(await store.searchText({ text: 'bridge', k: 9 })).sort(), ['d', 'e'], 'found by words after');
        equal(
          (await store.fetch(['a', 'c', 'd'])).map((record) => record?.passage.id ?? null),
          [null, null, 'd'],
          'fetched after',
        );
        await store.put(records.slice(0, 1));
        equal(idsOf(await all(store.list({ status: 'any' }))), ['a', 'd', 'e'], 'after one came again');
      }),
    'lists every passage once, by id, and counts the same': () =>
      withStore(async (store) => {
        const records = randomRecords(seed, 230, 4);
        await store.put(records);
        for (const filter of [{}, { status: 'any' }, { status: 'quarantined' }, { runId: 'r1' }] as const) {
          const ids = idsOf(await all(store.list(filter)));
          equal(ids, [...new Set(ids)].sort(), 'ids in order');
          equal(await store.count(filter), ids.length, 'count');
        }
        equal(await store.count({ status: 'any' }), 230, 'all');
        const [first] = await all(store.list({ status: 'any' }));
        equal(sorted(first!), sorted(records.find(({ passage }) => passage.id === first!.id)!.passage), 'what is listed');
      }),
    'keeps hostile content as it is or refuses it': () =>
      withStore(async (store) => {
        const put: StoreRecord[] = [];
        for (const [index, text] of [...HOSTILE_TEXTS, ...HOSTILE_NAMES].entries()) {
          const name = HOSTILE_NAMES[index % HOSTILE_NAMES.length]!;
          const next = HOSTILE_NAMES[(index + 1) % HOSTILE_NAMES.length]!;
          const metadata = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify({ inner: next, list: [text] })}}`) as JsonObject;
          const given = { title: text, text, source: next, metadata, findings: [{ rule: 'x', span: name, ...metadata }] };
          for (const id of index < HOSTILE_NAMES.length ? [`h${index}`, name] : [`h${index}`]) {
            const record = recordOf(id, [1, index, 0, 0], given);
            const outcome = await store.put([record]).then(
              () => null,
              (error: unknown) => error,
            );
            if (outcome === null) put.push(record);
            else {
              verify(BezoarError.is(outcome) && ['BAD_INPUT', 'TOO_LARGE'].includes(outcome.code), `refused by ${String(outcome)}`);
              verify((outcome as Error).message.length < 500, 'the refusal is longer than 500 characters');
            }
          }
        }
        verify(put.length >= HOSTILE_TEXTS.length, `only ${put.length} were taken`);
        const fetched = await store.fetch(
          put.map(({ passage }) => passage.id),
          { vectors: ['passage'] },
        );
        for (const [index, record] of put.entries()) equal(plainRecord(fetched[index]!), plainRecord(record), `record ${index}`);
        equal(await store.count(), put.length, 'count');
        for (const { passage } of put) {
          const [key, value] = Object.entries(passage.metadata!)[0]!;
          const filter = { sources: [passage.source!], metadata: Object.fromEntries([[key, value]]) };
          const found = idsOf(await all(store.list(filter)));
          verify(found.includes(passage.id), `${JSON.stringify(passage.id).slice(0, 80)} is not found by its source and metadata`);
        }
        equal(
          await store.setStatus(
            put.map(({ passage }) => passage.id),
            'quarantined',
          ),
          put.length,
          'quarantined',
        );
        equal(await store.remove({ ids: put.map(({ passage }) => passage.id) }), put.length, 'removed');
        equal(await store.count({ status: 'any' }), 0, 'left');
      }),
    'refuses vectors of another length or name': () =>
      withStore(async (store) => {
        const record = recordOf('a', [1, 0, 0, 0]);
        for (const vectors of [{ passage: new Float32Array(5) }, { passage: new Float32Array(0) }, { other: new Float32Array(4) }]) {
          await refuses(store.put([{ ...record, vectors: vectors as Record<string, Float32Array> }]), 'SHAPE_MISMATCH');
        }
        await refuses(store.search({ name: 'passage', vector: new Float32Array(3), k: 1 }), 'SHAPE_MISMATCH');
        for (const name of ['other', '__proto__', 'passage"']) {
          await refuses(store.search({ name, vector: new Float32Array(4), k: 1 }), 'SHAPE_MISMATCH');
        }
      }),
    'refuses vectors that are not finite': () =>
      withStore(async (store) => {
        for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          await refuses(store.put([recordOf('a', [1, value, 0, 0])]), 'BAD_INPUT');
          await refuses(store.search({ name: 'passage', vector: Float32Array.of(1, value, 0, 0), k: 1 }), 'BAD_INPUT');
        }
      }),
    'refuses a k that is none': () =>
      withStore(async (store) => {
        for (const k of [-1, 1.5, Number.NaN]) {
          await refuses(store.search({ name: 'passage', vector: unit(4), k }), 'INVALID_OPTION');
          await refuses(store.searchText({ text: 'bridge', k }), 'INVALID_OPTION');
        }
      }),
    'writes nothing of a put that it refuses': () =>
      withStore(async (store) => {
        await store.put([recordOf('kept', [1, 0, 0, 0])]);
        const good = [recordOf('new', [1, 0, 0, 0]), recordOf('kept', [0, 1, 0, 0])];
        await refuses(store.put([...good, recordOf('bad', [1, 2, 3])]), 'SHAPE_MISMATCH');
        await refuses(store.put([...good, recordOf('bad', [1, Number.NaN, 0, 0])]), 'BAD_INPUT');
        const noText = { ...recordOf('bad', [1, 0, 0, 0]).passage, text: undefined } as unknown as StoredPassage;
        await refuses(store.put([...good, { passage: noText, vectors: {} }]), 'BAD_INPUT');
        const [kept] = await store.fetch(['kept'], { vectors: ['passage'] });
        equal(plainRecord(kept ?? null), plainRecord(recordOf('kept', [1, 0, 0, 0])), 'what was there');
        equal(await store.count({ status: 'any' }), 1, 'count');
      }),
    'stops when the signal has fired': () =>
      withStore(async (store) => {
        const signal = AbortSignal.abort();
        await refuses(store.put([recordOf('a', [1, 0, 0, 0])], { signal }), 'ABORTED');
        await refuses(store.search({ name: 'passage', vector: unit(4), k: 1, signal }), 'ABORTED');
        await refuses(store.searchText({ text: 'bridge', k: 1, signal }), 'ABORTED');
        equal(await store.count({ status: 'any' }), 0, 'count');
      }),
    'answers when it is empty': () =>
      withStore(async (store) => {
        await store.put([]);
        equal(await store.search({ name: 'passage', vector: unit(4), k: 5 }), [], 'by vector');
        equal(await store.search({ name: 'passage', vector: unit(4), k: 5, exact: true }), [], 'by vector, exactly');
        equal(await store.searchText({ text: 'bridge', k: 5 }), [], 'by words');
        equal(await all(store.list({ status: 'any' })), [], 'listed');
        equal(await store.count({ status: 'any' }), 0, 'counted');
        equal(await store.fetch(['a']), [null], 'fetched');
        equal(await store.remove({ runId: 'r' }), 0, 'removed');
        const other = await suite.create(SHAPE);
        try {
          await other.restore(store.snapshot());
          equal(await other.count({ status: 'any' }), 0, 'restored');
        } finally {
          await other.close();
        }
      }),
    'restores a snapshot': () =>
      withStore(async (store) => {
        const records = randomRecords(seed, 60, 4).map((record, index) => {
          const name = HOSTILE_NAMES[index];
          if (name === undefined || name.includes('\u0000') || name.includes('\ud800')) return record;
          return { ...record, passage: { ...record.passage, text: name }, vectors: index % 2 === 0 ? bothVectors() : {} };
        });
        await store.put(records);
        const pieces = await all(store.snapshot());
        const other = await suite.create(SHAPE);
        try {
          await other.restore(stream(halved(pieces)));
          const ids = idsOf(await all(store.list({ status: 'any' })));
          equal(ids.length, 60, 'passages');
          equal(idsOf(await all(other.list({ status: 'any' }))), ids, 'restored ids');
          const names = { vectors: ['passage', 'fragment-0'] };
          equal((await other.fetch(ids, names)).map(plainRecord), (await store.fetch(ids, names)).map(plainRecord), 'records');
          const search = { name: 'passage', vector: Float32Array.of(1, -1, 2, 0), k: 10, exact: true };
          equal(idsOf(await other.search(search)), idsOf(await store.search(search)), 'what a search finds');
        } finally {
          await other.close();
        }
      }),
    'refuses a snapshot that is not of its shape or not whole': () =>
      withStore(async (store) => {
        await store.put([recordOf('a', [1, 2, 3, 4])]);
        const pieces = await all(store.snapshot());
        const shapes: readonly StoreShape[] = [
          { ...SHAPE, vectors: { passage: 4 } },
          { ...SHAPE, vectors: { passage: 5, 'fragment-0': 3 } },
          { ...SHAPE, similarity: 'dot' },
          { ...SHAPE, encoder: 'another' },
        ];
        for (const shape of shapes) await withStore((other) => refuses(other.restore(stream(pieces)), 'SHAPE_MISMATCH'), shape);
        const bytes = joined(pieces);
        const changed = bytes.slice();
        changed[bytes.length >> 1]! ^= 1;
        for (const damaged of [changed, bytes.slice(0, -5), bytes.slice(0, 3), new Uint8Array(0), new TextEncoder().encode('{"a": 1}')]) {
          await withStore((other) => refuses(other.restore(stream([damaged])), 'BAD_INPUT'));
        }
      }),
    'takes two writers at once': () =>
      withStore(async (store) => {
        const other = (await suite.again?.(store)) ?? store;
        try {
          const of = (writer: string): StoreRecord[] =>
            Array.from({ length: 60 }, (_, index) => recordOf(`${writer}${index}`, [1, index, 0, 0], { text: `bridge of ${writer}` }));
          const shared = (writer: string): StoreRecord[] =>
            Array.from({ length: 20 }, (_, index) =>
              recordOf(`shared${index}`, [1, 0, 0, 0], { text: `bridge of ${writer}`, runId: writer }),
            );
          const writing = async (to: VectorStore, writer: string): Promise<void> => {
            const [own, both] = [of(writer), shared(writer)];
            // Opposite orders, as two ingests of overlapping files would have.
            if (writer === 'y') both.reverse();
            for (let start = 0; start < 60; start += 20) await to.put([...own.slice(start, start + 20), ...both]);
          };
          await Promise.all([writing(store, 'x'), writing(other, 'y')]);
          equal(await store.count({ status: 'any' }), 140, 'passages');
          equal(new Set(idsOf(await all(store.list({ status: 'any' })))).size, 140, 'different ids');
          const shares = await store.fetch(Array.from({ length: 20 }, (_, index) => `shared${index}`));
          for (const record of shares) {
            verify(record !== null && record.passage.text === `bridge of ${record.passage.runId}`, 'a passage is of both writers');
          }
          equal((await store.search({ name: 'passage', vector: unit(4), k: 500, exact: true })).length, 140, 'found');
        } finally {
          if (other !== store) await other.close();
        }
      }),
  };
  for (const property of PROPERTIES) {
    const reason = skip[property];
    if (reason === undefined) suite.test(property, checks[property]);
    else suite.skipTest?.(`${property} (${reason})`);
  }
}

function recordOf(id: string, vector: readonly number[], more: Partial<StoredPassage> = {}): StoreRecord {
  const passage: StoredPassage = {
    id,
    text: 'The bridge was opened.',
    contentHash: 'c'.repeat(64),
    addedAt: '2026-01-02T03:04:05.678Z',
    runId: 'run-1',
    status: 'searchable',
    findings: [],
    ...more,
  };
  return { passage, vectors: { passage: Float32Array.from(vector) } };
}

const unit = (length: number): Float32Array => Float32Array.from({ length }, (_, index) => (index === 0 ? 1 : 0));
const bothVectors = (): Record<string, Float32Array> => ({ passage: Float32Array.of(1, 0, 0, 0), 'fragment-0': Float32Array.of(1, 1, 0) });
const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, index) => sum + value * b[index]!, 0);
const idsOf = (hits: readonly { readonly id: string }[]): string[] => hits.map(({ id }) => id);

/** A normally distributed vector, by the sum of twelve. */
const gaussian = (random: { next(): number }, length: number): Float32Array =>
  Float32Array.from({ length }, () => Array.from({ length: 12 }, () => random.next()).reduce((sum, value) => sum + value, -6));

/** Of three sources and four runs; every ninth quarantined. */
function randomRecords(seed: number, count: number, length: number): StoreRecord[] {
  const random = createRandom(seed);
  return random.shuffle(Array.from({ length: count }, (_, index) => index)).map((index) =>
    recordOf(`p${index}`, Array.from(gaussian(random, length)), {
      source: `s${index % 3}`,
      runId: `r${index % 4}`,
      text: `Passage ${index} of the harbour.`,
      status: index % 9 === 0 ? 'quarantined' : 'searchable',
    }),
  );
}

/** Each hit has its own true score, and at each rank it is the one that belongs there, to the precision of 32-bit sums. */
function sameRanking(hits: readonly StoreHit[], scores: ReadonlyMap<string, number>, k: number): void {
  const expected = Array.from(scores.values()).sort((a, b) => b - a);
  equal(hits.length, Math.min(k, expected.length), 'number of hits');
  equal(new Set(idsOf(hits)).size, hits.length, 'different ids');
  for (const [rank, { id, score }] of hits.entries()) {
    verify(scores.has(id), `${id} is no match`);
    near(score, scores.get(id)!, `score of ${id}`);
    near(score, expected[rank]!, `score at rank ${rank + 1}`);
  }
}

function near(actual: number, expected: number, what: string): void {
  verify(Math.abs(actual - expected) <= 1e-5 * Math.max(1, Math.abs(expected)), `${what} is ${actual}, expected ${expected}`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** The same bytes cut elsewhere: who carries them need not keep the pieces. */
function halved(pieces: readonly Uint8Array[]): Uint8Array[] {
  return pieces.flatMap((piece) => [piece.slice(0, piece.length >> 1), piece.slice(piece.length >> 1)]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let place = 0;
  for (const piece of pieces) {
    bytes.set(piece, place);
    place += piece.length;
  }
  return bytes;
}

/** A record with its keys in order and its vectors as lists, to be compared as JSON. */
const plainRecord = (record: StoreRecord | null): unknown =>
  record && [
    sorted(record.passage),
    sorted(Object.fromEntries(Object.entries(record.vectors).map(([name, vector]) => [name, Array.from(vector)]))),
  ];

/** Pairs in place of objects: databases need not keep the order of keys, and `__proto__` must stay a key. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return { object: pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]) };
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 400)}, expected ${b?.slice(0, 400)}`);
}

function verify(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function refuses(running: Promise<unknown>, code: string): Promise<void> {
  const outcome = await running.then(
    () => 'a result',
    (error: unknown) => (BezoarError.is(error) ? error.code : `another error: ${String(error)}`),
  );
  if (outcome !== code) throw new Error(`expected the refusal ${code}, got ${outcome}`);
}
