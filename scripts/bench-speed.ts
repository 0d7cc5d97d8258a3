/**
 * `npm run bench:speed`: what each mechanism costs, as medians of interleaved runs on one thread, beside its readable twin and the 13.8 ms that
 * the Python reference takes for GRADA on the same kind of pool. Ten passages of 30 words, vectors of 384 numbers, unless a row says otherwise.
 * Run it before and after a change and compare ratios; machines differ. `--short` takes fewer rounds. Prints a Markdown table; no verdict.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  createRunContext,
  DEFENSES,
  type DefenseFactory,
  type OptionSpec,
  type OptionSpecs,
  type StageInput,
} from '../packages/core/dist/index.mjs';
import { gramMatrix } from '../packages/core/dist/kernels/gram-matrix.mjs';
import { certifyDeviation, combinationView } from '../packages/core/dist/kernels/majority-ball.mjs';
import { porterStem } from '../packages/core/dist/kernels/porter-stem.mjs';
import { createRandom } from '../packages/core/dist/kernels/random.mjs';
import { loadStaticEncoder } from '../packages/models/dist/static-encoder.mjs';
import { certificateTwin, gradaEmbeddingTwin, gradaHybridTwin, praRagTwin, trustragTwin } from './speed-twins.ts';

const short = process.argv.includes('--short');
const ROUNDS = short ? 9 : 41;
/** Milliseconds a timed batch lasts: long against the clock's grain, short against the machine's moods. */
const BATCH_MS = short ? 4 : 12;
/** Milliseconds of the Python reference for GRADA hybrid over ten snippets (bm25s index a document, networkx). */
const PYTHON_MS = 13.8;

const random = createRandom(7);
/** The words of the demo corpus in its order, so that passages near each other are of one subject, as in a retrieval. */
const WORDS = readFileSync(new URL('../packages/cli/assets/demo/corpus.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .flatMap((line) => (JSON.parse(line) as { text: string }).text.split(' '));
let next = 0;
const words = (count: number): string => Array.from({ length: count }, () => WORDS[next++ % WORDS.length]!).join(' ');
const vector = (width: number): Float32Array => {
  const values = Array.from({ length: width }, () => random.next() - 0.4);
  const norm = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / norm);
};

function pool(count: number): StageInput {
  // The first two share half of their words in order, so that the filter's gate opens and all of it is timed.
  const shared = words(15);
  const texts = Array.from({ length: count }, (_, index) => `${index < 2 ? shared : words(15)} ${words(15)}.`);
  return {
    query: { id: 'q', text: `${words(8)}?`, embedding: vector(384) },
    passages: texts.map((text, index) => ({ id: `p${index}`, text, rank: index + 1 })),
    texts,
    embeddings: texts.map(() => vector(384)),
    queryEmbedding: vector(384),
    encoder: null,
    keep: 5,
  };
}

interface Row {
  readonly name: string;
  readonly fast: () => unknown;
  readonly twin?: () => unknown;
  /** The limit in microseconds that was set before anything was measured. */
  readonly limit: number;
  readonly chase?: number;
}

const context = createRunContext();

/** The mechanism alone, as a stage's `ms` counts it. */
function mechanism<S extends OptionSpecs>(
  factory: DefenseFactory<S>,
  options: Parameters<DefenseFactory<S>>[0],
  input: StageInput,
): () => unknown {
  const values = Object.fromEntries(
    Object.entries<OptionSpec<unknown>>(factory.definition.options).map(([name, spec]) => [name, spec.default]),
  );
  const merged = Object.assign(values, options) as never;
  return () => factory.definition.run(input, merged, context);
}

const ten = pool(10);
const eight = pool(8);
const sixteen = pool(16);
const twelve = pool(12);
const twenty = pool(20);
const gram20 = gramMatrix(twenty.embeddings);
const centre = [0, 3, 7, 11, 18];
const space20 = { table: gram20, count: 20, size: 5, distance: 'angular', combination: 'ordered' } as const;

const rows: Row[] = [
  {
    name: 'grada, hybrid, from text',
    fast: mechanism(DEFENSES.grada, { weights: 'hybrid' }, ten),
    twin: () => gradaHybridTwin(ten.query.text, ten.texts),
    limit: 60,
    chase: 30,
  },
  {
    name: 'grada, embedding',
    fast: mechanism(DEFENSES.grada, { weights: 'embedding' }, ten),
    twin: () => gradaEmbeddingTwin(ten.embeddings),
    limit: 20,
  },
  {
    name: 'trustrag-filter',
    fast: mechanism(DEFENSES['trustrag-filter'], {}, ten),
    twin: () => trustragTwin(ten.texts, ten.embeddings, porterStem),
    limit: 300,
  },
  {
    name: 'pra-rag, K=8, n=3',
    fast: mechanism(DEFENSES['pra-rag'], { subset: 3 }, eight),
    twin: () => praRagTwin(eight.embeddings, 3),
    limit: 100,
    chase: 50,
  },
  {
    name: 'pra-rag, K=16, n=3',
    fast: mechanism(DEFENSES['pra-rag'], { subset: 3 }, sixteen),
    twin: () => praRagTwin(sixteen.embeddings, 3),
    limit: 3000,
  },
  {
    name: 'pra-rag, K=12, n=5',
    fast: mechanism(DEFENSES['pra-rag'], { subset: 5 }, twelve),
    twin: () => praRagTwin(twelve.embeddings, 5),
    limit: 5000,
  },
  {
    name: 'certificate from one centre, K=20, n=5',
    fast: () =>
      certifyDeviation(combinationView(space20), Uint8Array.from(centre), { corruption: 1, beta: 2, bound: 'strict', tight: false }),
    twin: () => certificateTwin(twenty.embeddings, centre, 1),
    limit: 10_000,
    chase: 2000,
  },
  ...(['deduplicate', 'sanitize', 'injection-filter'] as const).map(
    (name): Row => ({ name, fast: mechanism(DEFENSES[name] as never, {}, ten), limit: Number.NaN }),
  ),
];

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Microseconds a call, over as many calls as fill a batch. */
function timed(run: () => unknown, calls: number): number {
  const started = performance.now();
  for (let i = 0; i < calls; i++) run();
  return ((performance.now() - started) * 1000) / calls;
}

/** How many calls fill a batch, after a warm-up that lets the compiler settle. */
function calibrate(run: () => unknown): number {
  const until = performance.now() + (short ? 30 : 200);
  let calls = 0;
  const started = performance.now();
  do {
    run();
    calls += 1;
  } while (performance.now() < until);
  return Math.max(1, Math.round((calls * BATCH_MS) / (performance.now() - started)));
}

/** A contender that takes longer than this a call has its say in three rounds: its ratio needs no more. */
const SLOW_US = 100_000;

function interleaved(contenders: readonly (() => unknown)[], rounds: number): number[] {
  const calls = contenders.map(calibrate);
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of contenders.entries()) {
      if (round < 3 || times[index]![0]! < SLOW_US) times[index]!.push(timed(run, calls[index]!));
    }
  }
  return times.map(median);
}

