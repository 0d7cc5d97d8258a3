/**
 * `npm run bench:stores`: what stores and index defenses cost, as medians of interleaved runs, beside the limits that were set before anything was
 * measured. Vectors are drawn around centres, a hundred passages a centre, so that an index has neighbours to tell apart as in a corpus; questions are drawn around the
 * same centres. Nothing is fetched from anywhere. Prints Markdown; progress goes to stderr.
 *
 *   --only ragpart,pg       parts, of: memory ragpart pg lancedb ragmask ingest bytes
 *   --rows N                passages of the part that grows: lancedb 1,000,000, memory, ragpart and pg 100,000 unless it is given
 *   --keep DIR              uses the LanceDB in DIR when it has that many rows, and leaves it there
 *   --json FILE             the figures with machine and load
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Encoder, IndexContext, IndexDefense, Passage, StoredPassage, StoreRecord, StoreShape, VectorStore } from '@bezoar/core';
import { naiveCombination, ragmask, ragpart } from '@bezoar/core/index-defenses';
import { createRandom } from '@bezoar/core/kernels/random';
import { createMemoryStore } from '@bezoar/core/stores/memory';
import { loadStaticEncoder } from '@bezoar/models/static-encoder';
import { ingest, ingestShape } from '@bezoar/stores';
import { openLanceDbStore } from '@bezoar/stores/lancedb';
import { openPgliteStore } from '../packages/stores/src/pg/embedded.ts';
import { hasShared, sharedPath } from '../tests/shared-data.ts';

const WIDTH = 256;
const BATCH = 10_000;
const QUESTIONS = 50;
/** Distance of a passage from its centre, and of a question: cosines of about 0.8 within a centre, as near paraphrases have. */
const NOISE = 0.5;
/** Passages around one centre: ten times what is asked for, so that what is found differs little from what is not. */
const SUBJECT = 100;
const FRAGMENTS = Array.from({ length: 5 }, (_, index) => `fragment-${index}`);

const { values: flags } = parseArgs({
  options: { only: { type: 'string' }, rows: { type: 'string' }, keep: { type: 'string' }, json: { type: 'string' } },
});
const wanted = flags.only?.split(',');
const rowsOf = (usual: number): number => (flags.rows === undefined ? usual : Number(flags.rows));

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly limit: string;
  readonly holds: boolean | null;
}
const rows: Row[] = [];
const report = (what: string, figure: string, limit = '', holds: boolean | null = null): void => {
  rows.push({ what, figure, limit, holds });
  console.error(`${what}: ${figure}${limit === '' ? '' : ` (${limit})`}`);
};

/** Normal numbers by the sum of four uniform ones: cheap, and near enough for noise. */
function drawer(seed: number): (around: Float32Array | null, noise: number) => Float32Array {
  const { next } = createRandom(seed);
  return (around, noise) => {
    const vector = new Float32Array(WIDTH);
    let length = 0;
    for (let i = 0; i < WIDTH; i++) {
      const drawn = (next() + next() + next() + next() - 2) * Math.sqrt(3 / WIDTH);
      vector[i] = around === null ? drawn : around[i]! + noise * drawn;
      length += vector[i]! ** 2;
    }
    for (let i = 0; i < WIDTH; i++) vector[i]! /= Math.sqrt(length);
    return vector;
  };
}

/** The centre of a passage, made again from its number: a million of them would not fit beside the stores. */
const centre = (row: number): Float32Array => drawer(1_000_003 + Math.floor(row / SUBJECT))(null, 0);

const stored = (passage: Passage): StoredPassage => ({
  ...passage,
  contentHash: passage.id,
  addedAt: '2026-11-21T00:00:00Z',
  runId: 'bench',
  status: 'searchable',
  findings: [],
});

