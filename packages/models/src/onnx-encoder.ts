import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BezoarError,
  closestName,
  type EncodedTexts,
  type EncodeOptions,
  type Encoder,
  type OptionSpec,
  option,
  readOptions,
  type TokenSpan,
} from '@bezoar/core';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { readEncoderFile } from './encoder-file.ts';
import { ENCODER_PRESETS, type EncoderPreset } from './encoder-presets.ts';
import { importPeer } from './import-peer.ts';
import { loadModelTokenizer, MASK, type TokenizedText } from './model-tokenizer.ts';

export interface OnnxEncoderOptions {
  /** The folder: `tokenizer.json` and `model.onnx`, and where there are `tokenizer_config.json`, `config.json`, `sentence_bert_config.json`, `bezoar.json`. */
  readonly dir: string;
  /** `node` runs native code, `web` WebAssembly: no native code, 3 to 5 times slower, and it blocks the event loop for each batch. Default `node`. */
  readonly runtime?: 'node' | 'web';
  /** A name in `ENCODER_PRESETS`, which sets pooling, prefixes and similarity. */
  readonly preset?: string;
  /** Default `mean`, over the tokens of the text; `cls` takes the first token's vector. */
  readonly pooling?: 'mean' | 'cls';
  readonly queryPrefix?: string;
  readonly passagePrefix?: string;
  /** Default `cosine`. */
  readonly similarity?: 'cosine' | 'dot';
  /** The window, in tokens, special tokens included. Default: see `loadOnnxEncoder`. */
  readonly maxTokens?: number;
  /** Texts run together, 1 to 1024. Default 32 (`node`) or 1 (`web`, where batches are no faster). Models that quantise as they run always take one at a time. */
  readonly batchSize?: number;
  /** Whether vectors are brought to unit length. Default: with `cosine` yes, with `dot` no. */
  readonly normalize?: boolean;
  /** Threads of the runtime. Default: the runtime's own. */
  readonly threads?: number;
}

/** An encoder that can say, in one string, what besides a text decides its vector. */
export interface FingerprintedEncoder extends Encoder {
  /** Changes with all that vectors depend on: model, tokeniser, window, pooling, prefixes. Of weights in files beside the model it knows nothing. */
  readonly fingerprint: string;
}

const prefix = (role: string): OptionSpec<string | null> =>
  option.nullable(
    {
      ...option.text('', `Put before every ${role}.`, 'text'),
      read: (value) => (typeof value === 'string' && value.length <= 1000 ? value : undefined), // empty takes a prefix away
    },
    'default: as the preset or the folder says',
  );

/** The options that a SPEC can hold: all but the folder; there they are written `onnx:DIR?pooling=cls&maxTokens=256`. */
export const ONNX_ENCODER_OPTIONS = {
  runtime: option.choice(['node', 'web'], 'node', 'Native code or WebAssembly.'),
  preset: option.nullable(option.text('', 'A family of encoders.', 'name of a preset'), 'default: none'),
  pooling: option.nullable(
    option.choice(['mean', 'cls'], 'mean', 'Mean of the tokens or the first.'),
    'default: as the preset or the folder says',
  ),
  queryPrefix: prefix('query'),
  passagePrefix: prefix('passage'),
  similarity: option.nullable(
    option.choice(['cosine', 'dot'], 'cosine', 'How vectors are compared.'),
    'default: as the preset or the folder says',
  ),
  // 8: the special tokens and something to say
  maxTokens: option.nullable(option.number(512, 'The window.', { min: 8, max: 1_000_000, integer: true }), 'default: as the folder says'),
  batchSize: option.nullable(option.number(32, 'Texts run together.', { min: 1, max: 1024, integer: true }), 'default: by the runtime'),
  normalize: option.nullable(option.flag(true, 'To unit length.'), 'default: on with cosine'),
  threads: option.nullable(option.number(1, 'Threads of the runtime.', { min: 1, max: 256, integer: true }), "default: the runtime's own"),
};

