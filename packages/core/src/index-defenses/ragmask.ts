import { defineIndexDefense, encodeTexts } from '../core/define-index-defense.ts';
import type { IndexContext, IndexDefense } from '../core/index-defense.ts';
import { option } from '../core/options.ts';
import { passageText } from '../core/passage-text.ts';
import type { TokenSpan } from '../core/ports.ts';
import type { StoredPassage, VectorStore } from '../core/store-port.ts';
import { seenTokens } from '../core/token-spans.ts';
import { cosineSimilarity } from '../kernels/cosine-similarity.ts';
import { rankOrder } from '../kernels/rank-order.ts';
import { roundScore } from '../kernels/round-score.ts';

/** Characters that are encoded to probe one passage; a text needs more above about 6,000 characters, and gets wider windows instead. */
const MOST_PROBED = 1_000_000;
/** Stretches named in the evidence; a text has more only when dozens of its windows are suspicious and none of them touch. */
const NAMED_SPANS = 32;

const ragmaskOptions = {
  window: option.number(10, 'How many tokens are masked at a time.', { min: 1, max: 1000, integer: true }),
  delta: option.number(0.01, 'A window is masked for good when masking it costs at least so much similarity (cosine).', { min: 0, max: 2 }),
  pool: option.nullable(
    option.number(10, 'How many passages are fetched and probed.', { min: 1, max: 1000, integer: true }),
    'twice what is asked for',
  ),
  mode: option.choice(['mask', 'delete'], 'mask', "Whether masked tokens are replaced by the encoder's mask token or left out."),
  overlap: option.flag(false, 'Move the window by half its width.'),
  relative: option.flag(false, "Take delta as a share of the passage's similarity."),
};

/** `ragmask`, which can make its masked vectors before anybody asks. */
export interface RagMask extends IndexDefense {
  /** Encodes the probes of passages that the cache does not have; how many there were. Without a cache there is nothing to do. */
  prepare(
    passages: readonly StoredPassage[],
    store: Pick<VectorStore, 'shape'>,
    context: Pick<IndexContext, 'encoder' | 'passageText' | 'maskCache' | 'signal'>,
  ): Promise<number>;
}

type MaskContext = Parameters<RagMask['prepare']>[2];

/** A range of tokens, `end` exclusive. */
interface TokenRange {
  readonly from: number;
  readonly to: number;
}

/** A passage that is probed: its text as far as the encoder sees it. */
interface Subject {
  readonly passage: StoredPassage;
  readonly text: string;
  readonly tokens: readonly TokenSpan[];
  readonly windows: readonly TokenRange[];
}

interface MaskedText {
  readonly key: string;
  readonly text: string;
}

/**
 * Retrieves twice as many passages as are asked for, masks every stretch of `window` tokens without which a passage is less similar to the question by
 * `delta` or more, and ranks them by what is left. An empty store gives nothing; a passage without a token keeps its similarity; one that is masked
 * whole keeps that of its masks, or 0 where nothing is left, and sinks; equal similarities go by the first ranking.
 *
 * Each window is masked alone in the whole text. Masked vectors do not depend on the question, so they are looked up in `context.maskCache` by content
 * hash, encoder and masked places, and encoded only when they are not there; so is the text that is left, once for each distinct set of masked places.
 * A passage with one masked window needs no encoding, for that was its probe.
 *
 * Source: Pathmanathan et al. 2025, RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation, section 3.2 and Tables 11 and 12, https://arxiv.org/abs/2512.24268. Reference code: none.
 * Deviations: the pool is twice what is asked for (the paper's alpha has no value). Masks stand both in the probe and in what is left (the paper says "discard" and "masked"), and are left out where the
 *   encoder has no mask token. Similarity is the cosine whatever the store's own, for `delta` means nothing for unbounded products. The window is 10 (the caption of Table 7 says 1, its numbers say 10).
 *   A window at the edge of a word's pieces cuts the word, and what is left of it is read as a word of its own. Only what the encoder sees is probed. Texts above about 6,000 characters
 *   have wider windows, so that the work is bounded. A probe that cannot be compared leaves its window in. What reaches a language model is the passage as it is, with the masked places in the evidence.
 *
 * @param options.window - 1 to 1000 tokens. Default 10 (the paper's).
 * @param options.delta - Cosine, 0 to 2: kept when similarity without the window + delta > similarity, strictly (the paper's inequality). Default 0.01 (the paper's).
 * @param options.pool - 1 to 1000 passages, at least as many as are asked for. Default twice that.
 * @param options.mode - `mask` or `delete`. Default mask; delete where the encoder has no mask token.
 * @param options.overlap - Windows start every half window, against poison that straddles two. Default off (the paper's).
 * @param options.relative - `delta` times the similarity instead of `delta`. Default off (the paper's).
 * @param context - Encoder, cache, `approximate` and signal.
 * @returns At most `keep` passages; the score is the similarity of what is left; evidence is the similarity before, the masked places, the windows probed.
 * @throws {BezoarError} `INVALID_OPTION` for an option out of range; `ENCODER_FAILED`; `ABORTED`.
 *
 * Cost: the first time a passage is in a pool one encoding for each window of it (a passage of 100 tokens has 10; 4 d bytes each in the cache), later none; and one for each new set of two windows or more.
 * Nothing is added to the store.
 * Assumes: what makes a poisoned passage similar is in one place. Fails when: the question's words are spread so that no window costs `delta`; the whole passage is about the question. True passages
 * lose similarity too, for what answers the question is in one place as well.
 *
 * @example
 * const defense = ragmask({ delta: 0.05 });
 * defense.spec; // 'ragmask?delta=0.05'
 */