function* recordsOf(count: number, names: readonly string[]): Iterable<StoreRecord[]> {
  const draw = drawer(11);
  let batch: StoreRecord[] = [];
  let around = centre(0);
  for (let row = 0; row < count; row++) {
    if (row % SUBJECT === 0) around = centre(row);
    const vectors = Object.fromEntries(names.map((name) => [name, draw(around, NOISE)]));
    const text = `passage ${row} of the harbour office on subject ${Math.floor(row / SUBJECT)}`;
    batch.push({ passage: stored({ id: `p${row}`, text, source: `s${row % 100}` }), vectors });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function questionsOf(count: number): Float32Array[] {
  const draw = drawer(12);
  return Array.from({ length: QUESTIONS }, (_, index) => draw(centre(Math.floor((index * count) / QUESTIONS)), NOISE));
}

const shapeOf = (names: readonly string[]): StoreShape => ({
  vectors: Object.fromEntries(names.map((name) => [name, WIDTH])),
  similarity: 'cosine',
});

async function fill(store: VectorStore, count: number, names: readonly string[]): Promise<number> {
  let [done, ms] = [0, 0];
  for (const batch of recordsOf(count, names)) {
    const start = performance.now();
    await store.put(batch);
    ms += performance.now() - start;
    done += batch.length;
    if (done % 100_000 === 0) console.error(`${store.name}: ${done} of ${count} in ${Math.round(ms / 1000)} s of writing`);
  }
  return ms;
}

/** Milliseconds: what the limits are compared with, and what the machine can do when nobody else works on it. */
interface Timing {
  readonly median: number;
  readonly fastest: number;
}

const timing = (values: readonly number[]): Timing => {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)]!, fastest: sorted[0]! };
};

/** Milliseconds of each kind of run, taken in turns so that the machine's moods hit all alike. */
async function interleaved(rounds: number, runs: readonly ((round: number) => Promise<unknown>)[]): Promise<Timing[]> {
  const times = runs.map((): number[] => []);
  for (const run of runs) await run(0);
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of runs.entries()) {
      const start = performance.now();
      await run(round);
      times[index]!.push(performance.now() - start);
    }
  }
  return times.map(timing);
}

const passageSearch = (store: VectorStore, vectors: readonly Float32Array[], exact: boolean) => (round: number) =>
  store.search({ name: 'passage', vector: vectors[round % vectors.length]!, k: 10, exact });

