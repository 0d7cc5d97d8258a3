import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { printable } from '@bezoar/bench/layout';
import {
  BezoarError,
  createRetrieval,
  createRunContext,
  type Encoder,
  type EncoderCalibration,
  type Passage,
  passageText,
  trustragFilter,
} from '@bezoar/core';
import { cosineSimilarity } from '@bezoar/core/kernels/cosine-similarity';
import { duplicateKey } from '@bezoar/core/kernels/normalize-text';
import { createRandom } from '@bezoar/core/kernels/random';
import { topK } from '@bezoar/core/kernels/top-k';
import { makeEncoder } from '../make-models.ts';
import { type Corpus, readCorpus } from '../read-corpus.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import { paint, type Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface CalibrateOptions extends CommonOptions {
  readonly encoder: string;
  readonly ngram?: boolean;
  readonly pool: number;
  readonly quantile: number;
  readonly out?: string;
}

/** Pools measured at the most: a quantile of 0.95 over 500 pools has a standard error of about 0.01 in rank. */
const MAX_POOLS = 500;
/** Passages searched at the most where the corpus does not say which a retriever would return. */
const MAX_SEARCHED = 5000;
/** Fewer pools than this say nothing about a quantile near 1. */
const MIN_POOLS = 20;

/** Measures thresholds on a corpus that its owner trusts, and stores them beside the encoder or in a file. */
export async function calibrate(path: string, options: CalibrateOptions, terminal: Terminal, log: Log): Promise<number> {
  const corpus = await readCorpus(path, terminal);
  return options.ngram ? calibrateNgram(corpus, options, terminal) : calibrateEncoder(corpus, options, terminal, log);
}

/**
 * `density` of `trustrag-filter`: the mean cosine that the tighter of a clean pool's two clusters stays below in the given share of pools.
 * A pool is what a retriever returned for a question (candidates.jsonl), else what the encoder itself finds for the corpus' questions, else
 * for its passages.
 */
async function calibrateEncoder(corpus: Corpus, options: CalibrateOptions, terminal: Terminal, log: Log): Promise<number> {
  const place = placeFor(options);
  const encoder = await makeEncoder(options.encoder, terminal);
  const pools = await cleanPools(corpus, encoder, options);
  if (pools.length < MIN_POOLS) {
    throw new BezoarError(
      'BAD_INPUT',
      `${corpus.name} makes ${pools.length} pools of ${options.pool} distinct passages, expected at least ${MIN_POOLS}; give a larger corpus or a smaller --pool`,
    );
  }
  const densities: number[] = [];
  for (const [index, pool] of pools.entries()) {
    progress(terminal, options, 'pools', index + 1, pools.length);
    densities.push(await densestCluster(pool, encoder));
  }
  densities.sort((a, b) => a - b);
  const density = densities[Math.min(densities.length - 1, Math.ceil(options.quantile * densities.length) - 1)]!;
  const flags = `${options.pool === 10 ? '' : ` --pool ${options.pool}`}${options.quantile === 0.95 ? '' : ` --quantile ${options.quantile}`}`;
  const calibration: EncoderCalibration = {
    density: Number(density.toFixed(4)),
    quantile: options.quantile,
    pools: pools.length,
    corpus: corpus.name,
    command: `bezoar calibrate ${corpus.name} --encoder ${options.encoder.startsWith('onnx:') ? 'onnx:DIR' : options.encoder}${flags}`,
  };
  const content = place.merge ? { ...(await existing(resolve(terminal.cwd, place.file))), calibration } : calibration;
  await withOutput(place.file, terminal, ({ write }) => write(`${JSON.stringify(content, null, 2)}\n`));
  if (place.file !== '-') {
    const share = `${Math.round(options.quantile * 100)} % of ${pools.length} clean pools of ${options.pool} stay below`;
    await terminal.write(
      `density ${paint(terminal, 'bold', calibration.density.toFixed(4))}: ${share}\nwritten to ${printable(place.file)}\n`,
    );
    if (!place.merge)
      log('info', `use it with: bezoar defend --defense trustrag-filter --encoder ${options.encoder} --calibration ${place.file}`);
  }
  return EXIT.done;
}

