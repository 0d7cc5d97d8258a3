import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { afterAll, describe, expect, test } from 'vitest';
import golden from '../../../tests/golden/onnx-encoder.json' with { type: 'json' };
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { type TinyModel, tinyOnnxFolder } from '../../../tests/tiny-onnx-model.ts';
import { ENCODER_PRESETS } from './encoder-presets.ts';
import { loadModelTokenizer } from './model-tokenizer.ts';
import { loadOnnxEncoder, type OnnxEncoderOptions } from './onnx-encoder.ts';
import { testEncoder } from './testing/test-encoder.ts';

const folders: string[] = [];
const folder = (model?: TinyModel, files?: Readonly<Record<string, unknown>>): string => {
  const dir = tinyOnnxFolder(model, files);
  folders.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of folders) rmSync(dir, { recursive: true });
});

const refusal = async (work: Promise<unknown>): Promise<{ code: string; message: string }> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!BezoarError.is(error)) throw new Error(`expected a BezoarError, got ${String(error)}`);
  return { code: error.code, message: error.message };
};
const tiny = (options: Partial<OnnxEncoderOptions> = {}, model?: TinyModel, files?: Readonly<Record<string, unknown>>) =>
  loadOnnxEncoder({ normalize: false, dir: folder(model, files), ...options });
const vectorsOf = async (encoder: Awaited<ReturnType<typeof tiny>>, texts: readonly string[], role: 'query' | 'passage' = 'passage') =>
  (await encoder.encode(texts, { role })).vectors.map((vector) => [...vector]);

// Token i has the vector [i, i * i]; [CLS] is 2, [SEP] 3, alpha 4, beta 5, gamma 6, delta 7, ask 8, say 9.
describe.each(['node', 'web'] as const)('a model worked out by hand, on onnxruntime-%s', (runtime) => {
  test('means over the tokens of the text, padding left out', async () => {
    const encoder = await tiny({ runtime });
    expect(encoder.dimensions).toBe(2);
    expect(encoder.similarity).toBe('cosine');
    expect(await vectorsOf(encoder, ['alpha', 'alpha beta gamma delta', ''])).toEqual([
      [(2 + 4 + 3) / 3, (4 + 16 + 9) / 3].map(Math.fround),
      [(2 + 4 + 5 + 6 + 7 + 3) / 6, (4 + 16 + 25 + 36 + 49 + 9) / 6].map(Math.fround),
      [(2 + 3) / 2, (4 + 9) / 2],
    ]);
  });

  test('takes the first token when told to', async () => {
    expect(await vectorsOf(await tiny({ runtime, pooling: 'cls' }), ['alpha', 'beta gamma'])).toEqual([
      [2, 4],
      [2, 4],
    ]);
  });

  test('brings vectors to unit length with cosine, and leaves them with dot', async () => {
    const dir = folder();
    const [unit] = await vectorsOf(await loadOnnxEncoder({ dir, runtime, pooling: 'cls' }), ['alpha']);
    expect(unit).toEqual([2 / Math.sqrt(20), 4 / Math.sqrt(20)].map(Math.fround));
    const dot = await loadOnnxEncoder({ dir, runtime, pooling: 'cls', similarity: 'dot' });
    expect(dot.similarity).toBe('dot');
    expect(await vectorsOf(dot, ['alpha'])).toEqual([[2, 4]]);
  });

  test('feeds only the inputs that the graph has', async () => {
    const only = await tiny({ runtime }, { inputs: ['input_ids'] });
    expect(await vectorsOf(only, [''])).toEqual([[2.5, 6.5]]);
    const two = await tiny({ runtime }, { inputs: ['input_ids', 'attention_mask'] });
    expect(await vectorsOf(two, [''])).toEqual([[2.5, 6.5]]);
  });

  test('reads the mask, which no text can spell, as the mask token, and says where tokens stand', async () => {
    const json = JSON.parse(readFileSync(join(folder(), 'tokenizer.json'), 'utf8')) as { added_tokens: { id: number; content: string }[] };
    const withMask = { ...json, added_tokens: [...json.added_tokens, { ...json.added_tokens[0]!, id: 8, content: '[MASK]' }] };
    const encoder = await tiny({ runtime, passagePrefix: 'say ', maxTokens: 8 }, {}, { 'tokenizer.json': withMask });
    const mask = encoder.maskToken!;
    expect(await vectorsOf(encoder, [`alpha${mask}${mask} beta`, 'alpha [MASK] beta'])).toEqual([
      [(2 + 9 + 4 + 8 + 8 + 5 + 3) / 7, (4 + 81 + 16 + 64 + 64 + 25 + 9) / 7].map(Math.fround),
      // The spelling is its characters: alpha [ unknown ] beta, cut at the window of 8.
      [(2 + 9 + 4 + 10 + 1 + 11 + 5 + 3) / 8, (4 + 81 + 16 + 100 + 1 + 121 + 25 + 9) / 8].map(Math.fround),
    ]);
    // Eight tokens: two around the text, one before it, five of its own.
    expect(encoder.tokenSpans!(['alpha  beta', 'a b c d e f g', ''])).toEqual([
      [
        { start: 0, end: 5 },
        { start: 7, end: 11 },
      ],
      [0, 2, 4, 6, 8].map((start) => ({ start, end: start + 1 })),
      [],
    ]);
    expect((await tiny({ runtime })).maskToken).toBeNull();
  });

  test('takes calls at the same time', async () => {
    const encoder = await tiny({ runtime, batchSize: 1 });
    const words = ['alpha', 'beta', 'gamma', 'delta'];
    const together = await Promise.all(words.map((word) => vectorsOf(encoder, [word, word])));
    for (const [i, word] of words.entries()) expect(together[i]).toEqual(await vectorsOf(encoder, [word, word]));
  });

  test('stops between batches when the signal has fired', async () => {
    const encoder = await tiny({ runtime, batchSize: 1 });
    let looks = 0; // one before tokenising, one before each batch
    const signal = {
      get aborted() {
        return ++looks > 5;
      },
      reason: 'enough',
    } as unknown as AbortSignal;
    const found = await refusal(
      encoder.encode(
        Array.from({ length: 10 }, () => 'alpha'),
        { role: 'passage', signal },
      ),
    );
    expect(found).toEqual({ code: 'ABORTED', message: expect.stringMatching(/aborted after 4 of 10 texts$/) });
  });

  test('lets timers in while it works', async () => {
    const encoder = await tiny({ runtime, batchSize: 1 });
    const texts = Array.from({ length: 50_000 }, () => 'alpha');
    expect((await refusal(encoder.encode(texts, { role: 'passage', signal: AbortSignal.timeout(20) }))).code).toBe('ABORTED');
  });
});

