import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tinyOnnxFolder } from '../../../tests/tiny-onnx-model.ts';
import { importPeer } from './import-peer.ts';
import { resolveEncoder } from './resolve-encoder.ts';

const onnx = tinyOnnxFolder();
const scratch = mkdtempSync(join(tmpdir(), 'bezoar-resolve-'));
afterAll(() => {
  for (const dir of [onnx, scratch]) rmSync(dir, { recursive: true });
});
const passage = { role: 'passage' } as const;

test('onnx:DIR, with options', async () => {
  const spec = `onnx:${onnx}?pooling=cls&normalize=off&similarity=dot&maxTokens=16&queryPrefix=ask%20`;
  const encoder = await resolveEncoder(spec);
  expect(encoder).toMatchObject({ name: spec, dimensions: 2, similarity: 'dot' });
  expect((await encoder.encode(['alpha'], passage)).vectors).toEqual([Float32Array.of(2, 4)]);
});

test('openai:MODEL, where the model has a colon and the address comes with the options', async () => {
  const models: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      models.push(`${JSON.parse(body).model} ${request.headers.authorization}`);
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2, 3] }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const openai = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' };
  const encoder = await resolveEncoder('openai:nomic-embed-text:latest?retries=0', { openai });
  expect(encoder).toMatchObject({ name: 'openai:nomic-embed-text:latest?retries=0', dimensions: 3 });
  expect(models).toEqual(['nomic-embed-text:latest Bearer key']);
  server.closeAllConnections();
  server.close();
});

test('a cache folder is used, a calibration file wins', async () => {
  const calibration = { density: 0.7, quantile: 0.95, pools: 20, corpus: 'hotpotqa', command: 'bezoar calibrate' };
  const calibrationFile = join(scratch, 'calibration.json');
  writeFileSync(calibrationFile, JSON.stringify(calibration));
  const cacheDir = join(scratch, 'cache');
  const encoder = await resolveEncoder(`onnx:${onnx}`, { cacheDir, calibrationFile });
  expect(encoder.calibration).toEqual(calibration);
  const { vectors } = await encoder.encode(['alpha'], passage);
  expect((await encoder.encode(['alpha'], passage)).vectors).toEqual(vectors);
  expect(readdirSync(cacheDir)).toHaveLength(1);
  writeFileSync(calibrationFile, JSON.stringify({ ...calibration, density: 7 }));
  await expect(resolveEncoder(`onnx:${onnx}`, { calibrationFile })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringMatching(/calibration\.json: "density" must be a cosine, a number from -1 to 1, found 7/),
  });
  await expect(resolveEncoder(`onnx:${onnx}`, { calibrationFile: join(scratch, 'none.json') })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test.each([
  ['onxx:dir', 'UNKNOWN_NAME', /no encoder is called "onxx:dir"; did you mean onnx:DIR\?/],
  ['statik', 'UNKNOWN_NAME', /did you mean static\?/],
  ['word2vec', 'UNKNOWN_NAME', /there are static, onnx:DIR, openai:MODEL/],
  ['__proto__', 'UNKNOWN_NAME', /there are static/],
  ['onnx', 'INVALID_OPTION', /"onnx": write onnx:DIR/],
  ['onnx:', 'INVALID_OPTION', /write onnx:DIR/],
  ['static:big', 'INVALID_OPTION', /write static/],
  ['static?pooling=cls', 'INVALID_OPTION', /static: unknown option "pooling"; it takes none/],
  ['openai:m', 'INVALID_OPTION', /no base URL is given; set OPENAI_BASE_URL/],
  ['onnx:/no/such', 'NOT_FOUND', /\/no\/such: no such folder/],
  [`onnx:${onnx}?polling=cls`, 'INVALID_OPTION', /unknown option "polling"; did you mean pooling\?/],
  [`onnx:${onnx}?dir=/etc`, 'INVALID_OPTION', /unknown option "dir"/],
])('%s', async (spec, code, message) => {
  await expect(resolveEncoder(spec)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('a package that is not there is named, with the command that installs it', async () => {
  const absent = 'bezoar-no-such-package';
  await expect(importPeer(() => import(/* @vite-ignore */ absent), absent, 'to run ONNX encoders')).rejects.toMatchObject({
    code: 'MISSING_PEER',
    message: 'bezoar-no-such-package is needed to run ONNX encoders and is not installed: run `npm install bezoar-no-such-package`',
  });
});

test('a package that is there and breaks is told from one that is not', async () => {
  const broken = (): Promise<never> => Promise.reject(new Error('wrong ELF class'));
  await expect(importPeer(broken, 'onnxruntime-node', 'to run ONNX encoders')).rejects.toMatchObject({
    code: 'MISSING_PEER',
    message: expect.stringMatching(/^onnxruntime-node is needed .* but does not load \(wrong ELF class\): reinstall it/),
  });
});
