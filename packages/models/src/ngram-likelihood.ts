import { BezoarError, type LikelihoodModel } from '@bezoar/core';
import { type NgramModel, type NgramOptions, ngramScorer, trainNgramModel, worstWindow } from '@bezoar/core/kernels/ngram-model';
import { readNgramFile, writeNgramFile } from './ngram-file.ts';
import { readAsset } from './read-asset.ts';

/** Tokens in the window whose mean is the peak: short enough for a block of 30 inserted tokens, long enough for a list of names to pass. */
const WINDOW = 20;
/** Below this share of known words a text is of another language: 6 of 10 tokens of French or German are unknown to an English model. */
const KNOWN_SHARE = 0.6;
/** One text in so many is kept from training, to calibrate on. */
const HELD_OUT = 5;
/** More texts than this are not read: the model of a corpus settles well before. */
const MAX_TEXTS = 500_000;

type SurpriseCalibration = Required<Pick<LikelihoodModel, 'median' | 'threshold'>>;
type TextLikelihood = Awaited<ReturnType<LikelihoodModel['score']>>;

/** What a model's thresholds were measured on. */
export interface NgramCalibration {
  readonly name: string;
  readonly quantile: number;
  /** How many clean texts it was measured on. */
  readonly texts: number;
  readonly surprise: SurpriseCalibration;
  readonly peak: SurpriseCalibration;
}

export interface NgramLikelihoodOptions extends NgramOptions {
  readonly name?: string;
  /** Share of clean texts below each of the two thresholds. Default 0.995. */
  readonly quantile?: number;
  /** Clean texts to calibrate on. Default: every fifth of the given texts, which is then kept from training. */
  readonly calibrateOn?: readonly string[];
}

/**
 * Loads the built-in model of English words (see assets/README.md for its texts, licences and calibration).
 *
 * @param options.bytes - A model that `makeNgramLikelihood` made, or the asset where the file beside the package cannot be read or fetched.
 * @throws {BezoarError} `NOT_FOUND` when the asset is missing, `BAD_INPUT` when the bytes are of another format.
 *
 * Cost: loading about 0.1 s and 20 MB; scoring about 0.1 ms a passage of 100 words.
 */
export async function loadNgramLikelihood(options: { readonly bytes?: Uint8Array } = {}): Promise<LikelihoodModel> {
  const bytes = options.bytes ?? (await readAsset(new URL('../assets/ngram-english.bin', import.meta.url)));
  if (bytes === undefined) throw new BezoarError('NOT_FOUND', 'The asset ngram-english.bin of @bezoar/models is missing.');
  const { model, calibration } = readNgramFile(bytes);
  return likelihoodModel(ngramLikelihood(model), calibration);
}

/**
 * Trains a model on clean texts, the first 500,000, and calibrates it on texts that it was not trained on: each threshold is the given
 * quantile, so at most twice 1 - quantile of such texts reach one of the two.
 *
 * @returns The model, and bytes that `loadNgramLikelihood` reads.
 * @throws {BezoarError} `INVALID_OPTION` for a quantile that is not between 0 and 1, `BAD_INPUT` when no text is left to calibrate on.
 */
export async function makeNgramLikelihood(
  texts: readonly string[] | AsyncIterable<string>,
  options: NgramLikelihoodOptions = {},
): Promise<{ readonly model: LikelihoodModel; readonly bytes: Uint8Array; readonly calibration: NgramCalibration }> {
  const { name = 'ngram', quantile = 0.995, calibrateOn } = options;
  if (!(quantile > 0 && quantile < 1)) {
    throw new BezoarError('INVALID_OPTION', `quantile is ${String(quantile)}, expected a number between 0 and 1`, {
      details: { field: 'quantile' },
    });
  }
  const training: string[] = [];
  const heldOut: string[] = [];
  let read = 0;
  for await (const text of texts) {
    if (read === MAX_TEXTS) break;
    read++;
    (calibrateOn === undefined && read % HELD_OUT === 0 ? heldOut : training).push(text);
  }
  const model = trainNgramModel(training, options);
  const score = ngramLikelihood(model);
  const clean = (calibrateOn ?? heldOut).map(score).filter((likelihood) => likelihood.surprise !== null);
  if (clean.length === 0) {
    throw new BezoarError('BAD_INPUT', 'no text is left to calibrate a likelihood model on; give at least ten texts of two words or more');
  }
  const calibration: NgramCalibration = {
    name,
    quantile,
    texts: clean.length,
    surprise: calibrate(
      clean.map((likelihood) => likelihood.surprise!),
      quantile,
    ),
    peak: calibrate(
      clean.map((likelihood) => likelihood.peak!.surprise),
      quantile,
    ),
  };
  return { model: likelihoodModel(score, calibration), bytes: writeNgramFile({ model, calibration }), calibration };
}

function calibrate(values: readonly number[], quantile: number): SurpriseCalibration {
  const ascending = Float64Array.from(values).sort();
  // Four digits are far below the noise of a quantile and keep the file readable.
  const at = (share: number): number => Math.round(ascending[Math.floor(share * ascending.length)]! * 1e4) / 1e4;
  return { median: at(0.5), threshold: at(quantile) };
}

function likelihoodModel(score: (text: string) => TextLikelihood, { name, surprise, peak }: NgramCalibration): LikelihoodModel {
  return { name, ...surprise, peak, score };
}

function ngramLikelihood(model: NgramModel): (text: string) => TextLikelihood {
  const surprises = ngramScorer(model);
  return (text) => {
    const { nats, spans, known } = surprises(text);
    const tokens = nats.length;
    if (tokens < 2) return { surprise: null, tokens, unscored: 'too-short' };
    if (known < KNOWN_SHARE * tokens) return { surprise: null, tokens, unscored: 'other-language' };
    const { mean, first, end } = worstWindow(nats, WINDOW)!;
    return {
      surprise: worstWindow(nats, tokens)!.mean,
      tokens,
      peak: { surprise: mean, start: spans[2 * first]!, end: spans[2 * end - 1]! },
    };
  };
}
