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

/** Turns texts into vectors. Deterministic: the same text gives the same vector. */
export interface Encoder {
  /** The SPEC that makes it: `static`, `onnx:DIR`, `openai:MODEL`. */
  readonly name: string;
  readonly dimensions: number;
  /** How its vectors are meant to be compared. */
  readonly similarity: 'cosine' | 'dot';
  /** Thresholds measured for this encoder, stored beside it; absent where nobody calibrated it. */
  readonly calibration?: EncoderCalibration;
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

/** How likely a text is under a model of clean text. */
export interface LikelihoodModel {
  readonly name: string;
  /** Calibrated on clean passages: a passage whose surprise is at or above it is anomalous. Nats a token. */
  readonly threshold: number;
  /** Mean negative log-likelihood a token, in nats, and the token count; `surprise` is null for texts with nothing to score. */
  score(text: string): { readonly surprise: number | null; readonly tokens: number };
}
