import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The body, parsed; of NDJSON the list of its lines. */
  readonly body: unknown;
}

export interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

export interface JsonServer {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly JsonRequest[];
  close(): Promise<void>;
}

/** An HTTP server that keeps what it was asked and answers with JSON; what `answer` throws becomes a 400 with its message. */
export async function openJsonServer(
  answer: (request: JsonRequest) => JsonAnswer,
  toError: (message: string) => unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonServer> {
  const requests: JsonRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { pathname, searchParams } = new URL(incoming.url!, 'http://localhost');
      const text = Buffer.concat(pieces).toString('utf8');
      const lines = String(incoming.headers['content-type']).includes('ndjson');
      const body: unknown =
        text === ''
          ? null
          : lines
            ? text
                .trimEnd()
                .split('\n')
                .map((line) => JSON.parse(line))
            : JSON.parse(text);
      const request = { method: incoming.method!, path: pathname, query: Object.fromEntries(searchParams), body };
      requests.push(request);
      let reply: JsonAnswer;
      try {
        reply = answer(request);
      } catch (error) {
        reply = { status: 400, body: toError((error as Error).message) };
      }
      outgoing.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...headers });
      outgoing.end(request.method === 'HEAD' ? undefined : JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The value as an object that has no other keys than these: a field that a server does not know is a mistake of ours. */
export function objectOf(value: unknown, ...keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`expected an object, got ${JSON.stringify(value)}`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Error(`unknown field ${unknown}`);
  return value as Record<string, unknown>;
}
