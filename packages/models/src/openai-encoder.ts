import { createHash } from 'node:crypto';
import { BezoarError, type EncodedTexts, type EncodeOptions, option, readOptions } from '@bezoar/core';
import type { FingerprintedEncoder } from './onnx-encoder.ts';

export interface OpenAiEncoderOptions {
  readonly model: string;
  /** Up to and without `/embeddings`, e.g. `https://api.openai.com/v1` or `http://localhost:11434/v1`. Texts are sent there. */
  readonly baseUrl: string;
  /** Sent as a bearer token and shown nowhere. */
  readonly apiKey?: string;
  /** Asks the server for vectors of this length; not every model can. Without it the length is learnt from one request at creation. */
  readonly dimensions?: number;
  /** Texts a request. Default 64. */
  readonly batchSize?: number;
  /** Requests at a time. Default 4. */
  readonly concurrency?: number;
  /** Milliseconds for one attempt, its answer included. Default 30,000. */
  readonly timeoutMs?: number;
  /** Attempts after the first, for each request. Default 4. */
  readonly retries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** The options that a SPEC can hold, all numbers; there they are written `openai:MODEL?dimensions=256`. */
export const OPENAI_ENCODER_OPTIONS = {
  dimensions: option.nullable(
    option.number(1536, 'Length asked of the server.', { min: 1, max: 65_536, integer: true }),
    'default: the model decides',
  ),
  batchSize: option.number(64, 'Texts a request.', { min: 1, max: 2048, integer: true }), // 2048: the most that OpenAI takes
  concurrency: option.number(4, 'Requests at a time.', { min: 1, max: 64, integer: true }),
  timeoutMs: option.number(30_000, 'Milliseconds for one attempt.', { min: 1, max: 3_600_000, integer: true }),
  retries: option.number(4, 'Attempts after the first.', { min: 0, max: 20, integer: true }),
};

/** An answer may take this many bytes: 64 texts of 3,072 numbers written out take about 5 million. */
const LARGEST_ANSWER = 64 * 2 ** 20;
const FIRST_WAIT_MS = 500;
/** A server that asks for a longer wait is not waited for. */
const LONGEST_WAIT_MS = 60_000;

/** A failure that another attempt may mend. */
class Retryable extends Error {
  readonly waitMs: number | null;
  constructor(message: string, waitMs: number | null) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * An encoder behind an OpenAI-compatible endpoint: `POST {baseUrl}/embeddings`. Blank texts are not sent (servers refuse them) and get the
 * zero vector. Whether a server cut a text it does not say: `truncated` is always false, and a text over its limit is usually refused.
 *
 * Requests that fail by network, timeout, 408, 429 or 5xx are tried again after `Retry-After`, or else after 0.5 s, 1 s, 2 s ... with jitter; other
 * answers fail at once. Redirects are not followed: the texts go where the user said. The key and the texts are in no error.
 *
 * Vectors come back as the server makes them; the port's promise of the same vector for the same text is the server's to keep.
 *
 * @throws {BezoarError} `INVALID_OPTION`; `ENCODER_FAILED` when the server cannot be reached or answers anything but one vector a text, all
 *   finite and of one length; `ABORTED`.
 */
export const createOpenAiEncoder = async (options: OpenAiEncoderOptions): Promise<FingerprintedEncoder> => {
  const { model, baseUrl, apiKey, fetch = globalThis.fetch, ...given } = options;
  const name = `openai:${model}`;
  const { batchSize, concurrency, timeoutMs, retries, ...asked } = readOptions(OPENAI_ENCODER_OPTIONS, given, name);
  const url = endpoint(model, baseUrl, apiKey);
  const shownUrl = url.origin + url.pathname;
  const hideKey = (text: string): string => (apiKey ? text.replaceAll(apiKey, '***') : text);
  const failed = (message: string): BezoarError =>
    new BezoarError('ENCODER_FAILED', hideKey(`${name} at ${shownUrl}: ${message}`), { details: { model, url: shownUrl } });

  /** One attempt. Throws `Retryable` or a final error. */
  const attempt = async (texts: readonly string[], dimensions: number | null, signal: AbortSignal): Promise<Float32Array[]> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    let answer: { status: number; retryAfter: string | null; body: string };
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
        body: JSON.stringify({ model, input: texts, ...(asked.dimensions === null ? {} : { dimensions: asked.dimensions }) }),
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await readBounded(response);
      if (body === null) throw failed(`the answer is over ${LARGEST_ANSWER} bytes: set a smaller batchSize`);
      answer = { status: response.status, retryAfter: response.headers.get('retry-after'), body };
    } catch (cause) {
      if (BezoarError.is(cause) || signal.aborted) throw cause;
      throw new Retryable(timeout.aborted ? `no answer within ${timeoutMs} ms` : `cannot be reached (${networkReason(cause)})`, null);
    }
    if (answer.status !== 200) {
      const message = `status ${answer.status}${serverMessage(answer.body)}`;
      if (answer.status !== 408 && answer.status !== 429 && answer.status < 500) throw failed(message + remedy(answer.status));
      const waitMs = retryAfterMs(answer.retryAfter);
      if (waitMs !== null && waitMs > LONGEST_WAIT_MS) throw failed(`${message}; it asks to wait ${Math.ceil(waitMs / 1000)} s`);
      throw new Retryable(message, waitMs);
    }
    const vectors = readVectors(answer.body, texts.length);
    if (typeof vectors === 'string') throw failed(vectors);
    const wanted = asked.dimensions ?? dimensions ?? vectors[0].length;
    const odd = vectors.find((vector) => vector.length !== wanted);
    if (odd) throw failed(`a vector has ${odd.length} numbers, expected ${wanted}`);
    return vectors;
  };

