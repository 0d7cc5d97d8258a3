/** What core asks of the outside: each port is an interface, implemented in other packages or by the user. */

export interface EncodeOptions {
  /** Encoders with prefixes treat questions and passages differently. */
  readonly role: 'query' | 'passage';
  readonly signal?: AbortSignal;
}

export interface EncodedTexts {
  /** One vector a text, in order, each of the encoder's `dimensions`. */
  readonly vectors: readonly Float32Array[];
  /** Whether the text was longer than the encoder's window: what lies beyond is invisible to defenses that use the vector. */
  readonly truncated: readonly boolean[];
}

/** A token's place in its text. */
export interface TokenSpan {
  readonly start: number;
  readonly end: number;
}

/** Turns texts into vectors. Deterministic: the same text gives the same vector. */
export interface Encoder {
  /** The SPEC that makes it: `static`, `onnx:DIR`, `openai:MODEL`. */
  readonly name: string;
  readonly dimensions: number;
  /** How its vectors are meant to be compared. */
  readonly similarity: 'cosine' | 'dot';
  /** Thresholds measured for this encoder, stored beside it; absent where nobody calibrated it. */
  readonly calibration?: EncoderCalibration;
  /** The token that stands for "something was here"; null or absent where the encoder has none. */
  readonly maskToken?: string | null;
  /** Where each token of a text that the encoder would look at stands in it (UTF-16, `end` exclusive), special tokens left out; beyond its window nothing. */
  tokenSpans?(texts: readonly string[]): readonly (readonly TokenSpan[])[];
  encode(texts: readonly string[], options: EncodeOptions): Promise<EncodedTexts>;
}

/** What `bezoar calibrate` measures for an encoder and stores beside it. */
export interface EncoderCalibration {
  /** `trustrag-filter`: mean cosine above which a cluster counts as dense. A quantile over clean pools. */
  readonly density: number;
  readonly quantile: number;
  /** How many clean pools it was measured on. */
  readonly pools: number;
  /** The corpora it was measured on, by name. */
  readonly corpus: string;
  /** The command that makes this record. */
  readonly command: string;
}

/** Scores (query, passage) pairs jointly; each score is a probability of relevance in [0, 1]. */
export interface CrossEncoder {
  readonly name: string;
  score(
    pairs: readonly (readonly [query: string, passage: string])[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly number[]>;
}

/** What a likelihood model says of one text. */
export interface TextLikelihood {
  /** Mean negative log-likelihood a token, in nats; null for a text that the model cannot judge. */
  readonly surprise: number | null;
  readonly tokens: number;
  /** The stretch of the text with the highest mean, where the model looks for one: nats a token, and where it is in the text (UTF-16). */
  readonly peak?: { readonly surprise: number; readonly start: number; readonly end: number };
  /** Why `surprise` is null. Default: the text is too short. */
  readonly unscored?: 'too-short' | 'other-language';
}

/** What surprise is usual in clean passages, in nats a token. */
export interface SurpriseCalibration {
  /** Half of the clean passages are below. */
  readonly median?: number;
  /** A passage at or above it is anomalous. */
  readonly threshold: number;
}

/** How likely a text is under a model of clean text. The same text always gets the same answer. */
export interface LikelihoodModel extends SurpriseCalibration {
  readonly name: string;
  /** The same for the stretch with the highest mean; absent where the model reports none. */
  readonly peak?: SurpriseCalibration;
  score(text: string, options?: { readonly signal?: AbortSignal }): TextLikelihood | Promise<TextLikelihood>;
}
