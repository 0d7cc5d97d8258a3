import { readFileSync } from 'node:fs';
import { BezoarError } from '@bezoar/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadStaticEncoder, repeatWeight } from './static-encoder.ts';

const golden = JSON.parse(readFileSync(new URL('../../../tests/golden/static-encoder.json', import.meta.url), 'utf8')) as {
  cases: { text: string; vector: number[] }[];
};
const encoder = await loadStaticEncoder();
const passage = { role: 'passage' } as const;
const vectorOf = async (text: string): Promise<Float32Array> => (await encoder.encode([text], passage)).vectors[0]!;
const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0);

/** A table of two dimensions: `BZSE`, version, dimensions, rows, vocabulary bytes, vocabulary, entries. */
function tiny(pieces: readonly string[], entries: readonly number[], version = 1): Uint8Array {
  const words = new TextEncoder().encode(pieces.join('\n'));
  const bytes = new Uint8Array(20 + words.length + entries.length);
  bytes.set(new TextEncoder().encode('BZSE'));
  const view = new DataView(bytes.buffer);
  for (const [index, value] of [version, entries.length / pieces.length, pieces.length, words.length].entries())
    view.setUint32(4 + 4 * index, value, true);
  bytes.set(words, 20);
  bytes.set(Uint8Array.from(entries), 20 + words.length);
  return bytes;
}