  const request = async (texts: readonly string[], dimensions: number | null, signal: AbortSignal): Promise<Float32Array[]> => {
    for (let tried = 0; ; tried++) {
      try {
        return await attempt(texts, dimensions, signal);
      } catch (cause) {
        if (!(cause instanceof Retryable)) throw cause;
        if (tried === retries) throw failed(`${cause.message}, after ${tried === 0 ? 'one attempt' : `${tried + 1} attempts`}`);
        const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tried);
        // At least what the server asks for; the random part keeps clients that failed together from coming back together.
        await wait((cause.waitMs ?? backoff / 2) + (Math.random() * backoff) / 2, signal);
      }
    }
  };

  const dimensions = asked.dimensions ?? (await request(['dimensions'], null, new AbortController().signal))[0].length;

  const encode = async (texts: readonly string[], { signal }: EncodeOptions): Promise<EncodedTexts> => {
    const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
    const sent = texts.map((_, i) => i).filter((i) => texts[i].trim() !== '');
    const stop = new AbortController();
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < sent.length) {
        either.throwIfAborted();
        const batch = sent.slice(next, next + batchSize);
        next += batchSize;
        const encoded = await request(
          batch.map((i) => texts[i]),
          dimensions,
          either,
        );
        for (const [row, i] of batch.entries()) vectors[i] = encoded[row];
      }
    };
    try {
      if (signal?.aborted) throw signal.reason;
      await Promise.all(Array.from({ length: concurrency }, work));
    } catch (cause) {
      stop.abort();
      if (signal?.aborted) throw new BezoarError('ABORTED', `${name}: aborted`, { cause: signal.reason });
      throw cause;
    }
    return { vectors, truncated: texts.map(() => false) };
  };

  const fingerprint = createHash('sha256')
    .update(JSON.stringify([shownUrl, model, dimensions]))
    .digest('hex');
  return { name, dimensions, similarity: 'cosine', fingerprint, encode };
};

/** The vectors in the order of the texts, or what is wrong with the answer. */
const readVectors = (body: string, count: number): Float32Array[] | string => {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return 'the answer is not JSON: is this an OpenAI-compatible endpoint?';
  }
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return 'the answer has no "data" array: is this an OpenAI-compatible endpoint?';
  if (data.length !== count) return `the answer has ${data.length} vectors for ${count} texts`;
  const vectors = new Array<Float32Array | undefined>(count);
  for (const item of data as readonly ({ index?: unknown; embedding?: unknown } | null)[]) {
    const index = item?.index;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index] !== undefined) {
      return 'the indexes of the answer are not those of the texts, each once';
    }
    const numbers = item?.embedding;
    if (!Array.isArray(numbers) || numbers.length === 0) return `vector ${index} is not an array of numbers`;
    const vector = new Float32Array(numbers.length);
    for (let k = 0; k < numbers.length; k++) {
      const value: unknown = numbers[k];
      vector[k] = typeof value === 'number' ? value : Number.NaN;
      if (!Number.isFinite(vector[k])) return `vector ${index} holds something that is not a finite number`;
    }
    vectors[index] = vector;
  }
  return vectors as Float32Array[];
};

/** The body as text, or null when it is over the bound; what is over is not read. */
const readBounded = async (response: Response): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_ANSWER) return null; // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** What the server says went wrong, made fit for one line of a terminal. */
const serverMessage = (body: string): string => {
  let message: unknown;
  try {
    const answer = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown } | null;
    message = typeof answer?.error === 'object' ? answer.error?.message : (answer?.error ?? answer?.message);
  } catch {
    return '';
  }
  return typeof message === 'string' ? ` (${message.replace(/[\p{C}\s]+/gu, ' ').slice(0, 300)})` : '';
};

const remedy = (status: number): string => {
  if (status === 401 || status === 403) return ': check the API key';
  if (status === 404) return ': check the base URL and the model';
  if (status >= 300 && status < 400) return ': redirects are not followed, give the final URL';
  return '';
};

/** Milliseconds from a Retry-After header, seconds or a date; null when there is none to read. */
const retryAfterMs = (header: string | null): number | null => {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};

/** The error code of the network (ECONNREFUSED ...), never the message of an unknown error, which may quote headers. */
const networkReason = (cause: unknown): string => {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  return inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'network error';
};

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** The URL to post to. Values that may hold a secret are not repeated. */
const endpoint = (model: string, baseUrl: string, apiKey: string | undefined): URL => {
  const refuse = (field: string, expected: string): BezoarError =>
    new BezoarError('INVALID_OPTION', `openai: ${field} must be ${expected}`, { details: { field, expected } });
  if (model === '') throw refuse('model', "the name of one of the server's models");
  // A line break in it would make fetch throw an error that quotes the header.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) throw refuse('apiKey', 'visible ASCII characters without spaces');
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw refuse('baseUrl', 'an http or https URL without a user name or password, e.g. http://localhost:11434/v1');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  url.hash = '';
  return url;
};