export const ragmask = defineIndexDefense<typeof ragmaskOptions, RagMask>({
  name: 'ragmask',
  summary: 'Ranks passages by what is left of their similarity when every stretch that it depends on is masked.',
  source: {
    authors: 'Pathmanathan et al.',
    year: 2025,
    title: 'RAGPart & RAGMask: Retrieval-Stage Defenses Against Corpus Poisoning in Retrieval-Augmented Generation',
    section: '3.2',
    url: 'https://arxiv.org/abs/2512.24268',
  },
  options: ragmaskOptions,
  make: (options) => ({
    vectorNames: [],
    protect: async (passages) => passages.map(() => ({})),

    async prepare(passages, store, context) {
      if (!context.maskCache) return 0;
      const probes = passages.flatMap((passage) => {
        const subject = subjectOf(passage, options, context);
        return subject.windows.map((stretch) => masked(subject, [stretch], options.mode, store, context));
      });
      return (await vectorsOf(probes, context)).encoded;
    },

    async retrieve({ vector, keep }, store, context) {
      const pool = Math.max(keep, options.pool ?? 2 * keep);
      const { approximate, signal } = context;
      const hits = await store.search({ name: 'passage', vector, k: pool, exact: !approximate, ...(signal ? { signal } : {}) });
      const records = await store.fetch(
        hits.map(({ id }) => id),
        { vectors: ['passage'] },
      );
      // What was removed since the search is not there.
      const subjects = records.flatMap((record) => {
        const own = record?.vectors.passage;
        return record && own ? [{ ...subjectOf(record.passage, options, context), before: cosineSimilarity(vector, own) }] : [];
      });
      const probes = subjects.map((subject) => subject.windows.map((stretch) => masked(subject, [stretch], options.mode, store, context)));
      const probed = await vectorsOf(probes.flat(), context);
      const left = subjects.map((subject, i) => {
        const margin = options.relative ? options.delta * Math.abs(subject.before) : options.delta;
        const suspicious = subject.windows.filter((_, j) => {
          const without = similarity(vector, probed.of(probes[i]![j]!));
          return without !== null && !(roundScore(without + margin) > roundScore(subject.before));
        });
        return { subject, ranges: merged(suspicious) };
      });
      const texts = left.map(({ subject, ranges }) => (ranges.length === 0 ? null : masked(subject, ranges, options.mode, store, context)));
      const rest = await vectorsOf(
        texts.flatMap((text) => text ?? []),
        context,
        probed.known,
      );
      const scores = left.map(({ subject }, i) => {
        const text = texts[i];
        return text ? (similarity(vector, rest.of(text)) ?? subject.before) : subject.before;
      });
      const ranked = rankOrder(scores)
        .slice(0, keep)
        .map((place) => {
          const { subject, ranges } = left[place]!;
          const places = ranges
            .slice(0, NAMED_SPANS)
            .map(({ from, to }) => ({ start: subject.tokens[from]!.start, end: subject.tokens[to - 1]!.end }));
          const evidence = { before: subject.before, windows: subject.windows.length, maskedSpans: places, masked: ranges.length };
          return { id: subject.passage.id, score: scores[place]!, evidence };
        });
      return { hits: ranked, exact: !approximate, encoded: probed.encoded + rest.encoded };
    },
  }),
});