const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
/** What a graph holds when it picks the scale of its activations from the batch it is given. */
const DYNAMIC_QUANTIZATION = ['DynamicQuantizeLinear', 'DynamicQuantizeMatMul', 'MatMulInteger'];
/** Where no file says: what BERT and its kin were trained with. */
const USUAL_WINDOW = 512;
/** Families that number positions from 2, so that two of `max_position_embeddings` are not for tokens. */
const OFFSET_POSITIONS = ['camembert', 'mpnet', 'roberta', 'xlm-roberta'];
/** Node.js reads no file over 2 GiB at once. */
const LARGEST_MODEL = 2 ** 31 - 1;

/** About 10 ms of work on passages. */
const TOKENIZED_AT_A_TIME = 32;

interface Session {
  run(ids: BigInt64Array, mask: BigInt64Array, rows: number, columns: number): Promise<Tensor>;
}

/**
 * Loads a sentence encoder from a folder: `tokenizer.json` and `model.onnx`, as `optimum-cli export onnx` writes them. The same text gives
 * the same vector whatever it is encoded with, up to 1e-6 for float models and exactly for those that quantise as they run, which
 * therefore take texts one at a time. Empty text gives the vector of the special tokens alone; a model that returns a number
 * that is not finite has it in the vector, and defenses set that one text aside instead of failing with all.
 *
 * Settings come, the first that says: from `options`, from the preset, from the folder's `bezoar.json`, else mean pooling, no prefixes, cosine.
 *
 * The window is, the first that says: `options.maxTokens`; `max_seq_length` of `sentence_bert_config.json`; the smaller of
 * `model_max_length` of `tokenizer_config.json` and `max_position_embeddings` of `config.json`; 512. It is never more than the model's positions.
 *
 * `maskToken` is a character that stands for the model's own mask token, which no text can spell; it and `tokenSpans` are there for uncased BERT
 * tokenisers, which most sentence encoders have. `tokenSpans` says where a passage's tokens stand.
 *
 * Cost: one run of the model at loading (to learn the width), then one a batch. Batches are sorted by length, so that little is padding.
 *
 * @throws {BezoarError} `NOT_FOUND` for a missing folder or file, `BAD_INPUT` for a file that is not what its name says,
 *   `INVALID_OPTION`, `MISSING_PEER` when `onnxruntime-node` (or `-web`) is not installed, or, for tokenisers other than uncased BERT's,
 *   `@huggingface/tokenizers`.
 */
