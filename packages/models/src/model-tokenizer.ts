import { BezoarError } from '@bezoar/core';
import { importPeer } from './import-peer.ts';

export interface TokenizedText {
  /** Special tokens included, at most `maxTokens`. */
  readonly ids: readonly number[];
  /** Whether anything of the text is missing from `ids`. */
  readonly truncated: boolean;
}

export interface ModelTokenizer {
  readonly padId: number;
  encode(text: string, maxTokens: number): TokenizedText;
}

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

interface Normalizer {
  readonly type?: string;
  readonly lowercase?: boolean;
  readonly handle_chinese_chars?: boolean;
  readonly normalizers?: readonly Normalizer[];
}

/** The parts of a `tokenizer.json` that are read here; the rest is for the package. */
interface TokenizerFile {
  readonly added_tokens: readonly AddedToken[];
  readonly normalizer: Normalizer | null;
  readonly padding?: { readonly pad_id?: number } | null;
}

/** Every window's worth of text is looked at, and no more: real text has 4 to 6 characters a token, this is what junk may have. */
const CHARACTERS_PER_TOKEN = 128;
/** The ideographs beyond 16 bits that BERT's tokeniser sets apart, as the `tokenizers` package lists them (its 2B920 for 2B820 included). */
const ASTRAL_IDEOGRAPH = /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

const bertNormalizer = (normalizer: Normalizer | null | undefined): Normalizer | undefined =>
  normalizer?.type === 'BertNormalizer' ? normalizer : normalizer?.normalizers?.map(bertNormalizer).find((found) => found !== undefined);

/**
 * The tokeniser of a model, from its `tokenizer.json`, with what `@huggingface/tokenizers` 0.2.0 leaves to the caller: truncation that
 * keeps the closing special token, ideographs beyond 16 bits set apart, no final sigma (lower case goes character by character). Empty
 * text gives the special tokens alone.
 *
 * Texts are written by anyone, so a text that spells a special token never becomes one: `[SEP]` is read as the characters it is made
 * of, and where the vocabulary itself holds the spelling (SentencePiece and `</s>`) the unknown token stands in its place.
 *
 * Time is bounded by `maxTokens`: of each text the first 128 characters a token are looked at; what lies beyond counts as truncated.
 *
 * @throws {BezoarError} `MISSING_PEER` without the package, `BAD_INPUT` when the file is not a tokeniser it knows.
 */
export const loadModelTokenizer = async (path: string, file: unknown, config: object): Promise<ModelTokenizer> => {
  const { Tokenizer } = await importPeer(() => import('@huggingface/tokenizers'), '@huggingface/tokenizers', 'to read tokenizer.json');
  const refuse = (message: string, cause?: unknown): BezoarError =>
    new BezoarError('BAD_INPUT', `${path}: ${message}; expected the tokenizer.json of a Hugging Face model`, {
      cause,
      details: { file: path },
    });

  if (typeof file !== 'object' || file === null || !Array.isArray((file as TokenizerFile).added_tokens))
    throw refuse('no "added_tokens" in it');
  const json = file as TokenizerFile;
  const special = new Set(json.added_tokens.filter((token) => token.special).map((token) => token.id));
  const bert = bertNormalizer(json.normalizer);

  try {
    const whole = new Tokenizer(json, config);
    // Without its special tokens the tokeniser cannot make one of what a text says. The two share nothing.
    const content = new Tokenizer({ ...json, added_tokens: json.added_tokens.filter((token) => !token.special) }, config);

    // What the template puts around a text: found by encoding a letter with and without it.
    const around = whole.encode('a').ids;
    const inside = whole.encode('a', { add_special_tokens: false }).ids;
    const before = around.findIndex((_, i) => inside.every((id, j) => around[i + j] === id));
    const prefix = around.slice(0, before);
    const suffix = around.slice(before + inside.length);
    const unknown = content.model?.unk_token_id;
    const padName = (config as { pad_token?: unknown }).pad_token;
    const pad = typeof padName === 'string' ? json.added_tokens.find((token) => token.content === padName)?.id : undefined;

    return {
      padId: pad ?? json.padding?.pad_id ?? 0,
      encode(text, maxTokens) {
        const longest = maxTokens * CHARACTERS_PER_TOKEN;
        let looked = text.slice(0, longest).replace(LONE_SURROGATE, '\ufffd');
        if (bert?.handle_chinese_chars) looked = looked.replace(ASTRAL_IDEOGRAPH, ' $& ');
        if (bert?.lowercase) looked = looked.replaceAll('\u03a3', '\u03c3');
        const ids: number[] = content.encode(looked, { add_special_tokens: false }).ids;
        const room = maxTokens - prefix.length - suffix.length;
        const kept: number[] = [];
        for (let i = 0; i < Math.min(ids.length, room); i++) {
          const id = ids[i];
          if (!special.has(id) || id === unknown) kept.push(id);
          else if (unknown !== undefined) kept.push(unknown);
        }
        return { ids: [...prefix, ...kept, ...suffix], truncated: ids.length > room || text.length > longest };
      },
    };
  } catch (cause) {
    throw refuse(
      `not a tokeniser that @huggingface/tokenizers can read (${cause instanceof Error ? cause.message : String(cause)})`,
      cause,
    );
  }
};