async function recall(store: VectorStore, vectors: readonly Float32Array[]): Promise<number> {
  let found = 0;
  for (const vector of vectors) {
    const exact = await store.search({ name: 'passage', vector, k: 10, exact: true });
    const approximate = new Set((await store.search({ name: 'passage', vector, k: 10 })).map(({ id }) => id));
    found += exact.filter(({ id }) => approximate.has(id)).length;
  }
  return found / (10 * vectors.length);
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const both = ({ median, fastest }: Timing): string => `${ms(median)} (fastest ${ms(fastest)})`;
const thousands = (count: number): string => count.toLocaleString('en-US');
const peakGigabytes = (): number => process.resourceUsage().maxRSS / 2 ** 20;

/** An index context for stores whose vectors are drawn: nothing asks the encoder. */
const NO_ENCODER: Encoder = {
  name: 'none',
  dimensions: WIDTH,
  similarity: 'cosine',
  encode: () => Promise.reject(new Error('the benchmark encodes nothing here')),
};
const contextOf = (encoder: Encoder, more: Partial<IndexContext> = {}): IndexContext => ({
  encoder,
  passageText: 'title-and-text',
  seed: 1,
  approximate: false,
  ...more,
});

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  async memory() {
    const count = rowsOf(100_000);
    const store = createMemoryStore(shapeOf(['passage']));
    await fill(store, count, ['passage']);
    const [search] = await interleaved(21, [passageSearch(store, questionsOf(count), true)]);
    report(`memory, exact, ${thousands(count)} passages`, both(search!));
  },

  async ragpart() {
    const count = rowsOf(100_000);
    const names = ['passage', ...FRAGMENTS];
    // By inner product the answer is known to be exact from where the searches ended, by cosine only when every passage was seen.
    for (const similarity of ['dot', 'cosine'] as const) {
      const store = createMemoryStore({ ...shapeOf(names), similarity });
      await fill(store, count, names);
      const vectors = questionsOf(count);
      const defense = ragpart({ fragments: 5, combine: 3 });
      const context = contextOf(NO_ENCODER);
      let [exact, asked] = [0, 0];
      const [plain, fragments] = await interleaved(11, [
        passageSearch(store, vectors, true),
        async (round) => {
          const answer = await defense.retrieve({ id: 'q', text: 'q', vector: vectors[round]!, keep: 10 }, store, context);
          if (answer.exact) exact++;
          asked++;
        },
      ]);
      const ratio = fragments!.median / plain!.median;
      report(
        `RAGPart (5,3) in memory, ${similarity}, ${thousands(count)} passages`,
        `${both(fragments!)}: ${ratio.toFixed(1)} plain exact scans of ${both(plain!)}; known to be exact in ${exact} of ${asked}`,
        'under 7 scans',
        ratio < 7,
      );
    }
  },

  async pg() {
    const count = rowsOf(100_000);
    const store = await openPgliteStore('memory:', shapeOf(['passage']));
    const written = await fill(store, count, ['passage']);
    const start = performance.now();
    await store.buildIndex();
    const built = performance.now() - start;
    const vectors = questionsOf(count);
    const [approximate, exact] = await interleaved(21, [passageSearch(store, vectors, false), passageSearch(store, vectors, true)]);
    const found = await recall(store, vectors.slice(0, 20));
    report(
      `pg embedded, HNSW, ${thousands(count)} passages`,
      `${both(approximate!)}, recall@10 ${found.toFixed(3)}`,
      'under 20 ms',
      approximate!.median < 20,
    );
    report('the same, exact', both(exact!));
    report('the same, written and indexed', `${(written / 1000).toFixed(1)} s and ${(built / 1000).toFixed(0)} s`);
    await store.close();
  },

  async lancedb() {
    const count = rowsOf(1_000_000);
    const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bezoar-bench-lancedb-'));
    const store = await openLanceDbStore({ dir: folder, shape: shapeOf(['passage']) });
    if ((await store.count()) !== count) {
      const written = await fill(store, count, ['passage']);
      const start = performance.now();
      await store.buildIndex();
      report(
        `lancedb, ${thousands(count)} passages written and indexed`,
        `${(written / 1000).toFixed(0)} s and ${((performance.now() - start) / 1000).toFixed(0)} s`,
      );
    }
    const vectors = questionsOf(count);
    const [approximate] = await interleaved(2 * QUESTIONS, [passageSearch(store, vectors, false)]);
    const [exact] = await interleaved(3, [passageSearch(store, vectors, true)]);
    const found = await recall(store, vectors);
    report(`lancedb, IVF_HNSW_SQ, ${thousands(count)} passages`, both(approximate!), 'under 25 ms', approximate!.median < 25);
    report('the same, recall@10 against exact', found.toFixed(3), 'at least 0.95', found >= 0.95);
    report('the same, exact', both(exact!));
    const [words] = await interleaved(11, [(round) => store.searchText({ text: `harbour subject ${round * 999}`, k: 10 })]);
    report('the same, by words', both(words!));
    report(
      'the same, most memory of the process, all of the above',
      `${peakGigabytes().toFixed(1)} GB`,
      'at most 4 GB',
      peakGigabytes() <= 4,
    );
    await store.close();
    if (flags.keep === undefined) rmSync(folder, { recursive: true });
  },

  async ragmask() {
    const encoder = await loadStaticEncoder();
    const store = createMemoryStore({ vectors: { passage: encoder.dimensions }, similarity: encoder.similarity });
    const passages = corpus(2000);
    const encoded = await encoder.encode(
      passages.map(({ text }) => text),
      { role: 'passage' },
    );
    await store.put(
      passages.map((passage, index) => ({
        passage: stored(passage),
        vectors: { passage: encoded.vectors[index]! },
      })),
    );
    const cache = new Map<string, Float32Array>();
    const context = contextOf(encoder, {
      maskCache: {
        get: async (keys) => keys.map((key) => cache.get(key)),
        set: async (entries) => {
          for (const [key, vector] of entries) cache.set(key, vector);
        },
      },
    });
    const defense = ragmask();
    const questions = passages.slice(0, 20).map(({ text }) => text.split(' ').slice(0, 8).join(' '));
    const { vectors } = await encoder.encode(questions, { role: 'query' });
    const retrieve = (round: number) =>
      defense.retrieve({ id: 'q', text: questions[round % 20]!, vector: vectors[round % 20]!, keep: 10 }, store, context);
    // Every question once, so that its masks are in the cache.
    for (let round = 0; round < 20; round++) await retrieve(round);
    const [plain, masked] = await interleaved(60, [
      (round) => store.search({ name: 'passage', vector: vectors[round % 20]!, k: 20, exact: true }),
      retrieve,
    ]);
    const added = masked!.median - plain!.median;
    report(
      'RAGMask, 20 candidates, cached masks, beside the search',
      `${ms(added)} (fastest ${ms(masked!.fastest - plain!.fastest)})`,
      'under 5 ms',
      added < 5,
    );
  },

  async ingest() {
    const encoder = await loadStaticEncoder();
    const passages = corpus(20_000);
    const run = (defenses: readonly IndexDefense[]) => async (): Promise<number> => {
      const settings = { encoder, defenses, runId: 'bench', now: () => new Date(0) };
      const { ms: spent } = await ingest(passages, { ...settings, store: createMemoryStore(ingestShape(settings)) });
      return spent.encode + spent.rules;
    };
    const runs = [run([]), run([ragpart({ fragments: 5, combine: 3 })])];
    const times = runs.map((): number[] => []);
    for (const each of runs) await each();
    for (let round = 0; round < 5; round++) for (const [index, each] of runs.entries()) times[index]!.push(await each());
    const [plain, fragments] = times.map(timing);
    const speed = (milliseconds: number): number => (1000 * passages.length) / milliseconds;
    const figure = ({ median, fastest }: Timing): string =>
      `${thousands(Math.round(speed(median)))} passages a second (fastest ${thousands(Math.round(speed(fastest)))})`;
    const held = speed(plain!.median) >= 5000;
    report(
      `ingest, static encoder, all checks, ${thousands(passages.length)} passages, store apart`,
      figure(plain!),
      'at least 5,000',
      held,
    );
    report('the same with RAGPart (5,3)', figure(fragments!));
  },

  async bytes() {
    const encoder = await loadStaticEncoder();
    const passages = corpus(500);
    const words = passages.reduce((sum, { text }) => sum + text.split(' ').length, 0) / passages.length;
    const masking = ragmask();
    for (const defense of [ragpart(), naiveCombination(), masking]) {
      const vectors = await defense.protect(passages, { encoder, passageText: 'title-and-text' });
      let bytes = 0;
      for (const named of vectors) for (const vector of Object.values(named)) bytes += vector.byteLength;
      let masks = 0;
      const context = contextOf(encoder, {
        maskCache: {
          get: async (keys) => keys.map(() => undefined),
          set: async (entries) => {
            for (const [key, vector] of entries) masks += vector.byteLength + key.length;
          },
        },
      });
      const store = createMemoryStore({ vectors: { passage: encoder.dimensions }, similarity: encoder.similarity });
      if (defense === masking) await masking.prepare(passages.map(stored), store, context);
      const inStore = `${Math.round(bytes / passages.length)} bytes a passage in the store`;
      const inCache = masks === 0 ? '' : `, ${Math.round(masks / passages.length)} in the cache of masks`;
      report(`${defense.spec}, vectors of ${encoder.dimensions} numbers, ${words.toFixed(0)} words a passage`, inStore + inCache);
    }
  },
};