export const loadOnnxEncoder = async (options: OnnxEncoderOptions): Promise<FingerprintedEncoder> => {
  const { dir, ...given } = options;
  const name = `onnx:${dir}`;
  const { runtime, preset: presetName, threads, ...asked } = readOptions(ONNX_ENCODER_OPTIONS, given, name);
  const preset = presetNamed(presetName);
  const folder = await stat(dir).catch(() => null);
  if (folder === null || !folder.isDirectory()) {
    throw new BezoarError(
      'NOT_FOUND',
      `${dir}: no such folder; expected an encoder's folder with tokenizer.json and model.onnx (make one with \`optimum-cli export onnx --model NAME ${dir}\`)`,
      { details: { file: dir } },
    );
  }
  const tokenizerPath = join(dir, 'tokenizer.json');
  const modelPath = join(dir, 'model.onnx');
  const tokenizerFile = await readJson(tokenizerPath);
  if (tokenizerFile === undefined) throw missing(tokenizerPath, 'the tokeniser of the model');
  const bytes = await readModel(modelPath);
  const tokenizerConfig = asRecord(await readJson(join(dir, 'tokenizer_config.json')));
  const bezoarPath = join(dir, 'bezoar.json');
  const file = (await exists(bezoarPath)) ? await readEncoderFile(bezoarPath) : {};
  const settings = {
    pooling: asked.pooling ?? preset?.pooling ?? file.pooling ?? 'mean',
    queryPrefix: asked.queryPrefix ?? preset?.queryPrefix ?? file.queryPrefix ?? '',
    passagePrefix: asked.passagePrefix ?? preset?.passagePrefix ?? file.passagePrefix ?? '',
    similarity: asked.similarity ?? preset?.similarity ?? file.similarity ?? 'cosine',
    maxTokens: await windowOf(dir, tokenizerConfig, asked.maxTokens),
  } as const;
  const normalize = asked.normalize ?? settings.similarity === 'cosine';
  const { pooling, maxTokens } = settings;

  const tokenizer = await loadModelTokenizer(tokenizerPath, tokenizerFile, tokenizerConfig);
  const single = DYNAMIC_QUANTIZATION.some((operator) => bytes.includes(operator));
  const batchSize = single ? 1 : (asked.batchSize ?? (runtime === 'web' ? 1 : 32));
  const fingerprint = createHash('sha256')
    .update(bytes)
    .update(JSON.stringify(tokenizerFile))
    .update(JSON.stringify([settings, normalize, runtime]))
    .digest('hex');
  const session = await openSession(runtime, modelPath, bytes, threads);

  const pool = (output: Float32Array, mask: BigInt64Array, rows: number, columns: number, width: number): Float32Array[] =>
    Array.from({ length: rows }, (_, row) => {
      const vector = new Float32Array(width);
      const start = row * columns * width;
      if (pooling === 'cls') vector.set(output.subarray(start, start + width));
      else meanOver(output, start, mask.subarray(row * columns, (row + 1) * columns), vector);
      if (normalize) toUnitLength(vector);
      return vector;
    });

  /** Runs one batch; checks what comes back. */
  const runBatch = async (batch: readonly (readonly number[])[]): Promise<Float32Array[]> => {
    const columns = Math.max(1, ...batch.map((ids) => ids.length)); // no runtime takes a tensor without columns
    const ids = new BigInt64Array(batch.length * columns).fill(BigInt(tokenizer.padId));
    const mask = new BigInt64Array(batch.length * columns);
    for (const [row, tokens] of batch.entries()) {
      for (let column = 0; column < tokens.length; column++) {
        ids[row * columns + column] = BigInt(tokens[column]);
        mask[row * columns + column] = 1n;
      }
    }
    const output = await session.run(ids, mask, batch.length, columns);
    const [rows, length, width] = output.dims;
    if (output.dims.length !== 3 || rows !== batch.length || length !== columns || output.type !== 'float32') {
      throw new BezoarError(
        'BAD_INPUT',
        `${modelPath}: its output is ${output.type} of shape [${output.dims.join(', ')}]; expected token vectors, float32 of shape [${batch.length}, ${columns}, width]: export the model with \`--task feature-extraction\``,
        { details: { file: modelPath, expected: 'float32 [texts, tokens, width]' } },
      );
    }
    return pool(output.data as Float32Array, mask, rows, columns, width);
  };

  const [probe] = await runBatch([tokenizer.encode('a', maxTokens).ids]);
  const dimensions = probe.length;

  const encode = async (texts: readonly string[], { role, signal }: EncodeOptions): Promise<EncodedTexts> => {
    const textPrefix = role === 'query' ? settings.queryPrefix : settings.passagePrefix;
    const breathe = async (done: number): Promise<void> => {
      await new Promise(setImmediate); // lets timers, and so aborts, in: tokenising and the runs of WebAssembly hold the event loop
      if (!signal?.aborted) return;
      throw new BezoarError('ABORTED', `${name}: aborted after ${done} of ${texts.length} texts`, { cause: signal.reason });
    };
    const tokenized: TokenizedText[] = [];
    for (const [i, text] of texts.entries()) {
      if (i % TOKENIZED_AT_A_TIME === 0) await breathe(0);
      tokenized.push(tokenizer.encode(textPrefix + text, maxTokens));
    }
    const byLength = tokenized.map((_, i) => i).sort((a, b) => tokenized[a].ids.length - tokenized[b].ids.length);
    const vectors = new Array<Float32Array>(texts.length);
    for (let start = 0; start < byLength.length; start += batchSize) {
      await breathe(start);
      const batch = byLength.slice(start, start + batchSize);
      const encoded = await runBatch(batch.map((i) => tokenized[i].ids));
      for (const [row, i] of batch.entries()) vectors[i] = encoded[row];
    }
    return { vectors, truncated: tokenized.map((text) => text.truncated) };
  };

  const { spans } = tokenizer;
  const before = settings.passagePrefix.length;
  // Of a passage: what stands before it takes room in the window and is not the text's.
  const spansOf = (text: string): TokenSpan[] =>
    spans!(settings.passagePrefix + text, maxTokens).flatMap(({ start, end }) =>
      end <= before ? [] : [{ start: Math.max(0, start - before), end: end - before }],
    );

  return {
    name,
    dimensions,
    similarity: settings.similarity,
    fingerprint,
    maskToken: tokenizer.masks ? MASK : null,
    ...(spans ? { tokenSpans: (texts) => texts.map(spansOf) } : {}),
    ...(file.calibration === undefined ? {} : { calibration: file.calibration }),
    encode,
  };
};

