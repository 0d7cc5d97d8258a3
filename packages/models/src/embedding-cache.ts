import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BezoarError, type EncodedTexts, type EncodeOptions, type Encoder } from '@bezoar/core';
import type { FingerprintedEncoder } from './onnx-encoder.ts';

/** Marks a shard and its version; other files are not read. */
const MAGIC = Buffer.from('BZEMBED1');
const HASH_BYTES = 32;
/** Magic, then the hash of all that follows. */
const HEADER_BYTES = MAGIC.length + HASH_BYTES;
/** A shard that would grow over this loses its oldest entries. 256 of them bound an encoder's folder at 2 GiB. */
const LARGEST_SHARD = 8 * 2 ** 20;
/** A temporary file this old was left by a process that was killed. */
const STALE_MS = 3_600_000;
const TEMPORARY = '.tmp';

interface Entry {
  readonly vector: Float32Array;
  readonly truncated: boolean;
}
type Shard = Map<string, Entry>;

/**
 * The same encoder, which keeps what it computed in a folder: a text that was encoded before, by this or any other process, is not encoded
 * again. An entry is found by the SHA-256 of the encoder's name and fingerprint, the role and the text; an encoder without a
 * fingerprint is told from others by its name and width alone. Within one call each distinct text is encoded once.
 *
 * On disk: a folder an encoder, with at most 256 files (by the first byte of the hash) of at most 8 MiB, each replaced whole (written
 * beside it, then renamed), so that a reader never sees half a file and a killed process leaves the old one. Two processes
 * that write the same file at once keep the entries of the later; the other's are computed again. A file that is not whole (by
 * its own SHA-256) counts as empty. When the folder cannot be written to any more, texts are encoded and not kept.
 *
 * Cost: one file read, and one written where anything is new, for each file touched: a lookup of 10,000 texts reads 256 files.
 *
 * @throws {BezoarError} `BAD_INPUT` when the folder cannot be made; whatever the encoder throws.
 */
