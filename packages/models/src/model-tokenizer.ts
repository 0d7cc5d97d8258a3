import { BezoarError } from '@bezoar/core';
import { importPeer } from './import-peer.ts';
import { type PieceSpan, wordPiece } from './wordpiece.ts';

/** Stands for the model's mask token in texts that are given to `encode`. Unicode keeps this character for use inside programs: no text has it. */
export const MASK = '\ufdd0';

export interface TokenizedText {
  /** Special tokens included, at most `maxTokens`. */
  readonly ids: readonly number[];
  /** Whether anything of the text is missing from `ids`. */
  readonly truncated: boolean;
}

export interface ModelTokenizer {
  readonly padId: number;
  encode(text: string, maxTokens: number): TokenizedText;
  /** Where the tokens of a text that `encode` keeps stand in it, those around the text left out; absent for tokenisers that do not say. */
  spans?(text: string, maxTokens: number): PieceSpan[];
  /** Whether `MASK` in a text becomes the model's mask token. */
  readonly masks: boolean;
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

interface Normalizer {
  readonly type?: string;
  readonly lowercase?: boolean;
  readonly clean_text?: boolean;
  readonly strip_accents?: boolean | null;
  readonly handle_chinese_chars?: boolean;
  readonly normalizers?: readonly Normalizer[];
}

type TemplateItem = { readonly SpecialToken: { readonly id: string } } | { readonly Sequence: object };

interface PostProcessor {
  readonly type?: string;
  readonly single?: readonly TemplateItem[];
  readonly special_tokens?: Readonly<Record<string, { readonly ids: readonly number[] }>>;
  readonly cls?: readonly [string, number];
  readonly sep?: readonly [string, number];
}

interface Model {
  readonly type?: string;
  readonly vocab?: Readonly<Record<string, number>>;
  readonly unk_token?: string;
  readonly continuing_subword_prefix?: string;
  readonly max_input_chars_per_word?: number;
}

/** The parts of a `tokenizer.json` that are read here. */
interface TokenizerFile {
  readonly added_tokens: readonly AddedToken[];
  readonly normalizer: Normalizer | null;
  readonly pre_tokenizer?: { readonly type?: string } | null;
  readonly post_processor?: PostProcessor | null;
  readonly model?: Model | null;
  readonly padding?: { readonly pad_id?: number } | null;
}

/** What stands around a text's own tokens, and how a text becomes those. */
interface Parts {
  readonly prefix: readonly number[];
  readonly suffix: readonly number[];
  readonly unknown: number | undefined;
  /** Characters a token that are looked at. Real text has 4 to 6; this is room for what is longer, and a bound for junk. */
  readonly charactersPerToken: number;
  split(text: string): readonly number[];
  spans?(text: string): PieceSpan[];
  /** The token that `MASK` becomes. */
  readonly mask?: number | undefined;
}

/** The ideographs beyond 16 bits that BERT's tokeniser sets apart, as the `tokenizers` package lists them (its 2B920 for 2B820 included). */
const ASTRAL_IDEOGRAPH = /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/**
 * The tokeniser of a model, from its `tokenizer.json`. Uncased BERT tokenisers, as most sentence encoders have, are read here; all others
 * by `@huggingface/tokenizers`. Empty text gives the special tokens alone; a text that is cut keeps the closing ones.
 *
 * Texts are written by anyone, so a text that spells a special token never becomes one: `[SEP]` is read as the characters it is made
 * of, and where the vocabulary itself holds the spelling (SentencePiece and `</s>`) the unknown token stands in its place. The one exception
 * is `MASK`, with which callers blot tokens out (uncased BERT only): it says that something is missing and nothing else.
 *
 * Time is bounded by `maxTokens`: of each text the first characters are looked at, 128 a token, or 16 with the package, which takes 8 ms
 * for a word of 99 characters made to be slow. What lies beyond counts as truncated.
 *
 * @throws {BezoarError} `MISSING_PEER` without the package, `BAD_INPUT` when the file is not a tokeniser it knows.
 */
export const loadModelTokenizer = async (path: string, file: unknown, config: object): Promise<ModelTokenizer> => {
  if (typeof file !== 'object' || file === null || !Array.isArray((file as TokenizerFile).added_tokens))
    throw unreadable(path, 'no "added_tokens" in it');
  const json = file as TokenizerFile;
  const special = new Set(json.added_tokens.filter((token) => token.special).map((token) => token.id));
  const { prefix, suffix, unknown, mask, charactersPerToken, split, spans } = uncasedBert(json) ?? (await byPackage(path, json, config));

  const padName = (config as { pad_token?: unknown }).pad_token;
  const pad = typeof padName === 'string' ? json.added_tokens.find((token) => token.content === padName)?.id : undefined;
  const roomOf = (maxTokens: number): number => Math.max(0, maxTokens - prefix.length - suffix.length);
  return {
    padId: pad ?? json.padding?.pad_id ?? 0,
    masks: mask !== undefined,
    ...(spans ? { spans: (text, maxTokens) => spans(text.slice(0, maxTokens * charactersPerToken)).slice(0, roomOf(maxTokens)) } : {}),
    encode(text, maxTokens) {
      const longest = maxTokens * charactersPerToken;
      const ids = split(text.slice(0, longest));
      const room = roomOf(maxTokens);
      const kept: number[] = [];
      for (let i = 0; i < Math.min(ids.length, room); i++) {
        if (!special.has(ids[i]) || ids[i] === unknown || ids[i] === mask) kept.push(ids[i]);
        else if (unknown !== undefined) kept.push(unknown);
      }
      return { ids: [...prefix, ...kept, ...suffix], truncated: ids.length > room || text.length > longest };
    },
  };
};

/** The parts of an uncased BERT tokeniser with its usual settings; undefined for any other. */
const uncasedBert = ({ added_tokens, normalizer, pre_tokenizer, post_processor, model }: TokenizerFile): Parts | undefined => {
  const usual =
    normalizer?.type === 'BertNormalizer' &&
    normalizer.lowercase === true &&
    normalizer.clean_text === true &&
    normalizer.handle_chinese_chars === true &&
    normalizer.strip_accents !== false &&
    pre_tokenizer?.type === 'BertPreTokenizer' &&
    model?.type === 'WordPiece' &&
    model.continuing_subword_prefix === '##' &&
    model.max_input_chars_per_word === 100 &&
    added_tokens.every((token) => token.special);
  const unknown = usual ? model.vocab?.[model.unk_token ?? ''] : undefined;
  const around = post_processor ? aroundText(post_processor) : undefined;
  if (!usual || unknown === undefined || around === undefined) return undefined;
  const ids = Object.values(model.vocab!);
  const pieces = wordPiece(Object.keys(model.vocab!));
  const mask = added_tokens.find(({ content }) => content === '[MASK]')?.id;
  const plain = (text: string): number[] => pieces.encode(text).map((index) => (index < 0 ? unknown : ids[index]));
  const split = (text: string): number[] =>
    mask === undefined || !text.includes(MASK)
      ? plain(text)
      : text.split(MASK).flatMap((part, i) => (i === 0 ? plain(part) : [mask, ...plain(part)]));
  return { ...around, unknown, mask, charactersPerToken: 128, split, spans: (text) => pieces.spans(text) };
};

const aroundText = ({ type, single, special_tokens, cls, sep }: PostProcessor): Pick<Parts, 'prefix' | 'suffix'> | undefined => {
  if (cls && sep && (type === 'BertProcessing' || type === 'RobertaProcessing')) return { prefix: [cls[1]], suffix: [sep[1]] };
  if (type !== 'TemplateProcessing' || !single || !special_tokens) return undefined;
  const at = single.findIndex((item) => 'Sequence' in item);
  const idsOf = (items: readonly TemplateItem[]): number[] =>
    items.flatMap((item) => ('SpecialToken' in item ? special_tokens[item.SpecialToken.id].ids : []));
  return { prefix: idsOf(single.slice(0, at)), suffix: idsOf(single.slice(at + 1)) };
};

/**
 * Any tokeniser that the package reads, with what its version 0.2.0 leaves to the caller: ideographs beyond 16 bits set apart, no final
 * sigma (lower case goes character by character), no special tokens out of texts.
 */
const byPackage = async (path: string, json: TokenizerFile, config: object): Promise<Parts> => {
  const { Tokenizer } = await importPeer(() => import('@huggingface/tokenizers'), '@huggingface/tokenizers', 'to read tokenizer.json');
  try {
    // Without its special tokens the tokeniser cannot make one of what a text says.
    const content = new Tokenizer({ ...json, added_tokens: json.added_tokens.filter((token) => !token.special) }, config);
    // What the template puts around a text: found by encoding a letter with and without it.
    const whole = new Tokenizer(json, config);
    const around = whole.encode('a').ids;
    const inside = whole.encode('a', { add_special_tokens: false }).ids;
    const before = around.findIndex((_, i) => inside.every((id, j) => around[i + j] === id));
    if (before < 0) throw new Error('its template changes the text');
    const bert = bertNormalizer(json.normalizer);
    return {
      prefix: around.slice(0, before),
      suffix: around.slice(before + inside.length),
      unknown: content.model?.unk_token_id,
      charactersPerToken: 16,
      split(text) {
        let clean = text.replace(LONE_SURROGATE, '\ufffd');
        if (bert?.handle_chinese_chars) clean = clean.replace(ASTRAL_IDEOGRAPH, ' $& ');
        if (bert?.lowercase) clean = clean.replaceAll('\u03a3', '\u03c3');
        return content.encode(clean, { add_special_tokens: false }).ids;
      },
    };
  } catch (cause) {
    throw unreadable(
      path,
      `not a tokeniser that @huggingface/tokenizers can read (${cause instanceof Error ? cause.message : String(cause)})`,
      cause,
    );
  }
};

const bertNormalizer = (normalizer: Normalizer | null | undefined): Normalizer | undefined =>
  normalizer?.type === 'BertNormalizer' ? normalizer : normalizer?.normalizers?.map(bertNormalizer).find((found) => found !== undefined);

const unreadable = (path: string, message: string, cause?: unknown): BezoarError =>
  new BezoarError('BAD_INPUT', `${path}: ${message}; expected the tokenizer.json of a Hugging Face model`, {
    cause,
    details: { file: path },
  });
