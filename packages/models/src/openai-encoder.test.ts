import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { BezoarError } from '@bezoar/core';
import { afterEach, describe, expect, test } from 'vitest';
import { createOpenAiEncoder, type OpenAiEncoderOptions } from './openai-encoder.ts';
import { testEncoder } from './testing/test-encoder.ts';

const KEY = 'sk-secret-of-the-tests';

interface Call {
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
  readonly authorization: string | undefined;
  readonly url: string | undefined;
}
type Answer = (call: Call, response: ServerResponse, number: number) => void;

/** A hashed bag of words: depends on the text alone, and texts with common words are near. */
const vectorOf = (text: string): number[] => {
  const vector = new Array<number>(16).fill(0);
  for (const word of text.toLowerCase().match(/[^\s.,?]+/g) ?? []) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) % 65_537;
    vector[hash % 16] += 1 + hash / 65_537;
  }
  return vector;
};
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
};
const good: Answer = ({ body }, response) => {
  json(response, 200, {
    object: 'list',
    data: body.input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
  });
};

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A server on this machine; `calls` records what it was sent. */
const serve = async (answer: Answer): Promise<{ baseUrl: string; calls: Call[] }> => {
  const calls: Call[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { body: JSON.parse(Buffer.concat(chunks).toString()), authorization: request.headers.authorization, url: request.url };
      calls.push(call);
      answer(call, response, calls.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls };
};
const create = (baseUrl: string, options: Partial<OpenAiEncoderOptions> = {}) =>
  createOpenAiEncoder({ model: 'm', baseUrl, apiKey: KEY, dimensions: 16, retries: 2, ...options });
const refusal = async (work: Promise<unknown>): Promise<BezoarError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!BezoarError.is(error)) throw new Error(`expected a BezoarError, got ${String(error)}`);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY);
  return error;
};

describe('what is sent and read', () => {
  test('texts go in batches, vectors come back in order', async () => {
    const { baseUrl, calls } = await serve(good);
    const encoder = await create(`${baseUrl}/`, { batchSize: 3 });
    expect(encoder).toMatchObject({ name: 'openai:m', dimensions: 16, similarity: 'cosine' });
    const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
    const { vectors, truncated } = await encoder.encode(texts, { role: 'query' });
    expect(vectors).toEqual(texts.map((text) => Float32Array.from(vectorOf(text))));
    expect(truncated).toEqual(texts.map(() => false));
    expect(calls.map((call) => call.body.input.length).sort()).toEqual([2, 3, 3]);
    expect(calls[0]).toMatchObject({ url: '/v1/embeddings', authorization: `Bearer ${KEY}`, body: { model: 'm', dimensions: 16 } });
    expect(inspect(encoder, { depth: 10, showHidden: true })).not.toContain(KEY);
  });

  test('an answer in another order is put in order', async () => {
    const { baseUrl } = await serve(({ body }, response) => {
      json(response, 200, { data: body.input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse() });
    });
    const { vectors } = await (await create(baseUrl)).encode(['one', 'two', 'three'], { role: 'passage' });
    expect(vectors).toEqual(['one', 'two', 'three'].map((text) => Float32Array.from(vectorOf(text))));
  });

  test('without dimensions, the length is learnt at creation; without a key, none is sent; the query of the URL stays', async () => {
    const { baseUrl, calls } = await serve(good);
    const encoder = await createOpenAiEncoder({ model: 'm', baseUrl: `${baseUrl}?api-version=2` });
    expect(encoder.dimensions).toBe(16);
    expect(calls).toHaveLength(1);
    expect(calls[0].body.dimensions).toBeUndefined();
    expect(calls[0].authorization).toBeUndefined();
    expect(calls[0].url).toBe('/v1/embeddings?api-version=2');
  });

  test('blank texts are not sent and have the zero vector', async () => {
    const { baseUrl, calls } = await serve(good);
    const { vectors } = await (await create(baseUrl)).encode(['', 'word', ' \n'], { role: 'passage' });
    expect(calls.map((call) => call.body.input)).toEqual([['word']]);
    expect(vectors).toEqual([new Float32Array(16), Float32Array.from(vectorOf('word')), new Float32Array(16)]);
  });

  test('no more requests at a time than asked for', async () => {
    let now = 0;
    let most = 0;
    const { baseUrl } = await serve((call, response, number) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        good(call, response, number);
      }, 20);
    });
    const encoder = await create(baseUrl, { batchSize: 1, concurrency: 3 });
    await encoder.encode(
      Array.from({ length: 9 }, (_, i) => `text ${i}`),
      { role: 'passage' },
    );
    expect(most).toBe(3);
  });
});

