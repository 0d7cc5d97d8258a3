import { BezoarError, closestName, type Encoder, parseSpec, readOptions } from '@bezoar/core';
import { cacheEmbeddings } from './embedding-cache.ts';
import { readCalibrationFile } from './encoder-file.ts';
import { loadOnnxEncoder, ONNX_ENCODER_OPTIONS } from './onnx-encoder.ts';
import { createOpenAiEncoder, OPENAI_ENCODER_OPTIONS } from './openai-encoder.ts';
import { loadStaticEncoder } from './static-encoder.ts';

export interface ResolveEncoderOptions {
  /** Where `openai:MODEL` sends its texts, and with which key. The environment is never read here. */
  readonly openai?: { readonly baseUrl: string; readonly apiKey?: string };
  /** Embeddings are kept in this folder, see `cacheEmbeddings`; not those of `static`, which are made faster than they are read. */
  readonly cacheDir?: string;
  /** A file of `bezoar calibrate`; it wins over the calibration that lies beside the encoder. */
  readonly calibrationFile?: string;
}

/** What comes before the colon of a SPEC, and how the SPEC is written. */
const FORMS: Readonly<Record<string, string>> = { static: 'static', onnx: 'onnx:DIR', openai: 'openai:MODEL' };

/**
 * The encoder that a SPEC names: `static`, `onnx:DIR` or `openai:MODEL`, the last two with options as in `onnx:DIR?pooling=cls&maxTokens=256`.
 * Its `name` is the SPEC.
 *
 * @throws {BezoarError} `UNKNOWN_NAME` for another kind, with the nearest; `INVALID_OPTION`; what the encoder throws as it loads.
 */
export const resolveEncoder = async (spec: string, options: ResolveEncoderOptions = {}): Promise<Encoder> => {
  const encoder = await load(spec, options.openai);
  const calibration = options.calibrationFile === undefined ? encoder.calibration : await readCalibrationFile(options.calibrationFile);
  const cached =
    options.cacheDir === undefined || encoder.name === 'static' ? encoder : cacheEmbeddings(encoder, { dir: options.cacheDir });
  return { ...cached, name: spec, ...(calibration === undefined ? {} : { calibration }) };
};

const load = async (spec: string, openai: ResolveEncoderOptions['openai']): Promise<Encoder> => {
  const { name, options } = parseSpec(spec);
  const quoted = JSON.stringify(spec.slice(0, 200));
  const colon = name.indexOf(':');
  const kind = colon < 0 ? name : name.slice(0, colon);
  const target = colon < 0 ? '' : name.slice(colon + 1);
  if (!Object.hasOwn(FORMS, kind)) {
    const closest = closestName(kind, Object.keys(FORMS));
    const remedy = closest === null ? `there are ${Object.values(FORMS).join(', ')}` : `did you mean ${FORMS[closest]}?`;
    throw new BezoarError('UNKNOWN_NAME', `no encoder is called ${quoted}; ${remedy}`, { details: { closest } });
  }
  if ((target === '') !== (kind === 'static')) {
    throw new BezoarError('INVALID_OPTION', `${quoted}: write ${FORMS[kind]}`, { details: { expected: FORMS[kind] } });
  }
  if (kind === 'static') {
    const [field] = Object.keys(options);
    if (field !== undefined)
      throw new BezoarError('INVALID_OPTION', `static: unknown option ${JSON.stringify(field)}; it takes none`, { details: { field } });
    return loadStaticEncoder();
  }
  // Refuses what only code may say (folder, address, key); the loaders read the strings.
  readOptions(kind === 'onnx' ? ONNX_ENCODER_OPTIONS : OPENAI_ENCODER_OPTIONS, options, name);
  if (kind === 'onnx') return loadOnnxEncoder({ ...options, dir: target });
  if (openai === undefined) {
    throw new BezoarError(
      'INVALID_OPTION',
      `${quoted}: no base URL is given; set OPENAI_BASE_URL (and OPENAI_API_KEY), or name it in the policy file`,
      {
        details: { field: 'openai.baseUrl' },
      },
    );
  }
  return createOpenAiEncoder({ ...options, ...openai, model: target });
};
