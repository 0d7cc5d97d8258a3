/**
 * Makes packages/models/assets/static-encoder.bin: a table with one int8 row a wordpiece, distilled from a sentence encoder.
 *
 *   npx tsx scripts/make-static-encoder.ts --texts texts.txt
 *
 * 1. Each piece goes through the teacher as `[CLS] piece [SEP]`; the three output vectors are averaged, the table is centred, and each row
 *    scaled by a / (a + p) with p the piece's share of English text.
 * 2. The teacher encodes the texts; their first principal axes are the coordinates of the student.
 * 3. Ridge regression finds the linear map of the table that brings a text's mean row closest to the teacher's vector: it moves all rows
 *    together, also those of pieces that the texts lack.
 * 4. Gradient descent (Adam) moves single rows towards a higher cosine with the teacher; the mean of the tables of steps 3 and 4 is taken
 *    (the half-way point generalises better than either end) and axes of much variance are shortened. Rounded to int8 with one scale.
 *
 * Texts that end in a question mark are left out: with the templates of those questions the table learns the teacher's notion of a question,
 * which draws queries towards passages that ask something.
 *
 * Options: --texts FILE (one a line, made by scripts/data/static-encoder-texts.py), --limit N (of its lines), --teacher DIR (model.onnx,
 * tokenizer.json), --frequencies FILE (word, tab, count), --out FILE, --cache DIR (keeps the teacher's outputs, so that a run can go on).
 * Deterministic up to the rounding of the teacher's runtime.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { repeatWeight } from '../packages/models/src/static-encoder.ts';
import { wordPiece } from '../packages/models/src/wordpiece.ts';
import { eigen, solvePositive } from './linear-algebra.ts';

const { values: options } = parseArgs({
  options: {
    texts: { type: 'string', default: 'texts.txt' },
    limit: { type: 'string', default: '102400' },
    teacher: { type: 'string', default: '../shared/models/all-MiniLM-L6-v2' },
    frequencies: { type: 'string', default: 'scripts/data/english-word-frequencies.tsv' },
    out: { type: 'string', default: 'packages/models/assets/static-encoder.bin' },
    cache: { type: 'string', default: join(tmpdir(), 'static-encoder') },
  },
});

const WIDTH = 384; // of the teacher
const DIMENSIONS = 256; // 98 % of the teacher's length, two thirds of the bytes
const WINDOW = 126; // pieces of a text that the teacher reads
const CHUNK = 4096; // texts between two writes to the cache
const DAMPING = 1e-3; // a of a / (a + p), Arora et al. 2017
const PUNCTUATION_SHARE = 0.05; // about the comma's share of running text; lists of words do not count punctuation
const RAREST = 1e-9; // a piece that no listed word and no neighbour helps with: ideographs and the like
const RIDGE = 0.01;
const EPOCHS = 3;
const BATCH = 512;
const STEP = 0.03; // of the table's root mean square; falls linearly to 0
const WHITENING = 0.25; // 0 leaves the axes, 1 makes all equally long

const vocabulary = readVocabulary(options.teacher);
const [CLS, SEP, UNKNOWN] = ['[CLS]', '[SEP]', '[UNK]'].map((piece) => vocabulary.indexOf(piece)) as [number, number, number];
/** Teacher ids of the rows: all but the special and reserved pieces, which no text spells (see wordpiece.ts). */
const kept = vocabulary.flatMap((piece, id) => (/^\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]$/.test(piece) ? [] : [id]));
const pieces = kept.map((id) => vocabulary[id]!);
const tokenizer = wordPiece(pieces);
const lines = readFileSync(options.texts, 'utf8').trimEnd().split('\n').slice(0, Number(options.limit));
const sequences = lines.map((text) => tokenizer.encode(text).slice(0, WINDOW));
const session = await InferenceSession.create(join(options.teacher, 'model.onnx'), {
  extra: { session: { intra_op: { allow_spinning: '0' } } },
});