export const cacheEmbeddings = (encoder: Encoder, options: { readonly dir: string }): FingerprintedEncoder => {
  const { dimensions } = encoder;
  const fingerprint = 'fingerprint' in encoder ? String(encoder.fingerprint) : '';
  const identity = [encoder.name, fingerprint, dimensions];
  const folder = join(options.dir, sha256(JSON.stringify(identity)).toString('hex').slice(0, 16));
  const entryBytes = HASH_BYTES + 4 + 4 * dimensions;
  const capacity = Math.floor((LARGEST_SHARD - HEADER_BYTES) / entryBytes);

  let ready: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 }); // vectors give away much of the texts
    } catch (cause) {
      throw new BezoarError(
        'BAD_INPUT',
        `${options.dir}: cannot be made a folder for embeddings (${(cause as Error).message}); name another`,
        {
          cause,
          details: { file: options.dir },
        },
      );
    }
    for (const name of await readdir(folder)) {
      if (!name.endsWith(TEMPORARY)) continue;
      const facts = await stat(join(folder, name)).catch(() => null);
      if (facts && Date.now() - facts.mtimeMs > STALE_MS) await rm(join(folder, name), { force: true });
    }
  };

  const readShard = async (name: string): Promise<Shard> => {
    const shard: Shard = new Map();
    const bytes = await readWhole(join(folder, name));
    if (bytes === null || bytes.length < HEADER_BYTES || (bytes.length - HEADER_BYTES) % entryBytes !== 0) return shard;
    const entries = bytes.subarray(HEADER_BYTES);
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || !bytes.subarray(MAGIC.length, HEADER_BYTES).equals(sha256(entries))) return shard;
    for (let at = 0; at < entries.length; at += entryBytes) {
      const vector = new Float32Array(dimensions);
      Buffer.from(vector.buffer).set(entries.subarray(at + HASH_BYTES + 4, at + entryBytes));
      shard.set(entries.toString('hex', at, at + HASH_BYTES), { vector, truncated: entries[at + HASH_BYTES] === 1 });
    }
    return shard;
  };

  const writeShard = async (name: string, shard: Shard): Promise<void> => {
    const kept = [...shard].slice(-capacity);
    const bytes = Buffer.alloc(HEADER_BYTES + kept.length * entryBytes);
    const entries = bytes.subarray(HEADER_BYTES);
    for (const [i, [key, { vector, truncated }]] of kept.entries()) {
      const at = i * entryBytes;
      entries.write(key, at, 'hex');
      entries[at + HASH_BYTES] = truncated ? 1 : 0;
      entries.set(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), at + HASH_BYTES + 4);
    }
    MAGIC.copy(bytes);
    sha256(entries).copy(bytes, MAGIC.length);
    const temporary = join(folder, `${name}-${randomUUID()}${TEMPORARY}`);
    try {
      await writeFile(temporary, bytes);
      await rename(temporary, join(folder, name));
    } catch {
      await rm(temporary, { force: true }).catch(() => {}); // a full disk costs time, not the answer
    }
  };

  // Within a process writes take turns, or the later of two would drop what the earlier added.
  let turn: Promise<void> = Promise.resolve();
  const add = (found: Shard): Promise<void> => {
    turn = turn.then(async () => {
      for (const [name, keys] of byShard(found.keys())) {
        const shard = await readShard(name);
        for (const key of keys) shard.set(key, found.get(key)!);
        await writeShard(name, shard);
      }
    });
    return turn;
  };

  const encode = async (texts: readonly string[], encodeOptions: EncodeOptions): Promise<EncodedTexts> => {
    ready ??= prepare();
    await ready;
    // JSON keeps lone surrogates apart, which UTF-8 would not.
    const keys = texts.map((text) => sha256(JSON.stringify([...identity, encodeOptions.role, text])).toString('hex'));
    const known: Shard = new Map();
    for (const [name, wanted] of byShard(new Set(keys))) {
      const shard = await readShard(name);
      for (const key of wanted) {
        const entry = shard.get(key);
        if (entry) known.set(key, entry);
      }
    }
    const missing = new Map<string, string>();
    for (const [i, key] of keys.entries()) if (!known.has(key)) missing.set(key, texts[i]);
    if (missing.size > 0) {
      const encoded = await encoder.encode([...missing.values()], encodeOptions);
      if (encoded.vectors.length !== missing.size || encoded.vectors.some((vector) => vector.length !== dimensions)) {
        throw new BezoarError(
          'ENCODER_FAILED',
          `${encoder.name}: expected ${missing.size} vectors of ${dimensions} numbers; nothing was cached`,
        );
      }
      const added: Shard = new Map();
      for (const [i, key] of [...missing.keys()].entries()) added.set(key, { vector: encoded.vectors[i], truncated: encoded.truncated[i] });
      for (const [key, entry] of added) known.set(key, entry);
      await add(added);
    } else if (encodeOptions.signal?.aborted) {
      throw new BezoarError('ABORTED', `${encoder.name}: aborted`, { cause: encodeOptions.signal.reason });
    }
    const entries = keys.map((key) => known.get(key)!);
    return { vectors: entries.map((entry) => entry.vector.slice()), truncated: entries.map((entry) => entry.truncated) };
  };

  return {
    name: encoder.name,
    dimensions,
    similarity: encoder.similarity,
    fingerprint,
    ...(encoder.calibration === undefined ? {} : { calibration: encoder.calibration }),
    ...(encoder.maskToken === undefined ? {} : { maskToken: encoder.maskToken }),
    ...(encoder.tokenSpans === undefined ? {} : { tokenSpans: (texts) => encoder.tokenSpans!(texts) }),
    encode,
  };
};

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

const byShard = (keys: Iterable<string>): Map<string, string[]> => {
  const shards = new Map<string, string[]>();
  for (const key of keys) {
    const name = key.slice(0, 2);
    const shard = shards.get(name);
    if (shard) shard.push(key);
    else shards.set(name, [key]);
  }
  return shards;
};

/** The bytes of a file, or null when it is not there, not readable or over the bound. */
const readWhole = async (path: string): Promise<Buffer | null> => {
  const file = await open(path).catch(() => null);
  try {
    return file === null || (await file.stat()).size > LARGEST_SHARD ? null : await file.readFile();
  } catch {
    return null;
  } finally {
    await file?.close();
  }
};
