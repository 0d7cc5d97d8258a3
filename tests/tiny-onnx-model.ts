import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a tokeniser of a dozen words and a graph that looks each token up in a table: small enough to work out by hand. */

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'alpha', 'beta', 'gamma', 'delta', 'ask', 'say', '[', ']', 'sep'];

export interface TinyModel {
  /** Row i is the vector of token i. Default [i, i * i]. */
  readonly rows?: readonly (readonly number[])[];
  /** Default `input_ids`, `attention_mask`, `token_type_ids`. */
  readonly inputs?: readonly string[];
  readonly outputName?: string;
  /** Averages over the tokens inside the graph, so that the output has two axes. */
  readonly pooled?: boolean;
  /** Stands in the graph as its name. */
  readonly graphName?: string;
}

/** Writes the folder and returns its path. `files` adds to it or replaces; null leaves one out. */
export const tinyOnnxFolder = (model: TinyModel = {}, files: Readonly<Record<string, unknown>> = {}): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bezoar-tiny-'));
  const all: Record<string, unknown> = {
    'tokenizer.json': TOKENIZER,
    'tokenizer_config.json': { pad_token: '[PAD]' },
    'model.onnx': tinyModel(model),
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === null) continue;
    writeFileSync(join(dir, name), content instanceof Uint8Array || typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
};

const special = (token: string): Record<string, unknown> => ({ SpecialToken: { id: token, type_id: 0 } });
const TOKENIZER = {
  version: '1.0',
  truncation: { max_length: 3, strategy: 'LongestFirst', stride: 0 },
  padding: { strategy: { Fixed: 3 }, direction: 'Right', pad_id: 0, pad_type_id: 0, pad_token: '[PAD]' },
  added_tokens: VOCABULARY.slice(0, 4).map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
    pair: [],
    special_tokens: { '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] }, '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] } },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(VOCABULARY.map((piece, id) => [piece, id])),
  },
};

// The ONNX file, by the field numbers of onnx.proto.
const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const number = (field: number, value: number): Buffer => Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(value.length)]), value]);
const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value));
const message = (field: number, ...parts: readonly Buffer[]): Buffer => bytes(field, Buffer.concat(parts));

const FLOAT = 1;
const INT64 = 7;
const axis = (size: string): Buffer => message(1, text(2, size));
const value = (field: number, name: string, type: number, axes: readonly string[]): Buffer =>
  message(field, text(1, name), message(2, message(1, number(1, type), message(2, ...axes.map(axis)))));

const tinyModel = ({ rows, inputs, outputName = 'last_hidden_state', pooled = false, graphName = 'tiny' }: TinyModel): Buffer => {
  const table = rows ?? VOCABULARY.map((_, i) => [i, i * i]);
  const names = inputs ?? ['input_ids', 'attention_mask', 'token_type_ids'];
  const gather = message(1, text(1, 'table'), text(1, names[0]), text(2, pooled ? 'looked_up' : outputName), text(4, 'Gather'));
  const axes = message(5, text(1, 'axes'), number(8, 1), number(20, 7)); // an attribute: ints [1]
  const noKeep = message(5, text(1, 'keepdims'), number(3, 0), number(20, 2));
  const mean = message(1, text(1, 'looked_up'), text(2, outputName), text(4, 'ReduceMean'), axes, noKeep);
  const graph = message(
    7,
    gather,
    ...(pooled ? [mean] : []),
    text(2, graphName),
    message(
      5,
      number(1, table.length),
      number(1, table[0].length),
      number(2, FLOAT),
      text(8, 'table'),
      bytes(9, new Uint8Array(Float32Array.from(table.flat()).buffer)),
    ),
    ...names.map((name) => value(11, name, INT64, ['texts', 'tokens'])),
    value(12, outputName, FLOAT, pooled ? ['texts', 'width'] : ['texts', 'tokens', 'width']),
  );
  return Buffer.concat([number(1, 8), graph, message(8, text(1, ''), number(2, 17))]);
};