const micro = (value: number): string => (value >= 1000 ? `${(value / 1000).toFixed(2)} ms` : `${value.toFixed(1)} µs`);
const lines: string[] = [];
for (const row of rows) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${row.name}`);
  const [fast, twin] = interleaved(row.twin ? [row.fast, row.twin] : [row.fast], ROUNDS);
  const limit = Number.isNaN(row.limit) ? '–' : `${micro(row.limit)}${row.chase ? ` (chase ${micro(row.chase)})` : ''}`;
  const python = row.name === 'grada, hybrid, from text' ? `, Python reference ${Math.round((PYTHON_MS * 1000) / fast!)}x` : '';
  lines.push(`| ${row.name} | ${micro(fast!)} | ${limit} | ${twin !== undefined ? `${(twin! / fast!).toFixed(1)}x${python}` : '–'} |`);
}

const encoder = await loadStaticEncoder();
const texts = Array.from({ length: 2000 }, () => words(30));
const perText: number[] = [];
for (let round = 0; round < (short ? 5 : 15); round++) {
  const started = performance.now();
  await encoder.encode(texts, { role: 'passage' });
  perText.push((performance.now() - started) / texts.length);
}
lines.push(`| static encoder, passages of 30 words a second | ${Math.round(1000 / median(perText)).toLocaleString('en')} | 20,000 | – |`);

const starts: number[] = [];
for (let round = 0; round < (short ? 5 : 15); round++) {
  const started = performance.now();
  spawnSync(process.execPath, [new URL('../packages/cli/bin/bezoar.js', import.meta.url).pathname, '--help']);
  starts.push(performance.now() - started);
}
lines.push(`| \`bezoar --help\`, whole process | ${Math.round(median(starts))} ms | 150 ms | – |`);

console.log(`| ten passages of 30 words, 384 numbers | median | limit | its readable twin takes |\n|---|---|---|---|\n${lines.join('\n')}`);
console.log(`\nnode ${process.version}, ${ROUNDS} interleaved rounds, one thread.`);
