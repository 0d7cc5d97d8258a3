import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import { printable } from '@bezoar/bench/layout';
import { BezoarError } from '@bezoar/core';
import type { Terminal } from './terminal.ts';

/** A line longer than this is refused: 64 MB hold a thousand passages of 8 kB with embeddings of 1,536 numbers several times over. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** For who waits before a terminal that waits for them. */
export const READING = 'reading what you type; end it with Ctrl-D, or name a file with --in';

export interface JsonLine {
  readonly value: unknown;
  /** `FILE line N`, for messages. */
  readonly at: string;
}

/** The JSON values of a file's or standard input's lines (`-`), one at a time; blank lines are passed over. */
export async function* readJsonLines(path: string, terminal: Terminal): AsyncGenerator<JsonLine> {
  const name = path === '-' ? 'standard input' : path;
  let number = 0;
  for await (const line of lines(readable(path === '-' ? terminal.stdin : createReadStream(resolve(terminal.cwd, path)), name), name)) {
    number += 1;
    const text = number === 1 && line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    if (text.trim() === '') continue;
    const at = `${name} line ${number}`;
    yield { value: parse(text, at, number), at };
  }
}

function parse(text: string, at: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = text.includes('\ufffd')
      ? '; it is not UTF-8 text, save it as UTF-8'
      : /\b(NaN|Infinity)\b/.test(text)
        ? '; NaN and Infinity are not JSON, write null'
        : '';
    const reason = printable((error as Error).message).slice(0, 120);
    throw new BezoarError('BAD_INPUT', `${at} is not JSON: ${reason}${hint}; write one object a line`, { details: { line } });
  }
}

async function* readable(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw fileFault(error, name);
  }
}

async function* lines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    parts[0] = rest + parts[0]!;
    rest = parts.pop()!;
    yield* parts;
    if (rest.length > MAX_LINE_BYTES)
      throw new BezoarError('TOO_LARGE', `${name} has a line of more than ${MAX_LINE_BYTES} characters; write one object a line`);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