/** Cosine with a masked text's vector: 0 for a text of which nothing is left, null where it cannot be compared. */
function similarity(query: Float32Array, vector: Float32Array | null): number | null {
  if (vector === null) return 0;
  return vector.every(Number.isFinite) ? cosineSimilarity(query, vector) : null;
}

function subjectOf(
  passage: StoredPassage,
  options: { readonly window: number; readonly overlap: boolean },
  { encoder, passageText: mode }: MaskContext,
): Subject {
  const whole = passageText(passage, mode);
  const tokens = seenTokens(encoder, whole);
  // What lies beyond the encoder's window must not move into it when something is left out.
  const text = whole.slice(0, tokens.at(-1)?.end ?? 0);
  const most = Math.max(1, Math.floor(MOST_PROBED / Math.max(1, text.length)));
  const width = Math.max(options.window, Math.ceil((tokens.length * (options.overlap ? 2 : 1)) / most));
  const stride = options.overlap ? Math.max(1, Math.floor(width / 2)) : width;
  const windows: TokenRange[] = [];
  for (let from = 0; from < tokens.length; from += stride) {
    windows.push({ from, to: Math.min(from + width, tokens.length) });
    if (from + width >= tokens.length) break;
  }
  return { passage, text, tokens, windows };
}

/** Ranges that touch or overlap as one; they come in order. */
function merged(ranges: readonly TokenRange[]): TokenRange[] {
  const out: TokenRange[] = [];
  for (const { from, to } of ranges) {
    const last = out.at(-1);
    if (last && from <= last.to) out[out.length - 1] = { from: last.from, to };
    else out.push({ from, to });
  }
  return out;
}

/** The text with the ranges masked, and the name of its vector. */
function masked(
  { passage, text, tokens }: Subject,
  ranges: readonly TokenRange[],
  asked: 'mask' | 'delete',
  { shape }: Pick<VectorStore, 'shape'>,
  { encoder, passageText: what }: MaskContext,
): MaskedText {
  const mask = asked === 'mask' ? (encoder.maskToken ?? null) : null;
  let out = '';
  let read = 0;
  for (const { from, to } of ranges) {
    out += text.slice(read, tokens[from]!.start) + (mask === null ? ' ' : ` ${`${mask} `.repeat(to - from)}`);
    read = tokens[to - 1]!.end;
  }
  const places = ranges.map(({ from, to }) => `${tokens[from]!.start}-${tokens[to - 1]!.end}`).join(',');
  const key = ['ragmask', shape.encoder ?? encoder.name, what, mask === null ? 'delete' : 'mask', passage.contentHash, places].join(' ');
  return { key, text: out + text.slice(read) };
}

interface MaskedVectors {
  /** null for a text of which nothing is left. */
  of(text: MaskedText): Float32Array | null;
  readonly known: ReadonlyMap<string, Float32Array>;
  readonly encoded: number;
}

/** The vectors of masked texts: from the cache, or encoded and put there. */
async function vectorsOf(
  texts: readonly MaskedText[],
  context: MaskContext,
  before: ReadonlyMap<string, Float32Array> = new Map(),
): Promise<MaskedVectors> {
  const { encoder, maskCache } = context;
  const known = new Map(before);
  const wanted = [
    ...new Map(texts.filter(({ key, text }) => text.trim() !== '' && !known.has(key)).map((text) => [text.key, text])).values(),
  ];
  const cached = (await maskCache?.get(wanted.map(({ key }) => key))) ?? [];
  const missing = wanted.filter(({ key }, i) => {
    const vector = cached[i];
    // A vector of another length was made by something else.
    if (vector?.length === encoder.dimensions) known.set(key, vector);
    return !known.has(key);
  });
  const made = await encodeTexts(
    missing.map(({ text }) => text),
    context,
  );
  const entries = missing.map(({ key }, i) => [key, made[i]!] as const);
  for (const [key, vector] of entries) known.set(key, vector);
  if (entries.length > 0) await maskCache?.set(entries);
  return { of: ({ key }) => known.get(key) ?? null, known, encoded: missing.length };
}