/** Real passages, each once; the development data has to be there. */
function corpus(most: number): Passage[] {
  if (!hasShared) throw new Error(`no development data in ${sharedPath('.')} (set BEZOAR_SHARED)`);
  const passages = new Map<string, Passage>();
  for (const name of ['hotpotqa', 'ramdocs', 'realtimeqa', 'simpleqa']) {
    for (const line of readFileSync(sharedPath(`data/${name}/corpus.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')) {
      const { text } = JSON.parse(line) as { text: string };
      if (passages.size < most && !passages.has(text)) passages.set(text, { id: `p${passages.size}`, text, source: name });
    }
  }
  return [...passages.values()];
}

const chosen = wanted ?? Object.keys(PARTS);
for (const part of chosen) {
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}; there are ${Object.keys(PARTS).join(', ')}`);
  console.error(`${part}, load ${loadavg()[0]!.toFixed(1)}`);
  await PARTS[part]!();
}
const machine = `${cpus().length} cores (${cpus()[0]!.model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)} at the end`;
const cells = rows.map(
  ({ what, figure, limit, holds }) => `| ${what} | ${figure} | ${limit} | ${holds === null ? '' : holds ? 'yes' : 'no'} |`,
);
console.log([`${machine}`, '', '| what | median | limit | holds |', '|---|---|---|---|', ...cells].join('\n'));
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
