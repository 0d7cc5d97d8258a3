import { BezoarError, type EncodedTexts, type Encoder, type EncoderCalibration } from '@bezoar/core';
import { readAsset, throwIfAborted } from './read-asset.ts';
import { type WordPiece, wordPiece } from './wordpiece.ts';

const HEADER_BYTES = 20;
const WINDOW = 100_000; // characters; a passage of RAG has hundreds to thousands, so only abuse is cut
const SATURATION = 1 / 20; // k of BM25 for each piece of the text; assets/README.md says how it was chosen
const BIAS = 128; // makes an int8 positive
const MOST_ROWS = 256;
const BREATH = 1024; // texts between two looks at the abort signal, about 50 ms

/**
 * Loads the built-in encoder: a table with one vector a wordpiece; a text is the sum of the rows of its pieces, repeated
 * ones damped, scaled to unit length. Empty text, and
 * text of which no piece is known, gives the zero vector. Both roles are encoded alike; word order is not seen.
 *
 * The table is distilled from all-MiniLM-L6-v2 (see assets/README.md). A text has the same vector on every machine: only additions,
 * products, quotients and roots, in one order. Only the first 100,000 characters of a text are read; longer ones are reported in `truncated`.
 *
 * Source: Arora et al. 2017, A Simple but Tough-to-Beat Baseline for Sentence Embeddings (weights); Model2Vec (rows by a pass of each piece
 * through the teacher). Reference code: none.
 * Deviations: no first component is taken out of the texts; it depends on the corpus and loses to a centred table.
 *
 * @param options.bytes - The asset, where the file beside the package cannot be read or fetched. Then there is no calibration.
 * @param options.signal - Aborts loading.
 * @throws {BezoarError} `NOT_FOUND` when the asset is missing, `BAD_INPUT` when it is of another format, `ABORTED`.
 *
 * Cost: under 50 microseconds a passage of 30 words on one thread; 9 MB of memory, 10 MB more for the vocabulary.
 */
export async function loadStaticEncoder(options: { readonly bytes?: Uint8Array; readonly signal?: AbortSignal } = {}): Promise<Encoder> {
  const { signal } = options;
  throwIfAborted(signal);
  const bytes = options.bytes ?? (await readAsset(new URL('../assets/static-encoder.bin', import.meta.url), signal));
  if (bytes === undefined) throw new BezoarError('NOT_FOUND', 'The asset static-encoder.bin of @bezoar/models is missing.');
  const { tokenizer, table, dimensions } = parse(bytes);
  const calibration =
    options.bytes === undefined
      ? parseCalibration(await readAsset(new URL('../assets/static-encoder.calibration.json', import.meta.url), signal))
      : undefined;
  throwIfAborted(signal);

  const encodeOne = poolRows(table, dimensions);

  return {
    name: 'static',
    dimensions,
    similarity: 'cosine',
    maskToken: null,
    tokenSpans: (texts) => texts.map((text) => tokenizer.spans(text.slice(0, WINDOW))),
    ...(calibration === undefined ? {} : { calibration }),
    async encode(texts, { signal: abort }): Promise<EncodedTexts> {
      const vectors: Float32Array[] = [];
      const truncated: boolean[] = [];
      for (const [index, text] of texts.entries()) {
        if (index > 0 && index % BREATH === 0) await new Promise((resolve) => setTimeout(resolve, 0));
        if (index % BREATH === 0) throwIfAborted(abort);
        truncated.push(text.length > WINDOW);
        vectors.push(encodeOne(tokenizer.encode(text.length > WINDOW ? text.slice(0, WINDOW) : text)));
      }
      return { vectors, truncated };
    },
  };
}

/**
 * The weight of a piece that stands `count` times in a text of `pieces` known pieces: 1 when it stands once, and for repeats the saturation
 * of BM25, count (k + 1) / (count + k), with k in proportion to the length. In a short text a word said twice is hardly more its topic;
 * in a long one it is.
 */
export function repeatWeight(count: number, pieces: number): number {
  const k = pieces * SATURATION;
  return (count * (k + 1)) / (count + k);
}

