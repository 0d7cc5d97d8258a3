import { BezoarError } from '../errors.ts';
import type { StoredPassage, StoreRecord, StoreShape } from './store-port.ts';
import { checkShape } from './store-records.ts';

/** `bezoar`, a zero, and the version of the format. */
const MAGIC = Uint8Array.of(0x62, 0x65, 0x7a, 0x6f, 0x61, 0x72, 0, 1);
/** Bytes after which a frame is full: large enough that its header does not count, small enough to hold a few in memory. */
const FRAME_BYTES = 1_000_000;

interface FrameText {
  readonly shape?: StoreShape;
  readonly records?: readonly { readonly passage: StoredPassage; readonly vectors: readonly string[] }[];
  readonly end?: number;
}

/**
 * A store as bytes: the magic, then frames of {bytes of JSON, bytes of numbers, checksum: 32 bits each, little-endian; JSON; numbers, 32-bit
 * floats, little-endian}. The first frame has the shape, the last how many records there were. A checksum (FNV-1a) goes on from the one before,
 * so a frame that is changed, missing or out of place is seen. It guards against accidents and not against forgers.
 */
export async function* writeSnapshot(
  shape: StoreShape,
  records: AsyncIterable<StoreRecord> | Iterable<StoreRecord>,
): AsyncGenerator<Uint8Array> {
  let checksum = 0x811c9dc5;
  const frame = (content: FrameText, numbers: readonly Float32Array[] = []): Uint8Array => {
    const json = new TextEncoder().encode(JSON.stringify(content));
    const floats = 4 * numbers.reduce((sum, vector) => sum + vector.length, 0);
    const bytes = new Uint8Array(12 + json.length + floats);
    const view = new DataView(bytes.buffer);
    bytes.set(json, 12);
    let place = 12 + json.length;
    for (const vector of numbers) for (let i = 0; i < vector.length; i++, place += 4) view.setFloat32(place, vector[i]!, true);
    checksum = continueChecksum(checksum, bytes.subarray(12));
    for (const [index, value] of [json.length, floats, checksum].entries()) view.setUint32(4 * index, value, true);
    return bytes;
  };
  yield MAGIC.slice();
  yield frame({ shape });
  let pending: StoreRecord[] = [];
  let bytes = 0;
  let count = 0;
  const flush = (): Uint8Array => {
    const listed = pending.map(({ passage, vectors }) => ({ passage, vectors: Object.keys(vectors).sort() }));
    const numbers = pending.flatMap(({ vectors }, index) => listed[index]!.vectors.map((name) => vectors[name]!));
    pending = [];
    bytes = 0;
    return frame({ records: listed }, numbers);
  };
  for await (const record of records) {
    pending.push(record);
    count++;
    bytes += record.passage.text.length;
    for (const vector of Object.values(record.vectors)) bytes += 4 * vector.length;
    if (bytes >= FRAME_BYTES) yield flush();
  }
  if (pending.length > 0) yield flush();
  yield frame({ end: count });
}

/**
 * The shape and the records of a snapshot. The records come as they are read; only when they end without an error was the snapshot whole.
 *
 * @throws {BezoarError} `BAD_INPUT` for bytes that are no snapshot, of another version, changed or cut off.
 */
export async function readSnapshot(
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ readonly shape: StoreShape; readonly records: AsyncGenerator<StoreRecord> }> {
  const take = byteReader(pieces);
  let checksum = 0x811c9dc5;
  const frame = async (): Promise<{ content: FrameText; floats: DataView }> => {
    const header = new DataView((await take(12)).buffer);
    const jsonBytes = header.getUint32(0, true);
    const body = await take(jsonBytes + header.getUint32(4, true));
    checksum = continueChecksum(checksum, body);
    if (checksum !== header.getUint32(8, true)) throw broken('was changed');
    return {
      content: JSON.parse(new TextDecoder().decode(body.subarray(0, jsonBytes))) as FrameText,
      floats: new DataView(body.buffer, jsonBytes),
    };
  };
  const magic = await take(MAGIC.length);
  if (MAGIC.some((byte, index) => index < 7 && magic[index] !== byte)) throw broken('is none: it does not begin as one');
  if (magic[7] !== MAGIC[7]) throw broken(`is of version ${magic[7]}, and this program reads version ${MAGIC[7]}`);
  const { shape } = (await frame()).content;
  if (typeof shape?.vectors !== 'object' || shape.vectors === null) throw broken('has no shape');
  checkShape(shape);
  const records = async function* (): AsyncGenerator<StoreRecord> {
    for (let count = 0; ; ) {
      const { content, floats } = await frame();
      if (content.end !== undefined) {
        if (content.end !== count) throw broken(`has ${count} records of ${content.end}`);
        return;
      }
      let place = 0;
      for (const { passage, vectors: names } of content.records ?? []) {
        const vectors: Record<string, Float32Array> = {};
        for (const name of names) {
          if (!Object.hasOwn(shape.vectors, name)) throw broken('has a vector that its shape lacks');
          const vector = new Float32Array(shape.vectors[name]!);
          for (let i = 0; i < vector.length; i++, place += 4) vector[i] = floats.getFloat32(place, true);
          vectors[name] = vector;
        }
        yield { passage, vectors };
        count++;
      }
    }
  };
  return { shape, records: records() };
}

const broken = (how: string): BezoarError => new BezoarError('BAD_INPUT', `the snapshot ${how}; use another copy of it`);

function continueChecksum(checksum: number, bytes: Uint8Array): number {
  let hash = checksum;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}

/** Takes the next so many bytes, in an array of their own; never sets memory aside for more than has come. */
function byteReader(pieces: AsyncIterable<Uint8Array>): (length: number) => Promise<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let available = 0;
  return async (length) => {
    while (available < length) {
      const next = await source.next();
      if (next.done) throw broken('is cut off');
      waiting.push(next.value);
      available += next.value.length;
    }
    const taken = new Uint8Array(length);
    let filled = 0;
    let used = 0;
    for (const piece of waiting) {
      const part = piece.subarray(0, length - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length < piece.length) {
        waiting[used] = piece.subarray(part.length);
        break;
      }
      used++;
    }
    waiting = waiting.slice(used);
    available -= length;
    return taken;
  };
}
