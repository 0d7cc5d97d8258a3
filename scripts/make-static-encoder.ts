/**
 * Makes packages/models/assets/static-encoder.bin: a table with one int8 row a wordpiece, distilled from a sentence encoder.
 *
 *   npx tsx scripts/make-static-encoder.ts --teacher ../shared/models/all-MiniLM-L6-v2
 *
 * Each piece goes through the teacher as `[CLS] piece [SEP]` and the three output vectors are averaged. The table is centred and rotated
 * onto its first principal components, each row scaled by a / (a + p) with p the piece's share of English text, and rounded to int8.
 *
 * Options: --teacher DIR (model.onnx, tokenizer.json), --frequencies FILE (word, tab, count), --out FILE, --dimensions N, --cache DIR
 * (keeps the teacher's outputs between runs).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { wordPiece } from '../packages/models/src/wordpiece.ts';

const { values: options } = parseArgs({
  options: {
    teacher: { type: 'string', default: '../shared/models/all-MiniLM-L6-v2' },
    frequencies: { type: 'string', default: 'scripts/data/english-word-frequencies.tsv' },
    out: { type: 'string', default: 'packages/models/assets/static-encoder.bin' },
    dimensions: { type: 'string', default: '256' },
    cache: { type: 'string' },
  },
});

const WIDTH = 384;
const DAMPING = 1e-3; // a of a / (a + p), Arora et al. 2017
const PUNCTUATION_SHARE = 0.05; // the comma's share of running text; no list of words counts punctuation

const dimensions = Number(options.dimensions);
const vocabulary = readVocabulary(options.teacher);
const CLS = vocabulary.indexOf('[CLS]');
const SEP = vocabulary.indexOf('[SEP]');
/** Rows that a text can reach: no special and no reserved piece is ever spelled, see wordpiece.ts. */
const kept = vocabulary.flatMap((piece, id) => (/^\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]$/.test(piece) ? [] : [id]));
const pieces = kept.map((id) => vocabulary[id]!);

const session = await InferenceSession.create(join(options.teacher, 'model.onnx'), {
  extra: { session: { intra_op: { allow_spinning: '0' } } },
});
const outputs = await cached('pieces', encodePieces);
const { rows } = principalComponents(outputs, pieces.length, WIDTH, dimensions);
const shares = pieceShares(pieces, options.frequencies);
for (let row = 0; row < pieces.length; row++) {
  const weight = DAMPING / (DAMPING + shares[row]!);
  for (let column = 0; column < dimensions; column++) rows[row * dimensions + column]! *= weight;
}
writeFileSync(options.out, asset(pieces, rows, dimensions));
console.log(`${options.out}: ${pieces.length} rows of ${dimensions}`);

function readVocabulary(folder: string): string[] {
  const file = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: { vocab: Record<string, number> } };
  const list: string[] = [];
  for (const [piece, id] of Object.entries(file.model.vocab)) list[id] = piece;
  return list;
}

async function cached(name: string, make: () => Promise<Float32Array>): Promise<Float32Array> {
  if (options.cache === undefined) return make();
  const path = join(options.cache, `${name}.f32`);
  if (existsSync(path)) return new Float32Array(new Uint8Array(readFileSync(path)).buffer);
  const made = await make();
  mkdirSync(options.cache, { recursive: true });
  writeFileSync(path, new Uint8Array(made.buffer));
  return made;
}

/** Mean of the teacher's output vectors over whole sequences of ids, all of one length. */
async function teacherMeans(sequences: readonly (readonly number[])[]): Promise<Float32Array> {
  const length = sequences[0]!.length;
  const shape = [sequences.length, length];
  const size = sequences.length * length;
  const ids = BigInt64Array.from({ length: size }, (_, index) => BigInt(sequences[Math.floor(index / length)]![index % length]!));
  const feeds: Record<string, Tensor> = {};
  for (const name of session.inputNames) {
    const data = name === 'input_ids' ? ids : new BigInt64Array(size).fill(name === 'attention_mask' ? 1n : 0n);
    feeds[name] = new Tensor('int64', data, shape);
  }
  const states = (await session.run(feeds)).last_hidden_state!.data as Float32Array;
  const means = new Float32Array(sequences.length * WIDTH);
  for (let sequence = 0; sequence < sequences.length; sequence++) {
    for (let token = 0; token < length; token++) {
      const from = (sequence * length + token) * WIDTH;
      for (let column = 0; column < WIDTH; column++) means[sequence * WIDTH + column]! += states[from + column]! / length;
    }
  }
  return means;
}

async function encodePieces(): Promise<Float32Array> {
  const means = new Float32Array(kept.length * WIDTH);
  for (let start = 0; start < kept.length; start += 256) {
    const batch = kept.slice(start, start + 256).map((id) => [CLS, id, SEP]);
    means.set(await teacherMeans(batch), start * WIDTH);
  }
  return means;
}