const table = await cached('pieces', () => encodeWithTeacher(kept.map((id) => [CLS, id, SEP])));
centre(table, WIDTH);
scaleRows(table, pieceShares());
const encoded = new Float32Array(lines.length * WIDTH);
for (let start = 0; start < lines.length; start += CHUNK) {
  const chunk = sequences.slice(start, start + CHUNK).map((rows) => [CLS, ...rows.map((row) => kept[row] ?? UNKNOWN), SEP]);
  encoded.set(await cached(`texts-${start}`, () => encodeWithTeacher(chunk)), start * WIDTH);
  console.log(`teacher: ${start + chunk.length} of ${lines.length} texts`);
}

/** A text as the encoder sees it: its rows, once each, and their weights. */
interface Bag {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
}
const fitted = lines.flatMap((line, index) => (line.endsWith('?') || sequences[index]!.every((row) => row < 0) ? [] : [index]));
const bags = fitted.map((index) => bag(sequences[index]!.filter((row) => row >= 0)));
const targets = new Float32Array(fitted.length * WIDTH);
for (const [position, index] of fitted.entries()) targets.set(encoded.subarray(index * WIDTH, (index + 1) * WIDTH), position * WIDTH);
normalizeRows(targets, WIDTH);

const axes = eigen(gram(targets, targets, WIDTH, WIDTH), WIDTH).vectors.subarray(0, DIMENSIONS * WIDTH);
const wanted = multiply(targets, axes, WIDTH, DIMENSIONS);
normalizeRows(wanted, DIMENSIONS);
const mapped = multiply(table, ridgeMap(table, wanted), WIDTH, DIMENSIONS);
const moved = mapped.slice();
descend(moved, wanted);
const rows = whiten(mapped.map((value, k) => (value + moved[k]!) / 2));
writeFileSync(options.out, asset(rows));
console.log(`${options.out}: ${pieces.length} rows of ${DIMENSIONS}`);

function readVocabulary(folder: string): string[] {
  const file = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: { vocab: Record<string, number> } };
  const list: string[] = [];
  for (const [piece, id] of Object.entries(file.model.vocab)) list[id] = piece;
  return list;
}

async function cached(name: string, make: () => Promise<Float32Array>): Promise<Float32Array> {
  const path = join(options.cache, `${name}.f32`);
  if (existsSync(path)) return new Float32Array(new Uint8Array(readFileSync(path)).buffer);
  const made = await make();
  mkdirSync(options.cache, { recursive: true });
  writeFileSync(path, new Uint8Array(made.buffer));
  return made;
}

/** The mean of the teacher's output vectors for each sequence of ids; sequences of one length go in together, so nothing is padded. */
async function encodeWithTeacher(sequences: readonly (readonly number[])[]): Promise<Float32Array> {
  const means = new Float32Array(sequences.length * WIDTH);
  const byLength = new Map<number, number[]>();
  for (const [index, { length }] of sequences.entries()) byLength.set(length, [...(byLength.get(length) ?? []), index]);
  for (const [length, indices] of byLength) {
    for (let start = 0; start < indices.length; start += 64) {
      const batch = indices.slice(start, start + 64);
      const ids = BigInt64Array.from(batch.flatMap((index) => sequences[index]!.map(BigInt)));
      const feeds: Record<string, Tensor> = {};
      for (const name of session.inputNames) {
        const data = name === 'input_ids' ? ids : new BigInt64Array(ids.length).fill(name === 'attention_mask' ? 1n : 0n);
        feeds[name] = new Tensor('int64', data, [batch.length, length]);
      }
      const states = (await session.run(feeds)).last_hidden_state!.data as Float32Array;
      for (const [position, index] of batch.entries()) {
        for (let token = 0; token < length; token++) {
          const from = (position * length + token) * WIDTH;
          for (let i = 0; i < WIDTH; i++) means[index * WIDTH + i]! += states[from + i]! / length;
        }
      }
    }
  }
  return means;
}

function centre(matrix: Float32Array, width: number): void {
  const count = matrix.length / width;
  const mean = new Float64Array(width);
  for (let k = 0; k < matrix.length; k++) mean[k % width]! += matrix[k]! / count;
  for (let k = 0; k < matrix.length; k++) matrix[k]! -= mean[k % width]!;
}