describe('failures that pass', () => {
  test.each([429, 500, 503, 408])('%i is tried again', async (status) => {
    const { baseUrl, calls } = await serve((call, response, number) => {
      if (number === 1) json(response, status, { error: { message: 'busy' } }, { 'retry-after': '0' });
      else good(call, response, number);
    });
    const { vectors } = await (await create(baseUrl)).encode(['one'], { role: 'passage' });
    expect(vectors).toEqual([Float32Array.from(vectorOf('one'))]);
    expect(calls).toHaveLength(2);
  });

  test.each([
    ['seconds', () => '1'],
    ['a date', () => new Date(Date.now() + 2000).toUTCString()], // dates have whole seconds: at least one is left
  ])('the wait that Retry-After asks for, as %s, is kept', async (_, header) => {
    const times: number[] = [];
    const { baseUrl } = await serve((call, response, number) => {
      times.push(performance.now());
      if (number === 1) json(response, 429, {}, { 'retry-after': header() });
      else good(call, response, number);
    });
    await (await create(baseUrl)).encode(['one'], { role: 'passage' });
    expect(times[1] - times[0]).toBeGreaterThan(900);
    expect(times[1] - times[0]).toBeLessThan(4000);
  });

  test('a connection that breaks is tried again', async () => {
    const { baseUrl, calls } = await serve((call, response, number) => {
      if (number === 1) response.destroy();
      else good(call, response, number);
    });
    await (await create(baseUrl)).encode(['one'], { role: 'passage' });
    expect(calls).toHaveLength(2);
  });

  test('a slow answer is given up and tried again', async () => {
    const { baseUrl, calls } = await serve((call, response, number) => {
      if (number > 1) good(call, response, number);
      else response.writeHead(200).write('{"data":'); // and nothing more
    });
    await (await create(baseUrl, { timeoutMs: 100 })).encode(['one'], { role: 'passage' });
    expect(calls).toHaveLength(2);
  });
});