/** Centres a table and projects it onto its first principal components. */
function principalComponents(
  table: Float32Array,
  count: number,
  width: number,
  wanted: number,
): { rows: Float32Array; axes: Float64Array } {
  const mean = new Float64Array(width);
  for (let row = 0; row < count; row++) for (let i = 0; i < width; i++) mean[i]! += table[row * width + i]! / count;
  const covariance = new Float64Array(width * width);
  const centred = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < width; i++) centred[i] = table[row * width + i]! - mean[i]!;
    for (let i = 0; i < width; i++) for (let j = i; j < width; j++) covariance[i * width + j]! += centred[i]! * centred[j]!;
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) covariance[i * width + j] = covariance[j * width + i]!;
  const vectors = eigenvectors(covariance, width);
  const axes = vectors.slice(0, wanted * width);
  const rows = new Float32Array(count * wanted);
  for (let row = 0; row < count; row++) {
    for (let axis = 0; axis < wanted; axis++) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += (table[row * width + i]! - mean[i]!) * axes[axis * width + i]!;
      rows[row * wanted + axis] = sum;
    }
  }
  return { rows, axes };
}

/** Eigenvectors of a symmetric matrix as rows, largest eigenvalue first, by cyclic Jacobi rotations. */
function eigenvectors(matrix: Float64Array, size: number): Float64Array {
  const a = matrix.slice();
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i++) vectors[i * size + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let diagonal = 0;
    for (let i = 0; i < size; i++) {
      diagonal += a[i * size + i]! ** 2;
      for (let j = i + 1; j < size; j++) off += a[i * size + j]! ** 2;
    }
    if (off <= 1e-20 * diagonal) break;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const apq = a[p * size + q]!;
        if (apq === 0) continue;
        const theta = (a[q * size + q]! - a[p * size + p]!) / (2 * apq);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < size; k++) {
          const kp = a[k * size + p]!;
          const kq = a[k * size + q]!;
          a[k * size + p] = c * kp - s * kq;
          a[k * size + q] = s * kp + c * kq;
        }
        for (let k = 0; k < size; k++) {
          const pk = a[p * size + k]!;
          const qk = a[q * size + k]!;
          a[p * size + k] = c * pk - s * qk;
          a[q * size + k] = s * pk + c * qk;
          const vp = vectors[p * size + k]!;
          const vq = vectors[q * size + k]!;
          vectors[p * size + k] = c * vp - s * vq;
          vectors[q * size + k] = s * vp + c * vq;
        }
      }
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => a[j * size + j]! - a[i * size + i]!);
  const sorted = new Float64Array(size * size);
  for (let i = 0; i < size; i++) sorted.set(vectors.subarray(order[i]! * size, (order[i]! + 1) * size), i * size);
  return sorted;
}

/**
 * Each piece's share of English text: the counts of the words it is part of. A piece of no listed word (names, numbers) gets the geometric
 * mean of its neighbours in the vocabulary, which is in the order of frequency; punctuation gets a fixed high share.
 */
function pieceShares(list: readonly string[], path: string): Float64Array {
  const counts = new Float64Array(list.length);
  const tokenizer = wordPiece(list);
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [word, count] = line.split('\t');
    if (count === undefined) continue;
    for (const id of tokenizer.encode(word!)) if (id >= 0) counts[id]! += Number(count);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Float64Array.from(list, (piece, row) => {
    if (/^(##)?[\p{P}\p{S}]+$/u.test(piece)) return PUNCTUATION_SHARE;
    if (counts[row]! > 0) return counts[row]! / total;
    let logs = 0;
    let seen = 0;
    for (let other = Math.max(0, row - 200); other < Math.min(list.length, row + 200); other++) {
      if (counts[other] === 0) continue;
      logs += Math.log(counts[other]! / total);
      seen++;
    }
    return seen === 0 ? 1e-9 : Math.exp(logs / seen);
  });
}

/** The file: `BZSE`, then version, dimensions, rows and vocabulary bytes (uint32, little-endian), the vocabulary, the int8 table. */
function asset(list: readonly string[], table: Float32Array, width: number): Uint8Array {
  const words = new TextEncoder().encode(list.join('\n'));
  let largest = 0;
  for (const value of table) largest = Math.max(largest, Math.abs(value));
  const bytes = new Uint8Array(20 + words.length + table.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('BZSE'));
  for (const [index, value] of [1, width, list.length, words.length].entries()) view.setUint32(4 + 4 * index, value, true);
  bytes.set(words, 20);
  bytes.set(new Uint8Array(Int8Array.from(table, (value) => Math.round((127 * value) / largest)).buffer), 20 + words.length);
  return bytes;
}