describe('loadStaticEncoder', () => {
  it('says what it is', () => {
    expect(encoder).toMatchObject({ name: 'static', dimensions: 256, similarity: 'cosine' });
  });

  it.each(golden.cases)('agrees with numpy on $text', async ({ text, vector }) => {
    const own = await vectorOf(text);
    for (const [index, value] of vector.entries()) expect(Math.abs(own[index]! - value)).toBeLessThan(1e-7);
  });

  it('gives unit vectors, and zero where nothing is known', async () => {
    const { vectors, truncated } = await encoder.encode(['a tower', '', ' \n', '\u0000\u200b', '\u{1f600}', '\ud800'], passage);
    expect(Math.hypot(...vectors[0]!)).toBeCloseTo(1, 6);
    expect(vectors.slice(1).map(isZero)).toEqual([true, true, true, true, true]);
    expect(truncated).toEqual([false, false, false, false, false, false]);
  });

  it('says where its tokens stand, as far as it reads, and has no mask', async () => {
    const encoder = await loadStaticEncoder();
    expect(encoder.maskToken).toBeNull();
    const [few, none, long] = encoder.tokenSpans!(['Bezoar, caf\u00e9', '', `${'a '.repeat(50_000)}beyond`]);
    expect(few!.map(({ start, end }) => 'Bezoar, caf\u00e9'.slice(start, end))).toEqual(
      ['be', 'zo', 'ar', ',', 'caf\u00e9'].map((piece, i) => (i === 0 ? 'Be' : piece)),
    );
    expect(none).toEqual([]);
    expect(long).toHaveLength(50_000);
  });

  it('gives nothing for nothing', async () => {
    expect(await encoder.encode([], passage)).toEqual({ vectors: [], truncated: [] });
  });

  it('is deterministic, whatever the companions and the role', async () => {
    const texts = ['Who wrote Hamlet?', 'Hamlet was written by William Shakespeare.'];
    const together = (await encoder.encode(texts, passage)).vectors;
    const again = (await (await loadStaticEncoder()).encode(texts.slice(1), { role: 'query' })).vectors;
    expect(again[0]).toEqual(together[1]);
  });

  it('treats the spelling of special tokens as text', async () => {
    expect(await vectorOf('[SEP]')).toEqual(await vectorOf('[ sep ]'));
  });

  it('reads 100,000 characters and reports longer texts', async () => {
    const filler = 'tower '.repeat(20_000).slice(0, 99_990);
    const { vectors, truncated } = await encoder.encode([`${filler}          `, `${filler}          banana`], passage);
    expect(truncated).toEqual([false, true]);
    expect(vectors[1]).toEqual(vectors[0]);
  });

  it('never gives anything but finite numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 100 }), async (text) => {
        const vector = await vectorOf(text);
        const norm = Math.hypot(...vector);
        expect(norm === 0 || Math.abs(norm - 1) < 1e-5).toBe(true);
      }),
    );
  });

  it('sums rows exactly beyond the capacity of a lane', async () => {
    const pieces = Array.from({ length: 600 }, (_, index) => `p${index}`);
    const entries = pieces.flatMap((_, index) => [127, index < 500 ? 128 : 0, 1]); // 128 reads as -128
    const wide = await loadStaticEncoder({ bytes: tiny(pieces, entries) });
    const vector = (await wide.encode([pieces.join(' ')], passage)).vectors[0]!;
    const sums = [600 * 127, 500 * -128, 600];
    for (const [index, sum] of sums.entries()) expect(vector[index]).toBeCloseTo(sum / Math.hypot(...sums), 7);
  });

  it('damps repeats', async () => {
    const two = await loadStaticEncoder({ bytes: tiny(['a', 'b'], [100, 0, 0, 100]) });
    const vector = (await two.encode(['a a a b'], passage)).vectors[0]!;
    expect(vector[0]! / vector[1]!).toBeCloseTo((3 * (4 / 20 + 1)) / (3 + 4 / 20), 6);
  });

  it('reads bytes at any offset', async () => {
    const bytes = tiny(['a'], [3, 4]);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    const small = await loadStaticEncoder({ bytes: shifted.subarray(1) });
    expect([...(await small.encode(['A'], passage)).vectors[0]!]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
  });

  it('refuses what is not its asset', async () => {
    const good = tiny(['a'], [3, 4]);
    const bad = [new Uint8Array(0), new Uint8Array(40), good.subarray(0, good.length - 1), tiny(['a'], [3, 4], 2), tiny(['a\nb'], [3, 4])];
    for (const bytes of bad) {
      await expect(loadStaticEncoder({ bytes })).rejects.toSatisfy((error) => BezoarError.is(error, 'BAD_INPUT'));
    }
  });

  it('stops when the caller aborts, before loading and while encoding', async () => {
    await expect(loadStaticEncoder({ signal: AbortSignal.abort() })).rejects.toSatisfy((error) => BezoarError.is(error, 'ABORTED'));
    const controller = new AbortController();
    const running = encoder.encode(new Array<string>(5000).fill('a tower in Paris'), { ...passage, signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toSatisfy((error) => BezoarError.is(error, 'ABORTED'));
  });
});

describe('the files beside the package', () => {
  afterEach(() => {
    vi.doUnmock('node:fs/promises');
    vi.resetModules();
  });

  /** Loads the encoder with `files` in place of its assets. */
  async function loadWith(files: Readonly<Record<string, Uint8Array | string>>) {
    vi.resetModules();
    vi.doMock('node:fs/promises', () => ({
      readFile: async (url: URL) => {
        const file = files[url.pathname.split('/').at(-1)!];
        if (file === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
        return typeof file === 'string' ? new TextEncoder().encode(file) : file;
      },
    }));
    return (await import('./static-encoder.ts')).loadStaticEncoder();
  }
  const asset = tiny(['a'], [3, 4]);

  it('exposes the calibration that lies beside the asset', async () => {
    const calibration = { density: 0.5, quantile: 0.95, pools: 3, corpus: 'x', command: 'y' };
    const files = { 'static-encoder.bin': asset, 'static-encoder.calibration.json': JSON.stringify(calibration) };
    expect((await loadWith(files)).calibration).toEqual(calibration);
  });

  it('does without one', async () => {
    expect(await loadWith({ 'static-encoder.bin': asset })).not.toHaveProperty('calibration');
  });

  it('says what is missing or broken', async () => {
    await expect(loadWith({})).rejects.toSatisfy((error) => BezoarError.is(error, 'NOT_FOUND'));
    const broken = { 'static-encoder.bin': asset, 'static-encoder.calibration.json': '{' };
    await expect(loadWith(broken)).rejects.toSatisfy((error) => BezoarError.is(error, 'BAD_INPUT'));
  });
});

describe('repeatWeight', () => {
  it('is 1 for a piece that stands once and grows less than the count', () => {
    expect(repeatWeight(1, 7)).toBe(1);
    expect(repeatWeight(2, 20)).toBeCloseTo(4 / 3, 12);
    expect(repeatWeight(2, 2000)).toBeGreaterThan(1.98);
  });
});