describe('settings', () => {
  test('prefixes go before texts by role', async () => {
    const encoder = await tiny({ queryPrefix: 'ask ', passagePrefix: 'say ' });
    const plain = await tiny();
    expect(await vectorsOf(encoder, ['alpha'], 'query')).toEqual(await vectorsOf(plain, ['ask alpha']));
    expect(await vectorsOf(encoder, ['alpha'], 'passage')).toEqual(await vectorsOf(plain, ['say alpha']));
  });

  test('bezoar.json is read, a preset wins over it, an option over both', async () => {
    const calibration = { density: 0.5, quantile: 0.95, pools: 10, corpus: 'hotpotqa', command: 'bezoar calibrate' };
    const files = { 'bezoar.json': { pooling: 'cls', similarity: 'dot', queryPrefix: 'ask ', passagePrefix: 'say ', calibration } };
    const encoder = await tiny({}, {}, files);
    expect(encoder.calibration).toEqual(calibration);
    expect(encoder.similarity).toBe('dot');
    expect(await vectorsOf(encoder, ['alpha'])).toEqual([[2, 4]]);
    const preset = await tiny({ preset: 'minilm' }, {}, files);
    expect(preset.similarity).toBe('cosine');
    expect(await vectorsOf(preset, [''])).toEqual([[2.5, 6.5]]);
    const option = await tiny({ preset: 'minilm', similarity: 'dot', pooling: 'cls' }, {}, files);
    expect(option.similarity).toBe('dot');
    expect(await vectorsOf(option, [''])).toEqual([[2, 4]]);
    const emptied = await tiny({ queryPrefix: '', pooling: 'mean' }, {}, files);
    expect(await vectorsOf(emptied, ['alpha'], 'query')).toEqual(await vectorsOf(await tiny(), ['alpha']));
  });

  test('the table of presets says what the model cards say', () => {
    const rows = Object.entries(ENCODER_PRESETS).map(([name, { pooling, similarity }]) => `${name} ${pooling} ${similarity}`);
    expect(rows).toEqual([
      'ance cls dot',
      'bert cls cosine',
      'bge cls cosine',
      'contriever mean dot',
      'gte mean cosine',
      'gte-v1.5 cls cosine',
      'minilm mean cosine',
      'multilingual-e5 mean cosine',
      'simcse cls cosine',
    ]);
    expect(ENCODER_PRESETS['multilingual-e5']).toMatchObject({ queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    expect(ENCODER_PRESETS.bge).toMatchObject({
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
    });
  });

  // What is kept is seen from the mean: with a window of n, [CLS], n - 2 times alpha, [SEP].
  const windowOf = async (options: Partial<OnnxEncoderOptions>, files: Readonly<Record<string, unknown>>): Promise<number> => {
    const encoder = await tiny(options, {}, files);
    const { vectors, truncated } = await encoder.encode([Array.from({ length: 2000 }, () => 'alpha').join(' ')], { role: 'passage' });
    expect(truncated).toEqual([true]);
    return Math.round(3 / (4 - vectors[0][0])); // mean = 4 - 3 / n
  };
  test.each([
    [512, {}, {}],
    [256, {}, { 'sentence_bert_config.json': { max_seq_length: 256 }, 'tokenizer_config.json': { model_max_length: 300 } }],
    [300, {}, { 'sentence_bert_config.json': { max_seq_length: null }, 'tokenizer_config.json': { model_max_length: 300 } }],
    [128, {}, { 'tokenizer_config.json': { model_max_length: 512 }, 'config.json': { max_position_embeddings: 128 } }],
    [128, {}, { 'tokenizer_config.json': { model_max_length: 1e30 }, 'config.json': { max_position_embeddings: 128 } }],
    [
      126,
      {},
      { 'tokenizer_config.json': { model_max_length: 1e30 }, 'config.json': { max_position_embeddings: 128, model_type: 'xlm-roberta' } },
    ],
    [512, {}, { 'tokenizer_config.json': { model_max_length: 1e30 } }],
    [60, { maxTokens: 60 }, { 'sentence_bert_config.json': { max_seq_length: 256 } }],
  ])('window %i for %o and %o', async (expected, options, files) => {
    expect(await windowOf(options, files)).toBe(expected);
  });

  test('a text that fills the window is whole, one token more is truncated and ends in [SEP]', async () => {
    const encoder = await tiny({ maxTokens: 8 });
    const six = 'alpha beta gamma delta alpha beta';
    const { vectors, truncated } = await encoder.encode([six, `${six} gamma`, `alpha${' '.repeat(8 * 128)}beta`], { role: 'passage' });
    expect(truncated).toEqual([false, true, true]);
    expect(vectors[1]).toEqual(vectors[0]);
    expect(vectors[0][0]).toBe((2 + 4 + 5 + 6 + 7 + 4 + 5 + 3) / 8);
  });

  test('special tokens that a text spells are read as characters', async () => {
    const [spelled, inWords] = await vectorsOf(await tiny(), ['alpha [SEP] beta', 'alpha [ sep ] beta']);
    expect(spelled).toEqual(inWords);
    const ids = [2, 4, 10, 12, 11, 5, 3];
    expect(spelled[0]).toBe(Math.fround(ids.reduce((sum, id) => sum + id) / ids.length));
  });

  test('the fingerprint changes with what changes vectors and with nothing else', async () => {
    const dir = folder();
    const of = async (options: Partial<OnnxEncoderOptions>): Promise<string> => (await loadOnnxEncoder({ dir, ...options })).fingerprint;
    const plain = await of({});
    expect(await of({ batchSize: 3 })).toBe(plain);
    const others = [
      { pooling: 'cls' },
      { maxTokens: 100 },
      { normalize: false },
      { queryPrefix: 'ask ' },
      { passagePrefix: 'say ' },
    ] as const;
    const prints = new Set([plain, ...(await Promise.all(others.map(of)))]);
    expect(prints.size).toBe(others.length + 1);
    expect((await tiny({ normalize: true }, { rows: Array.from({ length: 13 }, () => [1, 2]) })).fingerprint).not.toBe(plain);
  });
});

describe('refusals say what is wrong, where, and what to do', () => {
  test.each<[string, Readonly<Record<string, unknown>>, TinyModel, RegExp, string]>([
    ['no tokenizer.json', { 'tokenizer.json': null }, {}, /tokenizer\.json: no such file; expected the tokeniser/, 'NOT_FOUND'],
    ['no model.onnx', { 'model.onnx': null }, {}, /model\.onnx: no such file; expected the model/, 'NOT_FOUND'],
    ['a tokenizer.json that is not JSON', { 'tokenizer.json': '{' }, {}, /tokenizer\.json: not valid JSON/, 'BAD_INPUT'],
    ['a tokenizer.json that is something else', { 'tokenizer.json': { a: 1 } }, {}, /tokenizer\.json: no "added_tokens"/, 'BAD_INPUT'],
    [
      'a tokenizer.json of an unknown kind',
      { 'tokenizer.json': { added_tokens: [], model: { type: 'Odd' } } },
      {},
      /tokenizer\.json: not a tokeniser that/,
      'BAD_INPUT',
    ],
    [
      'a model.onnx that is something else',
      { 'model.onnx': 'not a model' },
      {},
      /model\.onnx: onnxruntime-node cannot open it/,
      'BAD_INPUT',
    ],
    ['inputs of another kind of model', {}, { inputs: ['pixel_values'] }, /inputs are pixel_values; expected input_ids/, 'BAD_INPUT'],
    ['one input too many', {}, { inputs: ['input_ids', 'past_key_values'] }, /inputs are input_ids, past_key_values/, 'BAD_INPUT'],
    ['an output without token vectors', {}, { pooled: true }, /float32 of shape \[1, 2\]; expected token vectors/, 'BAD_INPUT'],
    [
      'a field of bezoar.json that is not one',
      { 'bezoar.json': { poling: 'cls' } },
      {},
      /bezoar\.json: "poling" is not a field of this file; did you mean "pooling"\?/,
      'BAD_INPUT',
    ],
    [
      'a value of bezoar.json that is not one',
      { 'bezoar.json': { pooling: 'max' } },
      {},
      /"pooling" must be "mean" or "cls", found "max"/,
      'BAD_INPUT',
    ],
    [
      'a calibration without its quantile',
      { 'bezoar.json': { calibration: { density: 0.5 } } },
      {},
      /"calibration\.quantile" must be a number from 0 to 1, found nothing/,
      'BAD_INPUT',
    ],
    ['a bezoar.json that is a list', { 'bezoar.json': [] }, {}, /bezoar\.json: expected a JSON object/, 'BAD_INPUT'],
  ])('%s', async (_, files, model, message, code) => {
    const found = await refusal(tiny({}, model, files));
    expect(found).toEqual({ code, message: expect.stringMatching(message) });
  });

  test('no folder', async () => {
    expect(await refusal(loadOnnxEncoder({ dir: '/no/such/folder' }))).toEqual({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/^\/no\/such\/folder: no such folder; expected .* tokenizer\.json and model\.onnx .*optimum-cli/),
    });
    const dir = folder();
    expect((await refusal(loadOnnxEncoder({ dir: join(dir, 'model.onnx') }))).code).toBe('NOT_FOUND');
  });

  test.each<[Record<string, unknown>, RegExp, string]>([
    [{ pooling: 'max' }, /pooling is "max", expected mean \| cls/, 'INVALID_OPTION'],
    [{ maxTokens: 4 }, /maxTokens is 4, expected whole number from 8/, 'INVALID_OPTION'],
    [{ batchsize: 4 }, /unknown option "batchsize"; did you mean batchSize\?/, 'INVALID_OPTION'],
    [{ preset: 'contreiver' }, /no encoder preset is called "contreiver"; did you mean contriever\?/, 'UNKNOWN_NAME'],
  ])('option %o', async (options, message, code) => {
    expect(await refusal(tiny(options as Partial<OnnxEncoderOptions>))).toEqual({ code, message: expect.stringMatching(message) });
  });

  test('a window over the positions of the model', async () => {
    const found = await refusal(tiny({ maxTokens: 200 }, {}, { 'config.json': { max_position_embeddings: 128 } }));
    expect(found).toEqual({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/maxTokens is 200, but .*config\.json gives the model 128 positions/),
    });
  });

  test('a vector that is not finite spoils no other', async () => {
    const rows = Array.from({ length: 13 }, (_, i) => [i === 5 ? Number.NaN : i]);
    const encoder = await tiny({}, { rows });
    const { vectors } = await encoder.encode(['alpha', 'beta'], { role: 'passage' });
    expect(vectors.map((vector) => vector.every(Number.isFinite))).toEqual([true, false]);
  });

  test('a graph that quantises as it runs takes texts one at a time', async () => {
    // A table that ends before `delta`: the run fails, and its message says how many texts were in it.
    const rows = Array.from({ length: 7 }, (_, i) => [i]);
    const texts = ['delta', 'delta', 'delta'];
    const plain = await refusal((await tiny({}, { rows })).encode(texts, { role: 'passage' }));
    expect(plain.message).toMatch(/failed on 3 texts of 3 tokens/);
    const quantised = await refusal((await tiny({}, { rows, graphName: 'DynamicQuantizeLinear' })).encode(texts, { role: 'passage' }));
    expect(quantised.message).toMatch(/failed on 1 texts of 3 tokens/);
  });
});