function placeFor({ encoder, out }: CalibrateOptions): { readonly file: string; readonly merge: boolean } {
  if (out !== undefined) return { file: out, merge: false };
  if (encoder.startsWith('onnx:')) return { file: join(encoder.slice('onnx:'.length).split('?')[0]!, 'bezoar.json'), merge: true };
  throw new BezoarError(
    'INVALID_OPTION',
    `${encoder} has no folder to store a calibration in; name a file with --out, and use it with defend --calibration`,
  );
}

async function existing(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new BezoarError('BAD_INPUT', `${file} is not JSON; mend or remove it`, { cause: error });
  }
}

async function cleanPools(corpus: Corpus, encoder: Encoder, options: CalibrateOptions): Promise<(readonly Passage[])[]> {
  const random = createRandom(options.seed ?? 0);
  const told = corpus.queries.filter((query) => query.candidates !== null);
  if (told.length > 0) {
    return random
      .shuffle(told)
      .slice(0, MAX_POOLS)
      .map((query) =>
        distinct(
          query.candidates!.map((id) => corpus.passages.get(id)!),
          options.pool,
        ),
      )
      .filter((pool) => pool.length === options.pool);
  }
  const searched = random.shuffle([...corpus.passages.values()]).slice(0, MAX_SEARCHED);
  const passages = distinct(searched, searched.length);
  const vectors = (
    await encoder.encode(
      passages.map((passage) => passageText(passage)),
      { role: 'passage' },
    )
  ).vectors;
  const asked = random
    .shuffle(corpus.queries.length > 0 ? corpus.queries.map(({ text }) => text) : passages.map(({ text }) => text))
    .slice(0, MAX_POOLS);
  const questions = (await encoder.encode(asked, { role: 'query' })).vectors;
  return questions
    .map((question) =>
      topK(
        vectors.map((vector) => cosineSimilarity(question, vector)),
        options.pool,
      ).map((index) => passages[index]!),
    )
    .filter((pool) => pool.length === options.pool);
}

function distinct(passages: readonly Passage[], count: number): Passage[] {
  const byKey = new Map<string, Passage>();
  for (const passage of passages) {
    if (byKey.size === count) break;
    const key = duplicateKey(passageText(passage));
    if (passage.text.trim() !== '' && !byKey.has(key)) byKey.set(key, passage);
  }
  return [...byKey.values()];
}

/** The mean cosine of the tighter cluster, as the filter itself splits the pool and scores it. */
async function densestCluster(pool: readonly Passage[], encoder: Encoder): Promise<number> {
  // Without the gate every pool is split; with a density of 1 nothing is dense, so every passage reports its own cluster.
  const { verdicts } = await trustragFilter({ gate: false, density: 1, mode: 'repo' }).run(
    createRetrieval('', pool),
    createRunContext({ encoder }),
  );
  return Math.max(...verdicts.map((verdict) => verdict.score ?? -1));
}

async function calibrateNgram(corpus: Corpus, options: CalibrateOptions, terminal: Terminal): Promise<number> {
  if (options.out === undefined) throw new BezoarError('INVALID_OPTION', '--ngram needs --out FILE, where the model goes');
  const { makeNgramLikelihood } = await import('@bezoar/models');
  const texts = [...corpus.passages.values()].map((passage) => passageText(passage));
  const { model, bytes } = await makeNgramLikelihood(texts, { quantile: options.quantile });
  await withOutput(options.out, terminal, ({ write }) => write(bytes));
  if (options.out === '-') return EXIT.done;
  await terminal.write(
    `threshold ${model.threshold.toFixed(3)} nats a token, from ${texts.length} passages\nwritten to ${printable(options.out)}; use it with defend --likelihood ${printable(options.out)}\n`,
  );
  return EXIT.done;
}

function progress(terminal: Terminal, options: CommonOptions, what: string, done: number, all: number): void {
  if (!terminal.interactiveError || options.quiet) return;
  terminal.writeError(done === all ? '\r\u001b[K' : `\r${done} of ${all} ${what}`);
}