/** The mean of the token vectors whose mask is 1, into `mean`. The sums are in double precision. */
const meanOver = (tokens: Float32Array, start: number, mask: BigInt64Array, mean: Float32Array): void => {
  const sums = new Float64Array(mean.length);
  let count = 0;
  for (let column = 0; column < mask.length; column++) {
    if (mask[column] === 0n) continue;
    count++;
    const at = start + column * mean.length;
    for (let k = 0; k < mean.length; k++) sums[k] += tokens[at + k];
  }
  for (let k = 0; k < mean.length; k++) mean[k] = count === 0 ? 0 : sums[k] / count;
};

const toUnitLength = (vector: Float32Array): void => {
  let squares = 0;
  for (const x of vector) squares += x * x;
  if (squares > 0) for (let k = 0; k < vector.length; k++) vector[k] /= Math.sqrt(squares);
};

const openSession = async (runtime: 'node' | 'web', path: string, bytes: Uint8Array, threads: number | null): Promise<Session> => {
  const peer = `onnxruntime-${runtime}`;
  const purpose = 'to run ONNX encoders';
  const runtimeModule =
    runtime === 'web'
      ? await importPeer(() => import('onnxruntime-web'), peer, purpose)
      : await importPeer(() => import('onnxruntime-node'), peer, purpose);
  // The WebAssembly build takes its threads when its first session opens, for all.
  if (runtime === 'web' && threads !== null) runtimeModule.env.wasm.numThreads = threads;
  const sessionOptions: InferenceSession.SessionOptions = {
    logSeverityLevel: 4, // only what ends the process: errors are thrown, the rest is about itself
    extra: { session: { intra_op: { allow_spinning: '0' } } }, // waiting threads would take the cores from the rest of the process
    ...(runtime === 'node' && threads !== null ? { intraOpNumThreads: threads } : {}),
  };
  let session: InferenceSession;
  try {
    // By its path a model finds the weights that lie beside it in files of their own; the web build has no files.
    session = await (runtime === 'node'
      ? runtimeModule.InferenceSession.create(path, sessionOptions)
      : runtimeModule.InferenceSession.create(bytes, sessionOptions));
  } catch (cause) {
    throw new BezoarError(
      'BAD_INPUT',
      `${path}: ${peer} cannot open it (${reason(cause)}); expected an ONNX model: copy or export it again`,
      {
        cause,
        details: { file: path },
      },
    );
  }
  const strange = session.inputNames.filter((name) => !KNOWN_INPUTS.includes(name));
  if (strange.length > 0 || !session.inputNames.includes('input_ids')) {
    throw new BezoarError(
      'BAD_INPUT',
      `${path}: its inputs are ${session.inputNames.join(', ')}; expected input_ids and, at most, ${KNOWN_INPUTS.slice(1).join(' and ')}: this is not a text encoder that can be run here`,
      { details: { file: path, received: session.inputNames.join(', ') } },
    );
  }
  // Exports name the token vectors so; a graph with one output can only mean that one.
  const outputName = ['last_hidden_state', 'token_embeddings'].find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  return {
    async run(ids, mask, rows, columns) {
      const data: Record<string, BigInt64Array> = { input_ids: ids, attention_mask: mask, token_type_ids: new BigInt64Array(ids.length) };
      const feeds = Object.fromEntries(
        session.inputNames.map((name) => [name, new runtimeModule.Tensor('int64', data[name], [rows, columns])] as const),
      );
      try {
        return (await session.run(feeds, [outputName]))[outputName] as Tensor;
      } catch (cause) {
        throw new BezoarError('ENCODER_FAILED', `${path}: the model failed on ${rows} texts of ${columns} tokens (${reason(cause)})`, {
          cause,
          details: { file: path },
        });
      }
    },
  };
};

