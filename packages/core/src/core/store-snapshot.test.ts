import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import type { StoreRecord, StoreShape } from './store-port.ts';
import { readSnapshot, writeSnapshot } from './store-snapshot.ts';

const SHAPE: StoreShape = { vectors: { a: 1, b: 2 }, similarity: 'dot' };
const recordOf = (id: string, vectors: Record<string, Float32Array> = {}): StoreRecord => ({
  passage: { id, text: '', contentHash: 'h', addedAt: 't', runId: 'r', status: 'searchable', findings: [] },
  vectors,
});

async function bytesOf(records: readonly StoreRecord[], shape = SHAPE): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeSnapshot(shape, records)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* cutInto(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function recordsOf(bytes: Uint8Array, size = bytes.length || 1): Promise<StoreRecord[]> {
  const records: StoreRecord[] = [];
  for await (const record of (await readSnapshot(cutInto(bytes, size))).records) records.push(record);
  return records;
}

const refusal = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'none',
    (error: unknown) => (BezoarError.is(error) ? `${error.code} ${error.message}` : String(error)),
  );

/** FNV-1a as its authors print it: multiply by 16777619 modulo 2^32. */
const twinChecksum = (start: bigint, bytes: Uint8Array): bigint =>
  bytes.reduce((hash, byte) => ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n, start);

describe('a snapshot', () => {
  it('has the bytes that its description says', async () => {
    const bytes = await bytesOf([recordOf('x', { b: Float32Array.of(1, -2), a: Float32Array.of(0.5) })]);
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('bezoar\u0000\u0001');
    const frames = [
      ['{"shape":{"vectors":{"a":1,"b":2},"similarity":"dot"}}', ''],
      [
        '{"records":[{"passage":{"id":"x","text":"","contentHash":"h","addedAt":"t","runId":"r","status":"searchable","findings":[]},"vectors":["a","b"]}]}',
        // 0.5, 1 and -2: little-endian, by the names in order.
        '0000003f0000803f000000c0',
      ],
      ['{"end":1}', ''],
    ] as const;
    let place = 8;
    let checksum = 2166136261n;
    for (const [json, floats] of frames) {
      const body = Buffer.concat([Buffer.from(json), Buffer.from(floats, 'hex')]);
      checksum = twinChecksum(checksum, body);
      expect([0, 4, 8].map((offset) => bytes.readUInt32LE(place + offset))).toEqual([json.length, floats.length / 2, Number(checksum)]);
      expect(bytes.subarray(place + 12, place + 12 + body.length)).toEqual(body);
      place += 12 + body.length;
    }
    expect(bytes.length).toBe(place);
  });

  it('gives back every record, however its bytes are cut', async () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true });
    const record = fc
      .tuple(fc.string({ unit: 'binary' }), fc.option(float), fc.option(fc.tuple(float, float)))
      .map(([id, a, b]) =>
        recordOf(id, { ...(a === null ? {} : { a: Float32Array.of(a) }), ...(b === null ? {} : { b: Float32Array.from(b) }) }),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 6 }), fc.integer({ min: 1, max: 400 }), async (records, size) => {
        const bytes = await bytesOf(records);
        expect(await recordsOf(bytes, size)).toEqual(records);
        expect((await readSnapshot(cutInto(bytes, size))).shape).toEqual(SHAPE);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('is read and written in frames, so that it is never whole in memory', async () => {
    const wide: StoreShape = { vectors: { a: 50_000 }, similarity: 'dot' };
    const records = Array.from({ length: 30 }, (_, index) => recordOf(`r${index}`, { a: new Float32Array(50_000).fill(index) }));
    const sizes: number[] = [];
    for await (const piece of writeSnapshot(wide, records)) sizes.push(piece.length);
    // Five vectors of 200,000 bytes fill a frame.
    expect(sizes).toHaveLength(2 + 6 + 1);
    expect(await recordsOf(await bytesOf(records, wide), 70_000)).toEqual(records);
    const long = { ...recordOf('l'), passage: { ...recordOf('l').passage, text: 'x'.repeat(1_000_000) } };
    let pieces = 0;
    for await (const _ of writeSnapshot(SHAPE, [long, long])) pieces++;
    expect(pieces).toBe(5);
  });

  it('is refused with every bit changed and at every length but its own', async () => {
    const bytes = await bytesOf([recordOf('x', { a: Float32Array.of(1) })]);
    for (let place = 0; place < bytes.length; place++) {
      const changed = Uint8Array.from(bytes);
      changed[place]! ^= 1 << (place % 8);
      expect(await refusal(recordsOf(changed))).toMatch(/^BAD_INPUT the snapshot /);
      expect(await refusal(recordsOf(bytes.subarray(0, place)))).toBe('BAD_INPUT the snapshot is cut off; use another copy of it');
    }
  });

  it('says what is wrong with it', async () => {
    expect(await refusal(readSnapshot(cutInto(Buffer.from('{"id": 1, "text": "x"}'), 9)))).toBe(
      'BAD_INPUT the snapshot is none: it does not begin as one; use another copy of it',
    );
    const bytes = await bytesOf([recordOf('x')]);
    bytes[7] = 2;
    expect(await refusal(readSnapshot(cutInto(bytes, 99)))).toBe(
      'BAD_INPUT the snapshot is of version 2, and this program reads version 1; use another copy of it',
    );
  });
});