function normalizeRows(matrix: Float32Array, width: number): void {
  for (let start = 0; start < matrix.length; start += width) {
    const row = matrix.subarray(start, start + width);
    const norm = Math.hypot(...row) || 1;
    for (let i = 0; i < width; i++) row[i]! /= norm;
  }
}

function scaleRows(matrix: Float32Array, shares: Float64Array): void {
  for (const [row, share] of shares.entries()) {
    for (let i = 0; i < WIDTH; i++) matrix[row * WIDTH + i]! *= DAMPING / (DAMPING + share);
  }
}

/**
 * Each piece's share of English text: the counts of the words it is part of. A piece of no listed word (names, numbers) gets the geometric
 * mean of its neighbours in the vocabulary, which is in the order of frequency; punctuation gets a fixed high share.
 */
function pieceShares(): Float64Array {
  const counts = new Float64Array(pieces.length);
  for (const line of readFileSync(options.frequencies, 'utf8').split('\n')) {
    const [word, count] = line.split('\t');
    if (count === undefined) continue;
    for (const row of tokenizer.encode(word!)) if (row >= 0) counts[row]! += Number(count);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Float64Array.from(pieces, (piece, row) => {
    if (/^(##)?[\p{P}\p{S}]+$/u.test(piece)) return PUNCTUATION_SHARE;
    if (counts[row]! > 0) return counts[row]! / total;
    const near = counts.subarray(Math.max(0, row - 200), row + 200).filter((count) => count > 0);
    return near.length === 0 ? RAREST : Math.exp(near.reduce((sum, count) => sum + Math.log(count / total), 0) / near.length);
  });
}

/** `a` [n, height] transposed times `b` [n, width]. */
function gram(a: Float32Array, b: Float32Array, height: number, width: number): Float64Array {
  const product = new Float64Array(height * width);
  for (let row = 0; row < a.length / height; row++) {
    for (let i = 0; i < height; i++) {
      const factor = a[row * height + i]!;
      for (let j = a === b ? i : 0; j < width; j++) product[i * width + j]! += factor * b[row * width + j]!;
    }
  }
  if (a === b) for (let i = 0; i < height; i++) for (let j = 0; j < i; j++) product[i * width + j] = product[j * width + i]!;
  return product;
}

/** `a` [n, inner] times the transpose of `b` [outer, inner]. */
function multiply(a: Float32Array, b: Float64Array, inner: number, outer: number): Float32Array {
  const count = a.length / inner;
  const product = new Float32Array(count * outer);
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < outer; column++) {
      let sum = 0;
      for (let i = 0; i < inner; i++) sum += a[row * inner + i]! * b[column * inner + i]!;
      product[row * outer + column] = sum;
    }
  }
  return product;
}

function bag(list: readonly number[]): Bag {
  const counts = new Map<number, number>();
  for (const row of list) counts.set(row, (counts.get(row) ?? 0) + 1);
  return { rows: Int32Array.from(counts.keys()), weights: Float64Array.from(counts.values(), (count) => repeatWeight(count, list.length)) };
}

/** The weighted sums of the rows of each text, made unit length. */
function pool(matrix: Float32Array, width: number): Float32Array {
  const pooled = new Float32Array(bags.length * width);
  for (const [index, text] of bags.entries()) addRows(matrix, text, pooled.subarray(index * width, (index + 1) * width));
  normalizeRows(pooled, width);
  return pooled;
}

function addRows(matrix: Float32Array, text: Bag, sum: Float32Array | Float64Array): void {
  const width = sum.length;
  for (const [position, row] of text.rows.entries()) {
    const weight = text.weights[position]!;
    for (let i = 0; i < width; i++) sum[i]! += weight * matrix[row * width + i]!;
  }
}

/** The linear map [DIMENSIONS, WIDTH] that takes each text's unit sum of rows to its wanted vector with the least squared error. */
function ridgeMap(matrix: Float32Array, goal: Float32Array): Float64Array {
  const features = pool(matrix, WIDTH);
  const normal = gram(features, features, WIDTH, WIDTH);
  for (let i = 0; i < WIDTH; i++) normal[i * WIDTH + i]! += (RIDGE * bags.length) / WIDTH;
  const solution = solvePositive(normal, gram(features, goal, WIDTH, DIMENSIONS), WIDTH, DIMENSIONS);
  const map = new Float64Array(DIMENSIONS * WIDTH);
  for (let i = 0; i < WIDTH; i++) for (let j = 0; j < DIMENSIONS; j++) map[j * WIDTH + i] = solution[i * DIMENSIONS + j]!;
  return map;
}

/** Turns the table onto the principal axes of the texts' vectors and divides each axis by its deviation to the power WHITENING. */
function whiten(matrix: Float32Array): Float32Array {
  const vectors = pool(matrix, DIMENSIONS);
  centre(vectors, DIMENSIONS);
  const { values: variances, vectors: directions } = eigen(gram(vectors, vectors, DIMENSIONS, DIMENSIONS), DIMENSIONS);
  const map = directions.map((value, k) => value * (variances[Math.floor(k / DIMENSIONS)]! / bags.length) ** (-WHITENING / 2));
  return multiply(matrix, map, DIMENSIONS, DIMENSIONS);
}

/** Adam on the mean cosine of texts with what is wanted of them; changes `matrix`. */
function descend(matrix: Float32Array, goal: Float32Array): void {
  const rate = STEP * Math.sqrt(matrix.reduce((sum, value) => sum + value * value, 0) / matrix.length);
  const first = new Float32Array(matrix.length);
  const second = new Float32Array(matrix.length);
  const gradient = new Float32Array(matrix.length);
  const random = mulberry32(1);
  const order = Array.from(bags.keys());
  const steps = EPOCHS * Math.floor(bags.length / BATCH);
  const sum = new Float64Array(DIMENSIONS);
  const pull = new Float64Array(DIMENSIONS);
  let cosines = 0;
  for (let step = 0; step < steps; step++) {
    const start = (step * BATCH) % (bags.length - (bags.length % BATCH));
    if (start === 0) shuffle(order, random);
    gradient.fill(0);
    for (const index of order.slice(start, start + BATCH)) {
      const text = bags[index]!;
      sum.fill(0);
      addRows(matrix, text, sum);
      const norm = Math.hypot(...sum);
      let cosine = 0;
      for (let i = 0; i < DIMENSIONS; i++) cosine += (sum[i]! / norm) * goal[index * DIMENSIONS + i]!;
      cosines += cosine;
      for (let i = 0; i < DIMENSIONS; i++) pull[i] = ((cosine * sum[i]!) / norm - goal[index * DIMENSIONS + i]!) / (norm * BATCH);
      for (const [position, row] of text.rows.entries()) {
        const weight = text.weights[position]!;
        for (let i = 0; i < DIMENSIONS; i++) gradient[row * DIMENSIONS + i]! += weight * pull[i]!;
      }
    }
    const unbias = Math.sqrt(1 - 0.999 ** (step + 1)) / (1 - 0.9 ** (step + 1));
    const size = rate * unbias * (1 - step / steps);
    for (let k = 0; k < matrix.length; k++) {
      const g = gradient[k]!;
      const m = 0.9 * first[k]! + 0.1 * g;
      const v = 0.999 * second[k]! + 0.001 * g * g;
      first[k] = m;
      second[k] = v;
      if (m !== 0) matrix[k]! -= (size * m) / (Math.sqrt(v) + 1e-10);
    }
    if ((step + 1) % 50 === 0) {
      console.log(`step ${step + 1} of ${steps}: mean cosine ${(cosines / (50 * BATCH)).toFixed(4)}`);
      cosines = 0;
    }
  }
}

function shuffle(list: number[], random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The file: `BZSE`, then version, dimensions, rows and vocabulary bytes (uint32, little-endian), the vocabulary, the int8 table. */
function asset(matrix: Float32Array): Uint8Array {
  const words = new TextEncoder().encode(pieces.join('\n'));
  const largest = matrix.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const bytes = new Uint8Array(20 + words.length + matrix.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('BZSE'));
  for (const [index, value] of [1, DIMENSIONS, pieces.length, words.length].entries()) view.setUint32(4 + 4 * index, value, true);
  bytes.set(words, 20);
  bytes.set(new Uint8Array(Int8Array.from(matrix, (value) => Math.round((127 * value) / largest)).buffer), 20 + words.length);
  return bytes;
}