describe('failures that stay', () => {
  const encodeOn = async (answer: Answer, options: Partial<OpenAiEncoderOptions> = {}) => {
    const { baseUrl, calls } = await serve(answer);
    const encoder = await create(baseUrl, options);
    const error = await refusal(encoder.encode(['one', 'two'], { role: 'passage' }));
    expect(error.code).toBe('ENCODER_FAILED');
    expect(error.message).toMatch(/^openai:m at http:\/\/127\.0\.0\.1:\d+\/v1\/embeddings: /);
    return { message: error.message, calls: calls.length };
  };
  const data =
    (items: unknown): Answer =>
    (_, response) =>
      json(response, 200, { data: items });
  const both = (one: unknown, two: unknown): Answer =>
    data([
      { index: 0, embedding: one },
      { index: 1, embedding: two },
    ]);
  const row = (last: unknown = 1): unknown[] => [...new Array<number>(15).fill(1), last];

  test.each<[string, Answer, RegExp]>([
    ['not JSON', (_, response) => json(response, 200, '<html>'), /not JSON: is this an OpenAI-compatible endpoint\?/],
    ['null', (_, response) => json(response, 200, 'null'), /no "data" array/],
    ['no data', (_, response) => json(response, 200, { embeddings: [] }), /no "data" array/],
    ['one vector too few', data([{ index: 0, embedding: row() }]), /1 vectors for 2 texts/],
    ['one vector too many', data([0, 1, 2].map((index) => ({ index, embedding: row() }))), /3 vectors for 2 texts/],
    ['an index twice', data([0, 0].map((index) => ({ index, embedding: row() }))), /the indexes of the answer are not those of the texts/],
    ['an index out of range', data([0, 2].map((index) => ({ index, embedding: row() }))), /the indexes of the answer/],
    ['no index', data([{ embedding: row() }, { embedding: row() }]), /the indexes of the answer/],
    ['a null among the items', data([null, { index: 1, embedding: row() }]), /the indexes of the answer/],
    ['a number that is a string', both(row(), row('1')), /vector 1 holds something that is not a finite number/],
    ['a null among the numbers', both(row(null), row()), /vector 0 holds something that is not a finite number/],
    ['a number over 32 bits', both(row(1e39), row()), /vector 0 holds something that is not a finite number/],
    ['an empty vector', both([], []), /vector 0 is not an array of numbers/],
    ['base64', both('AAAA', 'AAAA'), /vector 0 is not an array of numbers/],
    ['vectors of another length', both([1, 2], [1, 2]), /a vector has 2 numbers, expected 16/],
    ['vectors of two lengths', both(row(), [1, 2]), /a vector has 2 numbers, expected 16/],
    [
      'a wrong key',
      (_, response) => json(response, 401, { error: { message: `Incorrect API key: ${KEY}` } }),
      /status 401 \(Incorrect API key: \*\*\*\): check the API key$/,
    ],
    ['a wrong path', (_, response) => json(response, 404, 'nothing here'), /status 404: check the base URL and the model$/],
    [
      'too long a text',
      (_, response) => json(response, 400, { error: 'too long\u001b[31m\ninput' }),
      /status 400 \(too long \[31m input\)$/,
    ],
    ['a redirect', (_, response) => json(response, 307, '', { location: 'http://127.0.0.1:1/' }), /status 307: redirects are not followed/],
  ])('%s: at once, with the reason', async (_, answer, message) => {
    const found = await encodeOn(answer);
    expect(found.message).toMatch(message);
    expect(found.calls).toBe(1);
  });

  test('429 without end: after the retries, with the reason', async () => {
    const found = await encodeOn((_, response) => json(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '0' }));
    expect(found).toEqual({ message: expect.stringMatching(/status 429 \(slow down\), after 3 attempts$/), calls: 3 });
  });

  test('a wait of an hour is not waited for', async () => {
    const found = await encodeOn((_, response) => json(response, 429, {}, { 'retry-after': '3600' }));
    expect(found).toEqual({ message: expect.stringMatching(/status 429; it asks to wait 3600 s$/), calls: 1 });
  });

  test('an answer without end is cut off', async () => {
    let sent = 0;
    const found = await encodeOn((_, response) => {
      const chunk = Buffer.alloc(2 ** 20, 32);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent++;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(found.message).toMatch(/the answer is over 67108864 bytes: set a smaller batchSize$/);
    expect(sent).toBeLessThan(200);
  });

  test('no server there', async () => {
    const { baseUrl } = await serve(good);
    for (const close of open.splice(0)) close();
    const error = await refusal(createOpenAiEncoder({ model: 'm', baseUrl, retries: 0, apiKey: KEY }));
    expect(error.message).toMatch(/cannot be reached \(ECONNREFUSED\), after one attempt$/);
  });

  test('one failure stops the other requests', async () => {
    const { baseUrl, calls } = await serve((call, response, number) => {
      if (number === 1) json(response, 400, {});
      else setTimeout(() => good(call, response, number), 100);
    });
    const encoder = await create(baseUrl, { batchSize: 1, concurrency: 2 });
    await refusal(
      encoder.encode(
        Array.from({ length: 20 }, (_, i) => `text ${i}`),
        { role: 'passage' },
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  test('an error of a fetch of one’s own does not give the key away', async () => {
    const fetch = (_: unknown, init?: RequestInit): Promise<Response> => Promise.reject(new TypeError(JSON.stringify(init?.headers)));
    const error = await refusal(
      create('http://127.0.0.1:1', { fetch: fetch as typeof globalThis.fetch, retries: 0, dimensions: 3 }).then((e) =>
        e.encode(['one'], { role: 'query' }),
      ),
    );
    expect(error.message).toMatch(/cannot be reached \(network error\)/);
  });
});

describe('abort', () => {
  test.each<[string, Answer]>([
    ['waiting for an answer', () => {}],
    ['waiting to try again', (_, response) => json(response, 429, {}, { 'retry-after': '30' })],
  ])('while %s', async (_, answer) => {
    const { baseUrl } = await serve(answer);
    const encoder = await create(baseUrl);
    const started = performance.now();
    const error = await refusal(encoder.encode(['one'], { role: 'passage', signal: AbortSignal.timeout(100) }));
    expect(error.code).toBe('ABORTED');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('options', () => {
  test.each<[Partial<OpenAiEncoderOptions>, RegExp]>([
    [{ baseUrl: 'localhost:1234' }, /baseUrl must be an http or https URL/],
    [{ baseUrl: `https://user:${KEY}@example.org/v1` }, /baseUrl must be an http or https URL without a user name/],
    [{ apiKey: `${KEY}\n` }, /apiKey must be visible ASCII/],
    [{ model: '' }, /model must be the name/],
    [{ batchSize: 0 }, /batchSize is 0, expected whole number from 1 to 2048/],
    [{ retries: 1.5 }, /retries is 1.5, expected whole number from 0 to 20/],
    [{ retrys: 1 } as Partial<OpenAiEncoderOptions>, /unknown option "retrys"; did you mean retries\?/],
  ])('%o', async (options, message) => {
    const error = await refusal(createOpenAiEncoder({ model: 'm', baseUrl: 'http://127.0.0.1:1', apiKey: KEY, dimensions: 3, ...options }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringMatching(message) });
  });
});

describe('conformance', () => {
  testEncoder({
    test,
    name: 'openai',
    load: async () => {
      const { baseUrl } = await serve(good);
      open.length = 0; // one server for all the checks; the process ends it
      return create(baseUrl);
    },
    tolerance: 0,
    skip: {
      'reports truncation': 'the server does not say what it cut',
      'nothing beyond the window counts': 'the server cuts or refuses',
    },
  });
});