type Numbers = { readonly first: readonly number[]; readonly norm: number };
const MODELS = [
  // The largest differences of a component, as a share of the vector's length, found with onnxruntime 1.30.0 on x86-64, with a margin.
  { name: 'all-MiniLM-L6-v2', tolerance: { node: 1e-7, web: 5e-7 } },
  { name: 'paraphrase-MiniLM-L3-v2-int8', tolerance: { node: 1e-6, web: 1e-2 } },
] as const;

describe.skipIf(!hasShared).each(MODELS)('$name', ({ name, tolerance }) => {
  const dir = sharedPath(`models/${name}`);
  const { window, passages, texts } = golden.models[name];
  const corpora = new Map<string, string>();
  if (hasShared) {
    for (const corpus of new Set(passages.map((passage) => passage.corpus))) {
      for (const line of readFileSync(sharedPath(`data/${corpus}/corpus.jsonl`), 'utf8').split('\n')) {
        if (line === '') continue;
        const record = JSON.parse(line) as { _id: string; title?: string; text: string };
        corpora.set(record._id, record.title ? `${record.title}\n${record.text}` : record.text);
      }
    }
  }
  const all: (Numbers & { text: string })[] = [
    ...passages.map((passage) => ({ ...passage, text: corpora.get(passage.id) ?? '' })),
    ...texts,
  ];

  test('token ids are those of Python', async () => {
    const read = (file: string): object => JSON.parse(readFileSync(join(dir, file), 'utf8'));
    const tokenizer = await loadModelTokenizer(dir, read('tokenizer.json'), read('tokenizer_config.json'));
    for (const { text, ids } of texts) expect(tokenizer.encode(text, window).ids).toEqual(ids);
    for (const { id, tokens, idsSha256 } of passages) {
      const { ids, truncated } = tokenizer.encode(corpora.get(id)!, window);
      expect(ids).toHaveLength(tokens);
      expect(createHash('sha256').update(ids.join(',')).digest('hex')).toBe(idsSha256);
      expect(truncated).toBe(tokens === window);
    }
  });

  test.each(['node', 'web'] as const)('vectors are those of Python, on onnxruntime-%s', async (runtime) => {
    const encoder = await loadOnnxEncoder({ dir, runtime, maxTokens: window, normalize: false });
    expect(encoder.dimensions).toBe(384);
    const some = all.filter((_, i) => runtime === 'node' || i % 2 === 0); // WebAssembly is slow
    const { vectors } = await encoder.encode(
      some.map(({ text }) => text),
      { role: 'passage' },
    );
    let most = 0;
    for (const [i, { first, norm }] of some.entries()) {
      for (const [k, x] of first.entries()) most = Math.max(most, Math.abs(x - vectors[i][k]) / norm);
      // The length adds up the differences of 384 components.
      expect(Math.abs(Math.hypot(...vectors[i]) - norm) / norm).toBeLessThan(10 * tolerance[runtime]);
    }
    expect(most).toBeLessThan(tolerance[runtime]);
  });

  testEncoder({ test, name, load: () => loadOnnxEncoder({ dir }), tolerance: name.endsWith('int8') ? 0 : 1e-6 });
});

describe.skipIf(!hasShared)('the web runtime', () => {
  testEncoder({
    test,
    name: 'onnxruntime-web',
    load: () => loadOnnxEncoder({ dir: sharedPath('models/paraphrase-MiniLM-L3-v2-int8'), runtime: 'web', maxTokens: 128 }),
    tolerance: 0,
  });
});
