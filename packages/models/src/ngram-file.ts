import { BezoarError } from '@bezoar/core';
import { type NgramLevel, type NgramModel, ngramLevel } from '@bezoar/core/kernels/ngram-model';
import type { NgramCalibration } from './ngram-likelihood.ts';

/** What a file of an n-gram model holds. */
export interface NgramFile {
  readonly model: NgramModel;
  readonly calibration: NgramCalibration;
}

/** What stands in front of the numbers, as JSON. */
interface Header {
  readonly calibration: NgramCalibration;
  readonly unknownWords: number;
  readonly vocabulary: number;
  readonly levels: readonly number[];
}

const MAGIC = 0x474e5a42; // "BZNG", little-endian
const VERSION = 1;

/**
 * `BZNG`, version and length of the header (uint32, little-endian), the header, then numbers of 7 bits a byte, low bits first, high bit set
 * where more follow: for each word how many bytes it shares with the one before, how many follow, and those bytes (UTF-8); for each level and
 * n-gram the step from the key before (left out in the first level, where every key is there) and its count.
 */
export function writeNgramFile({ model, calibration }: NgramFile): Uint8Array {
  const body: number[] = [];
  const number = (value: number): void => {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) body.push((rest % 128) + 128);
    body.push(rest);
  };
  const encoder = new TextEncoder();
  let previous = new Uint8Array();
  for (const word of model.vocabulary) {
    const bytes = encoder.encode(word);
    let shared = 0;
    while (shared < bytes.length && bytes[shared] === previous[shared]) shared++;
    number(shared);
    number(bytes.length - shared);
    for (let at = shared; at < bytes.length; at++) body.push(bytes[at]!);
    previous = bytes;
  }
  for (const [length, { keys, before }] of model.levels.entries()) {
    for (let place = 0; place < keys.length; place++) {
      if (length > 0) number(keys[place]! - (place === 0 ? 0 : keys[place - 1]!));
      number(before[place + 1]! - before[place]!);
    }
  }
  const header: Header = {
    calibration,
    unknownWords: model.unknownWords,
    vocabulary: model.vocabulary.length,
    levels: model.levels.map((level) => level.keys.length),
  };
  const json = encoder.encode(JSON.stringify(header));
  const file = new Uint8Array(12 + json.length + body.length);
  const view = new DataView(file.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(8, json.length, true);
  file.set(json, 12);
  file.set(body, 12 + json.length);
  return file;
}

/**
 * Reads what `writeNgramFile` made.
 *
 * @throws {BezoarError} `BAD_INPUT` when the bytes are of another format, cut off or longer.
 */
export function readNgramFile(file: Uint8Array): NgramFile {
  const bad = (cause?: unknown): BezoarError =>
    new BezoarError('BAD_INPUT', 'The bytes are not an n-gram model of version 1.', { cause, details: { bytes: file.length } });
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 12 || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) throw bad();
  let at = 12 + view.getUint32(8, true);
  let header: Header;
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(12, at))) as Header;
  } catch (cause) {
    throw bad(cause);
  }
  // Every word and n-gram takes at least one byte, so no count in a forged header makes us set aside more memory than the file has.
  if (header.vocabulary + header.levels.reduce((sum, size) => sum + size, 0) > file.length) throw bad();
  const number = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = file[at++];
      if (byte === undefined) throw bad();
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  };
  const lines: number[] = [];
  let start = 0;
  for (let word = 0; word < header.vocabulary; word++) {
    const shared = number();
    const added = number();
    if (at + added > file.length || start + shared > lines.length) throw bad();
    const next = lines.length;
    for (let byte = 0; byte < shared; byte++) lines.push(lines[start + byte]!);
    for (let byte = 0; byte < added; byte++) lines.push(file[at++]!);
    lines.push(10);
    start = next;
  }
  const vocabulary = new TextDecoder().decode(Uint8Array.from(lines.slice(0, -1))).split('\n');
  const levels: NgramLevel[] = header.levels.map((size, length) => {
    const keys = new Float64Array(size);
    const counts = new Float64Array(size);
    let key = 0;
    for (let place = 0; place < size; place++) {
      key = length === 0 ? place : key + number();
      keys[place] = key;
      counts[place] = number();
    }
    return ngramLevel(keys, (_, place) => counts[place]!);
  });
  if (at !== file.length || vocabulary.length !== header.vocabulary) throw bad();
  return { model: { vocabulary, unknownWords: header.unknownWords, levels }, calibration: header.calibration };
}
