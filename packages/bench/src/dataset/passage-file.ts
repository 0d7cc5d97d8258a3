import { type FileHandle, open } from 'node:fs/promises';
import { BezoarError, type Passage } from '@bezoar/core';
import { fileFault } from '../file-fault.ts';
import { type JsonLine, readJsonLines, recordOf, textField } from './read-json-lines.ts';

/** Passages this close in the file are read together: reading so many bytes in vain costs less than asking the system once more. */
const GAP_BYTES = 64 * 1024;
/** Bytes read at once, unless one passage is longer. */
const READ_BYTES = 1024 * 1024;
/** Bytes read at a time while streaming. */
const CHUNK_BYTES = 256 * 1024;

/** A corpus.jsonl whose passages stay on disk. */
export interface PassageFile {
  readonly count: number;
  passages(places: readonly number[]): Promise<readonly Passage[]>;
  batches(size: number): AsyncGenerator<{ readonly first: number; readonly passages: readonly Passage[] }>;
  close(): Promise<void>;
}

/** A stream of bytes passed on as it is, and looked at on the way. */
export type Watch = (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** The passage on a line of corpus.jsonl. An empty title is none. */
function passageOf(line: Pick<JsonLine, 'value' | 'at'>): Passage {
  const { _id, text, title } = recordOf(line);
  return {
    id: textField(_id, line, '_id'),
    text: textField(text, line, 'text'),
    ...(title === undefined || title === null || title === '' ? {} : { title: textField(title, line, 'title') }),
  };
}

/**
 * Goes through a corpus once and remembers where each passage is: 12 bytes each, beside the ids, which the caller forgets when all that names
 * passages by id is resolved.
 */
export async function indexPassages(
  path: string,
  name: string,
  watch: Watch = (chunks) => chunks,
): Promise<{ readonly file: PassageFile; readonly places: ReadonlyMap<string, number> }> {
  const handle = await open(path).catch((error: unknown) => {
    throw fileFault(error, name);
  });
  try {
    const places = new Map<string, number>();
    let offsets = new Float64Array(1024);
    let lengths = new Uint32Array(1024);
    for await (const line of readJsonLines(watch(fromStart(handle)), name, { invalidUtf8: 'refuse' })) {
      const { id } = passageOf(line);
      if (places.has(id)) {
        throw new BezoarError('DUPLICATE_ID', `${line.at}: _id is the same as an earlier passage's; ids must be unique`, {
          details: { line: line.line, field: '_id' },
        });
      }
      const place = places.size;
      if (place === offsets.length) {
        offsets = grown(offsets, new Float64Array(place * 2));
        lengths = grown(lengths, new Uint32Array(place * 2));
      }
      offsets[place] = line.offset;
      lengths[place] = line.bytes;
      places.set(id, place);
    }
    if (places.size === 0) throw new BezoarError('BAD_INPUT', `${name} holds no passage; write one {"_id", "title", "text"} a line`);
    const at = { offsets: offsets.slice(0, places.size), lengths: lengths.slice(0, places.size) };
    return { file: passageFile(handle, name, at), places };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** The file from its beginning. Reads by position: several readers of one handle do not disturb each other, and one may leave early. */
async function* fromStart(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function passageFile(
  handle: FileHandle,
  name: string,
  { offsets, lengths }: { readonly offsets: Float64Array; readonly lengths: Uint32Array },
): PassageFile {
  const count = offsets.length;
  const changed = (cause?: unknown): BezoarError =>
    new BezoarError('BAD_INPUT', `${name} changed since it was opened; leave it as it is while it is in use, and start again`, { cause });

  const passages = async (places: readonly number[]): Promise<readonly Passage[]> => {
    for (const place of places) {
      if (!(Number.isInteger(place) && place >= 0 && place < count))
        throw new BezoarError('INVALID_OPTION', `${name} has no place ${place}, expected a whole number from 0 to ${count - 1}`);
    }
    const wanted = [...new Set(places)].sort((a, b) => a - b);
    const found = new Map<number, Passage>();
    const endOf = (place: number): number => offsets[place] + lengths[place];
    for (let from = 0; from < wanted.length; ) {
      const start = offsets[wanted[from]];
      let to = from + 1;
      while (to < wanted.length && offsets[wanted[to]] - endOf(wanted[to - 1]) <= GAP_BYTES && endOf(wanted[to]) - start <= READ_BYTES)
        to += 1;
      const bytes = await readExactly(handle, start, endOf(wanted[to - 1]) - start).catch((error: unknown) => {
        throw fileFault(error, name);
      });
      for (const place of wanted.slice(from, to)) {
        const first = offsets[place] - start;
        try {
          found.set(place, passageOf({ value: JSON.parse(bytes.toString('utf8', first, first + lengths[place])), at: name }));
        } catch (error) {
          throw changed(error);
        }
      }
      from = to;
    }
    return places.map((place) => found.get(place)!);
  };

  async function* batches(size: number): AsyncGenerator<{ first: number; passages: readonly Passage[] }> {
    if (!(Number.isInteger(size) && size > 0))
      throw new BezoarError('INVALID_OPTION', `the size of a batch is ${size}, expected a whole number of at least 1`);
    let batch: Passage[] = [];
    let done = 0;
    for await (const line of readJsonLines(fromStart(handle), name)) {
      batch.push(passageOf(line));
      done += 1;
      if (batch.length < size) continue;
      yield { first: done - batch.length, passages: batch };
      batch = [];
    }
    if (done !== count) throw changed();
    if (batch.length > 0) yield { first: done - batch.length, passages: batch };
  }

  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= handle.close();
    return closed;
  };
  return { count, passages, batches, close };
}

/** What the file holds there; less only where the file has become shorter. */
async function readExactly(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
