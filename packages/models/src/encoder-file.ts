import { readFile } from 'node:fs/promises';
import { BezoarError, closestName, type EncoderCalibration } from '@bezoar/core';

/** `bezoar.json`, beside an encoder's files or given on its own: how the encoder is used, and what was measured for it. */
export interface EncoderFile {
  readonly pooling?: 'mean' | 'cls';
  readonly queryPrefix?: string;
  readonly passagePrefix?: string;
  readonly similarity?: 'cosine' | 'dot';
  readonly calibration?: EncoderCalibration;
}

type Check = readonly [holds: (value: unknown) => boolean, expected: string];

const oneOf = (...values: readonly string[]): Check => [
  (value) => values.some((allowed) => allowed === value),
  values.map((value) => `"${value}"`).join(' or '),
];
const TEXT: Check = [(value) => typeof value === 'string', 'a string'];
const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;

const CALIBRATION_FIELDS: Readonly<Record<string, Check>> = {
  density: [(value) => typeof value === 'number' && value >= -1 && value <= 1, 'a cosine, a number from -1 to 1'],
  quantile: [isShare, 'a number from 0 to 1'],
  pools: [(value) => Number.isInteger(value) && (value as number) >= 1, 'a whole number from 1'],
  corpus: TEXT,
  command: TEXT,
};

const FIELDS: Readonly<Record<string, Check>> = {
  pooling: oneOf('mean', 'cls'),
  queryPrefix: TEXT,
  passagePrefix: TEXT,
  similarity: oneOf('cosine', 'dot'),
  calibration: [(value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'],
};

/** A value as it may stand in a message. */
const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80));

const checkFields = (
  record: Record<string, unknown>,
  fields: Readonly<Record<string, Check>>,
  at: string,
  path: string,
  all: boolean,
): void => {
  for (const key of Object.keys(record)) {
    if (Object.hasOwn(fields, key)) continue;
    const names = Object.keys(fields);
    const closest = closestName(key, names);
    const remedy = closest === null ? `it has ${names.join(', ')}` : `did you mean "${at}${closest}"?`;
    throw new BezoarError('BAD_INPUT', `${path}: ${quoted(at + key)} is not a field of this file; ${remedy}`, {
      details: { file: path, field: (at + key).slice(0, 80) },
    });
  }
  for (const [key, [holds, expected]] of Object.entries(fields)) {
    const value = record[key];
    if ((value === undefined && !all) || holds(value)) continue;
    throw new BezoarError('BAD_INPUT', `${path}: "${at}${key}" must be ${expected}, found ${quoted(value)}`, {
      details: { file: path, field: at + key, expected },
    });
  }
};

/** The JSON object in a file. */
const readObject = async (path: string, expected: string): Promise<Record<string, unknown>> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new BezoarError('NOT_FOUND', `${path}: cannot be read; expected ${expected}`, { cause, details: { file: path } });
  }
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (cause) {
    throw new BezoarError('BAD_INPUT', `${path}: not valid JSON (${(cause as Error).message}); expected ${expected}`, {
      cause,
      details: { file: path },
    });
  }
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as Record<string, unknown>;
  throw new BezoarError('BAD_INPUT', `${path}: expected ${expected}, found ${quoted(record)}`, { details: { file: path } });
};

/**
 * The contents of a `bezoar.json`, checked: unknown fields and wrong values are errors that name the field.
 *
 * @throws {BezoarError} `NOT_FOUND` when there is no such file, `BAD_INPUT` when it is not valid.
 */
export const readEncoderFile = async (path: string): Promise<EncoderFile> => {
  const record = await readObject(path, "a JSON object with an encoder's settings and calibration");
  checkFields(record, FIELDS, '', path, false);
  if (record.calibration !== undefined)
    checkFields(record.calibration as Record<string, unknown>, CALIBRATION_FIELDS, 'calibration.', path, true);
  return record as EncoderFile;
};

/** A file with one calibration record and nothing else, checked as the one inside a `bezoar.json` is. */
export const readCalibrationFile = async (path: string): Promise<EncoderCalibration> => {
  const record = await readObject(path, 'a JSON object as `bezoar calibrate` writes it');
  checkFields(record, CALIBRATION_FIELDS, '', path, true);
  return record as unknown as EncoderCalibration;
};
