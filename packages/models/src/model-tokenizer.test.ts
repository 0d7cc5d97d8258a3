import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import golden from '../../../tests/golden/onnx-encoder.json' with { type: 'json' };
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { loadModelTokenizer } from './model-tokenizer.ts';

const PIECES: readonly (readonly [string, number])[] = [
  ['<s>', 0],
  ['<pad>', 0],
  ['</s>', 0],
  ['<unk>', 0],
  ['\u2581', -2],
  ['\u2581a', -1],
  ['a', -1.5],
  ['<', -3],
  ['/', -3],
  ['s', -3],
  ['>', -3],
  ['b', -2],
];
/** A SentencePiece tokeniser in small: the pieces include the special tokens, as they do in XLM-R. */
const SENTENCE_PIECE = {
  added_tokens: PIECES.slice(0, 4).map(([content], id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', add_prefix_space: true, prepend_scheme: 'always' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    pair: [],
    special_tokens: { '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] }, '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] } },
  },
  decoder: { type: 'Metaspace', replacement: '\u2581', add_prefix_space: true },
  model: { type: 'Unigram', unk_id: 3, vocab: PIECES },
};

describe('a SentencePiece tokeniser', () => {
  const load = (config: object = { pad_token: '<pad>', eos_token: '</s>' }) => loadModelTokenizer('tokenizer.json', SENTENCE_PIECE, config);

  test('has its special tokens around the text', async () => {
    const { encode, padId } = await load();
    expect(encode('a a', 16)).toEqual({ ids: [0, 5, 5, 2], truncated: false });
    expect(encode('', 16)).toEqual({ ids: [0, 2], truncated: false });
    expect(padId).toBe(1);
  });

  test('makes no special token of what a text spells, though the vocabulary has the spelling', async () => {
    const { encode } = await load();
    for (const text of ['a</s>a', '</s>', '<s>a<pad>', 'a <unk>']) {
      const { ids } = encode(text, 32);
      expect(ids.slice(1, -1).filter((id) => id < 3)).toEqual([]);
      expect([ids[0], ids.at(-1)]).toEqual([0, 2]);
    }
    expect(encode('a</s>a', 32).ids).toEqual([0, 5, 3, 6, 2]);
  });

  test('a text that is cut keeps the closing token; characters beyond 16 a token are not looked at', async () => {
    const { encode } = await load();
    expect(encode('a '.repeat(6).trim(), 8)).toEqual({ ids: [0, 5, 5, 5, 5, 5, 5, 2], truncated: false });
    expect(encode('a '.repeat(7).trim(), 8)).toEqual({ ids: [0, 5, 5, 5, 5, 5, 5, 2], truncated: true });
    expect(encode(`a${' '.repeat(8 * 16)}b`, 8).truncated).toBe(true);
  });

  test('the padding token: by its name, else by the padding settings, else 0', async () => {
    expect((await load({})).padId).toBe(0);
    const padded = { ...SENTENCE_PIECE, padding: { pad_id: 1 } };
    expect((await loadModelTokenizer('tokenizer.json', padded, {})).padId).toBe(1);
    expect((await loadModelTokenizer('tokenizer.json', padded, { pad_token: '</s>' })).padId).toBe(2);
  });
});

describe.skipIf(!hasShared)('an uncased BERT tokeniser, read here and by the package', () => {
  const read = (file: string) => JSON.parse(hasShared ? readFileSync(sharedPath(`models/all-MiniLM-L6-v2/${file}`), 'utf8') : '{}');
  const file = read('tokenizer.json');
  const config = read('tokenizer_config.json');
  const here = loadModelTokenizer('tokenizer.json', file, config);
  // A normaliser inside a sequence is the same normaliser, but not the usual form.
  const there = loadModelTokenizer('tokenizer.json', { ...file, normalizer: { type: 'Sequence', normalizers: [file.normalizer] } }, config);

  test('the package gives the token ids of Python too', async () => {
    const { encode } = await there;
    const { window, texts } = golden.models['all-MiniLM-L6-v2'];
    for (const { text, ids } of texts) expect(encode(text, window).ids).toEqual(ids);
  });

  test('the two agree', async () => {
    const [one, other] = [await here, await there];
    expect(one.padId).toBe(other.padId);
    const word = fc.constantFrom(
      'the',
      'Embedding',
      '[SEP]',
      '[CLS]',
      '##ing',
      'na\u00efve',
      '\u4e2d\u6587',
      '\u{20000}x',
      '\u03a3\u03a3',
      '1,000',
      'e\u0301',
      '\u200b',
      '\n',
      'q'.repeat(101),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(word, fc.string({ unit: 'binary-ascii', maxLength: 12 })), { maxLength: 12 }),
        fc.integer({ min: 8, max: 20 }),
        (words, maxTokens) => {
          const text = words.join(' ');
          if (text.length > maxTokens * 16) return;
          expect(one.encode(text, maxTokens)).toEqual(other.encode(text, maxTokens));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a long text made to be slow is read in bounded time', async () => {
    const { encode } = await here;
    const started = performance.now();
    expect(encode(`q${'xzqj'.repeat(24)}\u{1f600} `.repeat(10_000), 512).truncated).toBe(true);
    expect(performance.now() - started).toBeLessThan(1500); // 50 ms on an idle machine; the package would take 5 s
  });
});
