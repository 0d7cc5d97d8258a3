/**
 * Measures what every defense does to pools of ten passages with planted ones in front, and prints the Markdown tables of docs/defenses.md.
 *
 *   npx tsx scripts/measure-defenses.ts [--shared ../shared] [--limit N] [--cache DIR] [SPEC ...]
 *
 * A pool is the first distinct candidates of a question, in the order they came in, behind what is planted; questions with too few are left
 * out and n says how many are in. A planted passage is question + "." + wrong text (PoisonedRAG, black box), or the wrong text alone, and
 * stands first: it is assumed to have won retrieval. Gold is a passage with a correct answer in it. Nothing is asked of a language model,
 * so a planted passage that goes on is a chance for the attack, not its success.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRetrieval } from '../packages/core/src/core/create-retrieval.ts';
import { defend } from '../packages/core/src/core/defend.ts';
import { policyFromSpecs } from '../packages/core/src/core/policy-file.ts';
import type { Encoder } from '../packages/core/src/core/ports.ts';
import { DEFENSES } from '../packages/core/src/registry.generated.ts';
import { loadNgramLikelihood } from '../packages/models/src/ngram-likelihood.ts';
import { resolveEncoder } from '../packages/models/src/resolve-encoder.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shared: { type: 'string', default: process.env.BEZOAR_SHARED ?? '../shared' },
    limit: { type: 'string', default: 'Infinity' },
    cache: { type: 'string', default: join(tmpdir(), 'bezoar-embeddings') },
  },
});

const POOL = 10;
const SETTINGS = [
  { name: 'one', planted: 1, withQuestion: true },
  { name: 'three', planted: 3, withQuestion: true },
  { name: 'one without the question', planted: 1, withQuestion: false },
  { name: 'three without the question', planted: 3, withQuestion: false },
  { name: 'nothing planted', planted: 0, withQuestion: true },
] as const;
type Setting = (typeof SETTINGS)[number];
const ONNX = `onnx:${join(options.shared, 'models/all-MiniLM-L6-v2')}`;
const SPECS =
  positionals.length > 0
    ? positionals
    : [...Object.keys(DEFENSES), 'grada?weights=bm25', 'grada?weights=embedding', 'grada?similarity=embedding', 'standard'];

interface Passage {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

interface Question {
  readonly text: string;
  readonly clean: readonly Passage[];
  readonly gold: ReadonlySet<string>;
  readonly wrongTexts: readonly string[];
}

const records = <T>(path: string): T[] => readLines(path).map((line) => JSON.parse(line) as T);
const readLines = (path: string): string[] => readFileSync(join(options.shared, 'data', path), 'utf8').match(/[^\n]+/g) ?? [];

function readQuestions(dataset: string): Question[] {
  const corpus = new Map(records<Passage>(`${dataset}/corpus.jsonl`).map((passage) => [passage._id, passage]));
  const candidates = new Map(
    records<{ query_id: string; passage_ids: string[] }>(`${dataset}/candidates.jsonl`).map((row) => [row.query_id, row.passage_ids]),
  );
  const wrong = records<{ query_id: string; text: string }>(`${dataset}/misinformation.jsonl`);
  const qrels = readLines(`${dataset}/qrels/test.tsv`)
    .slice(1)
    .map((line) => line.split('\t'));
  return records<{ _id: string; text: string }>(`${dataset}/queries.jsonl`)
    .slice(0, Number(options.limit))
    .map(({ _id, text }) => ({
      text,
      clean: distinct(candidates.get(_id)!.map((id) => corpus.get(id)!)),
      gold: new Set(qrels.flatMap(([query, passage, score]) => (query === _id && Number(score) > 0 ? [passage!] : []))),
      wrongTexts: wrong.flatMap((row) => (row.query_id === _id ? [row.text] : [])),
    }));
}

/** Of passages with the same text, whitespace aside, the first. */
function distinct(passages: readonly Passage[]): Passage[] {
  const seen = new Set<string>();
  return passages.filter(({ title, text }) => {
    const key = `${title}\n${text}`.trim().replace(/\s+/g, ' ');
    return !seen.has(key) && seen.add(key);
  });
}

interface Counts {
  questions: number;
  poisoned: number;
  withGold: number;
  goldKept: number;
  /** Passages judged by filters and rewriters, and dropped by them. */
  judged: number;
  dropped: number;
  goOn: number;
  empty: number;
  /** `padTight` of the certificates that hold, in radians. */
  readonly pads: number[];
}