/** See `loadOnnxEncoder` for the rule. */
const windowOf = async (dir: string, tokenizerConfig: Record<string, unknown>, asked: number | null): Promise<number> => {
  const config = asRecord(await readJson(join(dir, 'config.json')));
  const sentence = asRecord(await readJson(join(dir, 'sentence_bert_config.json')));
  const positive = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isFinite(value) && value >= 1 ? Math.floor(value) : undefined;
  const all = positive(config.max_position_embeddings);
  const positions = all === undefined ? undefined : all - (OFFSET_POSITIONS.includes(String(config.model_type)) ? 2 : 0);
  if (asked !== null && positions !== undefined && asked > positions) {
    throw new BezoarError(
      'INVALID_OPTION',
      `maxTokens is ${asked}, but ${join(dir, 'config.json')} gives the model ${positions} positions`,
      {
        details: { field: 'maxTokens', expected: `at most ${positions}` },
      },
    );
  }
  const window = asked ?? positive(sentence.max_seq_length) ?? positive(tokenizerConfig.model_max_length) ?? USUAL_WINDOW;
  // A tokeniser without a limit of its own writes one of 1e30.
  return Math.min(window, positions ?? (window > 1e6 ? USUAL_WINDOW : window));
};

const presetNamed = (name: string | null): EncoderPreset | null => {
  if (name === null) return null;
  if (Object.hasOwn(ENCODER_PRESETS, name)) return ENCODER_PRESETS[name];
  const names = Object.keys(ENCODER_PRESETS);
  const closest = closestName(name, names);
  const remedy = closest === null ? `there are ${names.join(', ')}` : `did you mean ${closest}?`;
  throw new BezoarError('UNKNOWN_NAME', `no encoder preset is called ${JSON.stringify(name.slice(0, 80))}; ${remedy}`, {
    details: { field: 'preset', closest },
  });
};

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;
const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const missing = (path: string, what: string): BezoarError =>
  new BezoarError('NOT_FOUND', `${path}: no such file; expected ${what}, as \`optimum-cli export onnx\` writes it`, {
    details: { file: path },
  });

/** The parsed file, or undefined when there is none. */
const readJson = async (path: string): Promise<unknown> => {
  if (!(await exists(path))) return undefined;
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new BezoarError(
      'BAD_INPUT',
      `${path}: not valid JSON (${reason(cause)}); expected the file of a Hugging Face model: download it again`,
      {
        cause,
        details: { file: path },
      },
    );
  }
};

const readModel = async (path: string): Promise<Buffer> => {
  const facts = await stat(path).catch(() => null);
  if (facts === null || !facts.isFile()) throw missing(path, 'the model');
  if (facts.size > LARGEST_MODEL) {
    throw new BezoarError(
      'TOO_LARGE',
      `${path}: ${facts.size} bytes; at most ${LARGEST_MODEL}: keep the weights in a file beside it, or quantise them`,
      {
        details: { file: path },
      },
    );
  }
  return readFile(path);
};
