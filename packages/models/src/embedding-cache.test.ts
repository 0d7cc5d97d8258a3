import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BezoarError, type Encoder } from '@bezoar/core';
import { afterEach, describe, expect, test } from 'vitest';
import { cacheEmbeddings } from './embedding-cache.ts';
import { testEncoder } from './testing/test-encoder.ts';

const folders: string[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bezoar-cache-'));
  folders.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true });
});

interface Counting extends Encoder {
  readonly fingerprint: string;
  /** The texts of each call. */
  readonly calls: string[][];
}

/** Letters counted, by their codes; longer texts than 400 characters are cut. */
const counting = (settings: { name?: string; fingerprint?: string; dimensions?: number } = {}): Counting => {
  const { name = 'counting', fingerprint = 'a', dimensions = 24 } = settings;
  const calls: string[][] = [];
  return {
    name,
    fingerprint,
    dimensions,
    similarity: 'cosine',
    calls,
    async encode(texts, { role, signal }) {
      if (signal?.aborted) throw new BezoarError('ABORTED', 'aborted');
      calls.push([...texts]);
      const vectors = texts.map((text) => {
        const vector = new Float32Array(dimensions);
        for (let i = 0; i < Math.min(text.length, 400); i++) vector[(text.charCodeAt(i) * 7) % dimensions] += 1 + i / 64;
        if (role === 'query') vector[0] += 0.5;
        return vector;
      });
      return { vectors, truncated: texts.map((text) => text.length > 400) };
    },
  };
};
const passage = { role: 'passage' } as const;
const files = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(dir, name)).isFile());

