import type { JsonObject, PaperSource, Passage } from '../types.ts';
import type { PassageText } from './passage-text.ts';
import type { Encoder } from './ports.ts';
import type { VectorStore } from './store-port.ts';

/** A question to a protected index. */
export interface IndexQuery {
  readonly id: string;
  readonly text: string;
  /** In the space of the index's vectors. */
  readonly vector: Float32Array;
  /** How many passages to return (the papers' p). */
  readonly keep: number;
}

export interface IndexHit {
  readonly id: string;
  /** The mechanism's own number: votes for `ragpart`, the sanitised similarity for `ragmask`. */
  readonly score: number;
  readonly evidence: JsonObject;
}

export interface IndexAnswer {
  /** Best first, at most `keep`. */
  readonly hits: readonly IndexHit[];
  /** Whether the answer is that of the mechanism over the whole index, and not over what an approximate or bounded first phase found. */
  readonly exact: boolean;
  /** Texts that were encoded to answer. */
  readonly encoded: number;
}

/** What index defenses may use while they work. */
export interface IndexContext {
  readonly encoder: Encoder;
  readonly passageText: PassageText;
  /** Seeds every random choice. */
  readonly seed: number;
  /** Lets the store use its approximate index for the first phase. */
  readonly approximate: boolean;
  /** Vectors of masked texts, by a key that holds the content; whoever passes one decides how much it holds and where. */
  readonly maskCache?: MaskCache;
  /** Says a text in other words; for the defenses that paraphrase. */
  readonly paraphrase?: Paraphraser;
  readonly signal?: AbortSignal;
}

/** Any function from text to text: a language model, a translation there and back, a thesaurus. The same text should give the same text. */
export type Paraphraser = (text: string, options: { readonly signal?: AbortSignal }) => string | Promise<string>;

export interface MaskCache {
  get(keys: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  set(entries: readonly (readonly [key: string, vector: Float32Array])[]): Promise<void>;
}

/** A defense that works where vectors are made and searched: it retrieves itself. */
export interface IndexDefense {
  readonly name: string;
  readonly source: PaperSource | null;
  /** The SPEC that makes it again. */
  readonly spec: string;
  /** The vectors that it adds to each passage, beside `passage`; those a question is compared with. */
  readonly vectorNames: readonly string[];
  /** At ingest: the named vectors of each passage, in order. A passage without text has none. */
  protect(
    passages: readonly Passage[],
    context: Pick<IndexContext, 'encoder' | 'passageText' | 'paraphrase' | 'signal'>,
  ): Promise<readonly Readonly<Record<string, Float32Array>>[]>;
  /** At query time. */
  retrieve(query: IndexQuery, store: VectorStore, context: IndexContext): Promise<IndexAnswer>;
}
