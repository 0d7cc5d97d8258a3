import { BezoarError } from '../errors.ts';
import type { Bm25Corpus } from '../kernels/bm25.ts';
import type { PassageText } from './passage-text.ts';
import type { CrossEncoder, Encoder, LikelihoodModel } from './ports.ts';

/** All that a run may use. Nothing is read from globals or the environment. */
export interface RunContext {
  /** Seeds every random choice: same seed, same result, on every machine. Whole number from 0 to 2^32 - 1. */
  readonly seed: number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly signal: AbortSignal | null;
  readonly encoder: Encoder | null;
  readonly crossEncoder: CrossEncoder | null;
  readonly likelihood: LikelihoodModel | null;
  /** Word statistics of the corpus that passages come from, for `grada?statistics=corpus`. */
  readonly bm25Corpus: Bm25Corpus | null;
  /** Makes the encoder that an option names, e.g. `grada?similarity=onnx:DIR`. */
  readonly resolveEncoder: ((spec: string) => Promise<Encoder>) | null;
  readonly passageText: PassageText;
  /** How many passages a reranker without its own `keep` lets go on. */
  readonly keep: number;
  /** What becomes of a passage that a mechanism cannot place. */
  readonly unscorable: 'drop' | 'keep-last';
  /** Vectors of texts, in order, remembered for the length of this run so that no stage encodes a text twice. */
  embed(encoder: Encoder, texts: readonly string[], role: 'query' | 'passage'): Promise<readonly Embedded[]>;
}

/** A text's vector, and whether the text was longer than the encoder's window. */
export interface Embedded {
  readonly vector: Float32Array;
  readonly truncated: boolean;
}

export type RunSettings = Partial<Omit<RunContext, 'embed'>>;

/** A context for one run; what is not given has the documented default. */
export function createRunContext(settings: RunSettings = {}): RunContext {
  const { seed = 0, keep = 5, signal = null } = settings;
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new BezoarError('INVALID_OPTION', `seed is ${String(seed)}, expected a whole number from 0 to 4294967295`, {
      details: { field: 'seed' },
    });
  }
  if (!Number.isInteger(keep) || keep < 1) {
    throw new BezoarError('INVALID_OPTION', `keep is ${String(keep)}, expected a whole number of at least 1`, {
      details: { field: 'keep' },
    });
  }
  const remembered = new Map<Encoder, Map<string, Embedded>>();
  return {
    seed,
    keep,
    signal,
    now: settings.now ?? (() => performance.now()),
    encoder: settings.encoder ?? null,
    crossEncoder: settings.crossEncoder ?? null,
    likelihood: settings.likelihood ?? null,
    bm25Corpus: settings.bm25Corpus ?? null,
    resolveEncoder: settings.resolveEncoder ?? null,
    passageText: settings.passageText ?? 'title-and-text',
    unscorable: settings.unscorable ?? 'drop',
    async embed(encoder, texts, role) {
      const known = remembered.get(encoder) ?? new Map<string, Embedded>();
      remembered.set(encoder, known);
      const missing = [...new Set(texts)].filter((text) => !known.has(role + text));
      if (missing.length > 0) {
        throwIfAborted(this);
        const { vectors, truncated } = await encoder.encode(missing, this.signal ? { role, signal: this.signal } : { role });
        // Encoding takes long enough for the caller to give up, and not every encoder looks at the signal.
        throwIfAborted(this);
        if (vectors.length !== missing.length) {
          throw new BezoarError('ENCODER_FAILED', `encoder ${encoder.name} returned ${vectors.length} vectors for ${missing.length} texts`);
        }
        const odd = vectors.findIndex((vector) => vector?.length !== encoder.dimensions);
        if (odd >= 0) {
          const length = vectors[odd]?.length ?? 0;
          throw new BezoarError('ENCODER_FAILED', `encoder ${encoder.name} returned ${length} numbers, expected ${encoder.dimensions}`);
        }
        for (const [index, text] of missing.entries()) {
          known.set(role + text, { vector: vectors[index]!, truncated: truncated?.[index] === true });
        }
      }
      return texts.map((text) => known.get(role + text)!);
    },
  };
}

/** Throws `ABORTED` once the caller's signal has fired. */
export function throwIfAborted(context: RunContext): void {
  if (context.signal?.aborted) throw new BezoarError('ABORTED', 'the caller aborted the run', { cause: context.signal.reason });
}