async function measure(spec: string, encoder: Encoder | null, questions: readonly Question[], setting: Setting): Promise<Counts> {
  const policy = policyFromSpecs([spec], { budgetMs: null });
  const counts: Counts = { questions: 0, poisoned: 0, withGold: 0, goldKept: 0, judged: 0, dropped: 0, goOn: 0, empty: 0, pads: [] };
  for (const { text, clean, gold, wrongTexts } of questions) {
    const beside = clean.slice(0, POOL - setting.planted);
    const planted = wrongTexts.slice(0, setting.planted).map((wrong) => ({ text: setting.withQuestion ? `${text}.${wrong}` : wrong }));
    if (planted.length + beside.length < POOL) continue;
    // Ids are places in the pool, so that none tells a defense what is planted.
    const pool = [...planted, ...beside.map((passage) => ({ text: passage.text, ...(passage.title ? { title: passage.title } : {}) }))];
    const result = await defend(createRetrieval(text, pool), policy, { encoder, likelihood });
    if (result.degraded) throw new Error(`${spec}: a stage failed`);
    const places = result.passages.map(({ id }) => Number(id.slice(1)) - 1);
    const isGold = (place: number): boolean => place >= planted.length && gold.has(beside[place - planted.length]!._id);
    counts.questions++;
    counts.goOn += places.length;
    if (places.length === 0) counts.empty++;
    if (places.some((place) => place < planted.length)) counts.poisoned++;
    if (pool.some((_, place) => isGold(place))) counts.withGold++;
    if (places.some(isGold)) counts.goldKept++;
    if (result.certificate?.holds) counts.pads.push(result.certificate.padTight!);
    const filters = result.stages.filter((_, index) => policy.stages[index]!.kind !== 'rerank');
    if (filters.length > 0) counts.judged += pool.length;
    counts.dropped += filters.flatMap(({ verdicts }) => verdicts).filter(({ action }) => action === 'drop').length;
  }
  return counts;
}

/** Percent, with Wilson's 95 % interval. */
function share(part: number, all: number): string {
  if (all === 0) return '–';
  const z = 1.959964;
  const p = part / all;
  const middle = p + (z * z) / (2 * all);
  const half = z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all));
  const [low, high] = [middle - half, middle + half].map((bound) => (100 * bound) / (1 + (z * z) / all));
  const digits = all < 1000 ? 0 : 1;
  return `${(100 * p).toFixed(1)} (${Math.max(0, low!).toFixed(digits)}–${Math.min(100, high!).toFixed(digits)})`;
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const likelihood = await loadNgramLikelihood();
const encoders = await Promise.all(['static', ONNX].map((spec) => resolveEncoder(spec, { cacheDir: options.cache })));
const densities = encoders.map(({ calibration }) => calibration?.density ?? 'none');
console.log(`Calibrated density: static ${densities[0]}, MiniLM ${densities[1]}.\n`);

for (const dataset of ['realtimeqa', 'simpleqa']) {
  const questions = readQuestions(dataset);
  const rows: { name: string; counts: readonly Counts[] }[] = [];
  for (const spec of SPECS) {
    for (const encoder of policyFromSpecs([spec]).stages.some(({ needs }) => needs.includes('embeddings')) ? encoders : [null]) {
      const counts: Counts[] = [];
      for (const setting of SETTINGS) counts.push(await measure(spec, encoder, questions, setting));
      rows.push({ name: `\`${spec}\`${encoder ? `, ${encoder === encoders[0] ? 'static' : 'MiniLM'}` : ''}`, counts });
    }
  }
  const attacks = SETTINGS.filter(({ planted }) => planted > 0);
  console.log(`**${dataset}**, share of questions with a planted passage among those that go on, in percent\n`);
  console.log(
    table(
      ['defense', ...attacks.map(({ name }, index) => `${name} (n = ${rows[0]!.counts[index]!.questions})`)],
      rows.map(({ name, counts }) => [name, ...attacks.map((_, index) => share(counts[index]!.poisoned, counts[index]!.questions))]),
    ),
  );
  console.log(`\n**${dataset}**, share of questions with gold in the pool that still have some, in percent; and what the defense leaves\n`);
  console.log(
    table(
      [
        'defense',
        ...SETTINGS.map(({ name }, index) => `${name} (n = ${rows[0]!.counts[index]!.withGold})`),
        `clean passages dropped by filters, nothing planted (n = ${rows[0]!.counts.at(-1)!.questions * POOL})`,
        'passages that go on, one / nothing planted',
        'pools left empty, nothing planted',
      ],
      rows.map(({ name, counts }) => [
        name,
        ...counts.map(({ goldKept, withGold }) => share(goldKept, withGold)),
        share(counts.at(-1)!.dropped, counts.at(-1)!.judged),
        [0, -1].map((setting) => (counts.at(setting)!.goOn / counts.at(setting)!.questions).toFixed(1)).join(' / '),
        String(counts.at(-1)!.empty),
      ]),
    ),
  );
  for (const { name, counts } of rows) {
    const pads = counts.at(-1)!.pads.sort((a, b) => a - b);
    if (pads.length === 0) continue;
    const below = pads.filter((pad) => pad < Math.PI / 2).length;
    console.log(
      `\n${name}, nothing planted: ${pads.length} certificates hold, padTight ${pads[0]!.toFixed(2)} to ${pads.at(-1)!.toFixed(2)}, below pi / 2 in ${below}`,
    );
  }
  console.log();
}