describe('cacheEmbeddings', () => {
  test('encodes each text once, in this process and the next', async () => {
    const dir = folder();
    const encoder = counting();
    const texts = ['one', 'two', 'one', 'x'.repeat(500), ''];
    const plain = await counting().encode(texts, passage);
    const cached = cacheEmbeddings(encoder, { dir });
    expect(await cached.encode(texts, passage)).toEqual(plain);
    expect(encoder.calls).toEqual([['one', 'two', 'x'.repeat(500), '']]);
    expect(await cached.encode(['three', ...texts], passage)).toMatchObject({ truncated: [false, ...plain.truncated] });
    expect(encoder.calls[1]).toEqual(['three']);
    const later = counting();
    expect(await cacheEmbeddings(later, { dir }).encode(texts, passage)).toEqual(plain);
    expect(later.calls).toEqual([]);
  });

  test('keeps apart what has another vector', async () => {
    const dir = folder();
    const text = ['one'];
    await cacheEmbeddings(counting(), { dir }).encode(text, passage);
    for (const other of [counting({ name: 'other' }), counting({ fingerprint: 'b' }), counting({ dimensions: 8 })]) {
      const { vectors } = await cacheEmbeddings(other, { dir }).encode(text, passage);
      expect(other.calls).toEqual([text]);
      expect(vectors[0]).toHaveLength(other.dimensions);
    }
    const query = counting();
    await cacheEmbeddings(query, { dir }).encode(text, { role: 'query' });
    expect(query.calls).toEqual([text]);
    const surrogates = counting();
    const cached = cacheEmbeddings(surrogates, { dir });
    await cached.encode(['\ud800', '\ud801', '\ufffd'], passage);
    expect(surrogates.calls).toEqual([['\ud800', '\ud801', '\ufffd']]);
  });

  test('passes on what the encoder says of itself', () => {
    const calibration = { density: 0.5, quantile: 0.9, pools: 3, corpus: 'c', command: 'd' };
    const {
      name,
      dimensions,
      similarity,
      fingerprint,
      calibration: passed,
    } = cacheEmbeddings({ ...counting(), calibration }, { dir: folder() });
    expect({ name, dimensions, similarity, fingerprint, passed }).toEqual({
      name: 'counting',
      dimensions: 24,
      similarity: 'cosine',
      fingerprint: 'a',
      passed: calibration,
    });
    expect(cacheEmbeddings(counting(), { dir: folder() })).not.toHaveProperty('calibration');
    const tokens = [[{ start: 0, end: 1 }]];
    const cutting = cacheEmbeddings({ ...counting(), maskToken: null, tokenSpans: () => tokens }, { dir: folder() });
    expect(cutting.maskToken).toBeNull();
    expect(cutting.tokenSpans!(['a'])).toBe(tokens);
    expect(Object.keys(cacheEmbeddings(counting(), { dir: folder() }))).not.toEqual(expect.arrayContaining(['maskToken']));
    expect(Object.keys(cacheEmbeddings(counting(), { dir: folder() }))).not.toEqual(expect.arrayContaining(['tokenSpans']));
  });

  test('a vector that the caller changes is whole again the next time', async () => {
    const cached = cacheEmbeddings(counting(), { dir: folder() });
    const { vectors } = await cached.encode(['one', 'one'], passage);
    vectors[0].fill(0);
    const plain = await counting().encode(['one'], passage);
    expect(vectors[1]).toEqual(plain.vectors[0]);
    expect((await cached.encode(['one'], passage)).vectors).toEqual(plain.vectors);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['cut to a whole number of entries', (bytes) => bytes.subarray(0, 40)],
    ['empty', () => Buffer.alloc(0)],
    ['with a bit turned in a vector', (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length - 3 ? byte ^ 1 : byte)))],
    ['of another kind', (bytes) => Buffer.from(bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte)))],
    ['over the bound', (bytes) => Buffer.concat([bytes, Buffer.alloc(9 * 2 ** 20)])],
  ])('a file that is %s counts as empty and is replaced', async (_, spoil) => {
    const dir = folder();
    await cacheEmbeddings(counting(), { dir }).encode(['one'], passage);
    const [file] = files(dir);
    const whole = readFileSync(join(dir, file));
    writeFileSync(join(dir, file), spoil(whole));
    const encoder = counting();
    expect(await cacheEmbeddings(encoder, { dir }).encode(['one'], passage)).toEqual(await counting().encode(['one'], passage));
    expect(encoder.calls).toEqual([['one']]);
    expect(readFileSync(join(dir, file))).toEqual(whole);
  });

  test('files stay under 8 MiB: the oldest entries go', async () => {
    const dir = folder();
    const dimensions = 500_000; // 2 MB an entry, four to a file
    const fileOf = (text: string): number =>
      createHash('sha256')
        .update(JSON.stringify(['counting', 'a', dimensions, 'passage', text]))
        .digest()[0];
    const together = Array.from({ length: 4000 }, (_, i) => `text ${i}`).filter((text) => fileOf(text) === 7);
    const texts = together.slice(0, 6);
    for (const text of texts) await cacheEmbeddings(counting({ dimensions }), { dir }).encode([text], passage);
    expect(files(dir)).toHaveLength(1);
    expect(statSync(join(dir, files(dir)[0])).size).toBe(8 + 32 + 4 * (32 + 4 + 4 * dimensions));
    const encoder = counting({ dimensions });
    await cacheEmbeddings(encoder, { dir }).encode(texts, passage);
    expect(encoder.calls).toEqual([texts.slice(0, 2)]);
  });

  test('leftovers of killed processes are removed once they are old', async () => {
    const dir = folder();
    await cacheEmbeddings(counting(), { dir }).encode(['one'], passage);
    const inside = join(dir, readdirSync(dir)[0]);
    for (const [name, age] of [
      ['aa-old.tmp', 7200],
      ['aa-new.tmp', 60],
    ] as const) {
      writeFileSync(join(inside, name), 'half');
      utimesSync(join(inside, name), Date.now() / 1000 - age, Date.now() / 1000 - age);
    }
    await cacheEmbeddings(counting(), { dir }).encode(['one'], passage);
    expect(readdirSync(inside).filter((name) => name.endsWith('.tmp'))).toEqual(['aa-new.tmp']);
  });

  test('a folder that cannot be made is an error that names it', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'file'), '');
    const cached = cacheEmbeddings(counting(), { dir: join(dir, 'file') });
    await expect(cached.encode(['one'], passage)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(join(dir, 'file')),
    });
  });

  test('a folder that goes away costs time, not the answer', async () => {
    const dir = folder();
    const cached = cacheEmbeddings(counting(), { dir });
    await cached.encode(['one'], passage);
    rmSync(dir, { recursive: true });
    expect(await cached.encode(['two'], passage)).toEqual(await counting().encode(['two'], passage));
  });

  test('an encoder that breaks its port is not cached', async () => {
    const dir = folder();
    const broken: Encoder = { ...counting(), encode: async () => ({ vectors: [], truncated: [] }) };
    await expect(cacheEmbeddings(broken, { dir }).encode(['one'], passage)).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
    expect(files(dir)).toEqual([]);
  });

  test('calls at the same time lose nothing', async () => {
    const dir = folder();
    const cached = cacheEmbeddings(counting(), { dir });
    const texts = Array.from({ length: 300 }, (_, i) => `text ${i}`);
    await Promise.all(texts.map((text) => cached.encode([text], passage)));
    const encoder = counting();
    await cacheEmbeddings(encoder, { dir }).encode(texts, passage);
    expect(encoder.calls).toEqual([]);
  });

  test('10,000 texts of 384 numbers are found again', async () => {
    const dir = folder();
    const texts = Array.from({ length: 10_000 }, (_, i) => `text ${i}`);
    const encoder = counting({ dimensions: 384 });
    const cached = cacheEmbeddings(encoder, { dir });
    const first = await cached.encode(texts, passage);
    const second = await cached.encode(texts, passage);
    expect(encoder.calls).toHaveLength(1);
    expect(second.vectors.every((vector, i) => Buffer.from(vector.buffer).equals(Buffer.from(first.vectors[i].buffer)))).toBe(true);
    expect(files(dir)).toHaveLength(256);
  });

  test('two processes on one folder: right answers, no torn file', async () => {
    const dir = folder();
    const module = fileURLToPath(new URL('./embedding-cache.ts', import.meta.url));
    const program = (first: number): string => `
      import { cacheEmbeddings } from ${JSON.stringify(module)};
      const encoder = { name: 'n', dimensions: 8, similarity: 'cosine', encode: async (texts) => ({
        vectors: texts.map((t) => new Float32Array(8).fill(t.length + Number(t))), truncated: texts.map(() => false) }) };
      const cached = cacheEmbeddings(encoder, { dir: ${JSON.stringify(dir)} });
      for (let round = 0; round < 15; round++) {
        const texts = Array.from({ length: 40 }, (_, i) => String((${first} + round * 17 + i) % 300));
        const { vectors } = await cached.encode(texts, { role: 'passage' });
        for (const [i, t] of texts.entries()) if (vectors[i].some((x) => x !== t.length + Number(t))) throw new Error('wrong vector for ' + t);
      }
      console.log('right');`;
    const run = promisify(execFile);
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const outputs = await Promise.all(
      [0, 60].map((first) => run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program(first)], { cwd: root })),
    );
    expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(['right', 'right']);
    expect(files(dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const known: string[][] = [];
    const encoder: Encoder = {
      name: 'n',
      dimensions: 8,
      similarity: 'cosine',
      encode: async (texts) => {
        known.push([...texts]);
        return { vectors: texts.map(() => new Float32Array(8).fill(-1)), truncated: texts.map(() => false) };
      },
    };
    const texts = Array.from({ length: 300 }, (_, i) => String(i));
    const { vectors } = await cacheEmbeddings(encoder, { dir }).encode(texts, passage);
    const lost = new Set(known.flat());
    expect(lost.size).toBeLessThan(150); // writes at the same moment cost entries, never right answers
    for (const [i, text] of texts.entries()) expect(vectors[i][0]).toBe(lost.has(text) ? -1 : text.length + Number(text));
  });

  const conformance = mkdtempSync(join(tmpdir(), 'bezoar-cache-suite-'));
  process.once('exit', () => rmSync(conformance, { recursive: true, force: true }));
  testEncoder({ test, name: 'cached', load: () => cacheEmbeddings(counting(), { dir: conformance }), tolerance: 0 });
});
