import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { definePolicy, policyFromSpecs } from '@bezoar/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../tests/memory-terminal.ts';
import { makeEncoder, makeModels } from './make-models.ts';

const asked: IncomingHttpHeaders[] = [];
const server = createServer((request, response) => {
  asked.push(request.headers);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] }));
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function keySent(
  env: Readonly<Record<string, string>>,
  openai: { baseUrl?: string; apiKey?: string } | null,
): Promise<string | undefined> {
  const encoder = await makeEncoder('openai:any', memoryTerminal({ env }), { openai });
  await encoder.encode(['text'], { role: 'query' });
  return asked.at(-1)!.authorization;
}

describe('makeEncoder', () => {
  it('sends the environment’s key to the environment’s address', async () => {
    expect(await keySent({ OPENAI_BASE_URL: address, OPENAI_API_KEY: 'mine' }, null)).toBe('Bearer mine');
  });

  it('sends it to no address of a policy file that does not ask for it', async () => {
    expect(await keySent({ OPENAI_API_KEY: 'mine' }, { baseUrl: address })).toBeUndefined();
    expect(await keySent({ OPENAI_API_KEY: 'mine' }, { baseUrl: address, apiKey: 'other' })).toBe('Bearer other');
  });

  it('sends a policy file’s key to the environment’s address', async () => {
    expect(await keySent({ OPENAI_BASE_URL: address }, { apiKey: 'other' })).toBe('Bearer other');
  });
});

describe('makeModels', () => {
  const terminal = memoryTerminal();

  it('loads no model that no stage needs', async () => {
    const { encoder, likelihood, bm25Corpus } = await makeModels(policyFromSpecs(['none', 'sanitize']), 'onnx:nowhere', terminal);
    expect([encoder, likelihood, bm25Corpus]).toEqual([null, null, null]);
  });

  it('loads what is needed, and each encoder once', async () => {
    const models = await makeModels(policyFromSpecs(['pra-rag', 'lexical-anomaly']), 'static', terminal);
    expect(models.encoder?.name).toBe('static');
    expect(models.likelihood).not.toBeNull();
    expect(await models.resolveEncoder('static')).toBe(models.encoder);
  });

  it('says at once that there is no cross-encoder', async () => {
    await expect(makeModels(policyFromSpecs(['grada?similarity=cross-encoder']), 'static', terminal)).rejects.toMatchObject({
      code: 'NEEDS_CROSS_ENCODER',
    });
    await expect(makeModels(definePolicy({ stages: [] }), 'nonsense', terminal)).resolves.toMatchObject({ encoder: null });
  });
});