/** Makes a function from the rows of a text to its unit vector. */
function poolRows(table: Int8Array, dimensions: number): (rows: readonly number[]) => Float32Array {
  // Four biased entries a word, so that one addition sums two entries: lanes of 16 bits hold 257 rows of at most 255.
  const lanes = Math.ceil(dimensions / 4);
  const words = new Uint32Array((table.length / dimensions) * lanes);
  for (let k = 0; k < table.length; k++) {
    const column = k % dimensions;
    words[Math.floor(k / dimensions) * lanes + (column >> 2)]! |= (table[k]! + BIAS) << (8 * (column & 3));
  }
  const even = new Uint32Array(lanes);
  const odd = new Uint32Array(lanes);
  const sums = new Float64Array(4 * lanes);
  const counts = new Uint32Array(table.length / dimensions);
  const distinct: number[] = [];

  const flush = (rows: number): void => {
    for (let lane = 0; lane < lanes; lane++) {
      sums[4 * lane]! += (even[lane]! & 0xffff) - BIAS * rows;
      sums[4 * lane + 1]! += (odd[lane]! & 0xffff) - BIAS * rows;
      sums[4 * lane + 2]! += (even[lane]! >>> 16) - BIAS * rows;
      sums[4 * lane + 3]! += (odd[lane]! >>> 16) - BIAS * rows;
    }
    even.fill(0);
    odd.fill(0);
  };

  return (rows) => {
    let pieces = 0;
    distinct.length = 0;
    for (const row of rows) {
      if (row < 0) continue;
      pieces++;
      if (counts[row]!++ === 0) distinct.push(row);
    }
    sums.fill(0);
    for (const [index, row] of distinct.entries()) {
      const offset = row * lanes;
      for (let lane = 0; lane < lanes; lane++) {
        const word = words[offset + lane]!;
        even[lane]! += word & 0xff00ff;
        odd[lane]! += (word >>> 8) & 0xff00ff;
      }
      if (index % MOST_ROWS === MOST_ROWS - 1) flush(MOST_ROWS);
    }
    flush(distinct.length % MOST_ROWS);
    for (const row of distinct) {
      const count = counts[row]!;
      counts[row] = 0;
      if (count === 1) continue;
      const rest = repeatWeight(count, pieces) - 1;
      for (let i = 0; i < dimensions; i++) sums[i]! += rest * table[row * dimensions + i]!;
    }
    let squares = 0;
    for (let i = 0; i < dimensions; i++) squares += sums[i]! * sums[i]!;
    const vector = new Float32Array(dimensions);
    if (squares === 0) return vector;
    const norm = Math.sqrt(squares);
    for (let i = 0; i < dimensions; i++) vector[i] = sums[i]! / norm;
    return vector;
  };
}

/** `BZSE`, then version, dimensions, rows and vocabulary bytes (uint32, little-endian), the vocabulary, one int8 row a piece. */
function parse(bytes: Uint8Array): { tokenizer: WordPiece; table: Int8Array; dimensions: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const field = (index: number): number => (bytes.length < HEADER_BYTES ? 0 : view.getUint32(4 * index, true));
  const [dimensions, rows, vocabularyBytes] = [field(2), field(3), field(4)];
  const start = HEADER_BYTES + vocabularyBytes;
  const MAGIC = 0x45535a42; // "BZSE"
  if (field(0) !== MAGIC || field(1) !== 1 || dimensions === 0 || bytes.length !== start + rows * dimensions) {
    throw new BezoarError('BAD_INPUT', 'The bytes are not a static encoder of version 1.', { details: { bytes: bytes.length } });
  }
  const vocabulary = new TextDecoder().decode(bytes.subarray(HEADER_BYTES, start)).split('\n');
  if (vocabulary.length !== rows)
    throw new BezoarError('BAD_INPUT', `The static encoder has ${rows} rows and ${vocabulary.length} pieces.`);
  return { tokenizer: wordPiece(vocabulary), table: new Int8Array(bytes.buffer, bytes.byteOffset + start, rows * dimensions), dimensions };
}

function parseCalibration(bytes: Uint8Array | undefined): EncoderCalibration | undefined {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as EncoderCalibration;
  } catch (cause) {
    throw new BezoarError('BAD_INPUT', 'static-encoder.calibration.json is not valid JSON.', { cause });
  }
}
