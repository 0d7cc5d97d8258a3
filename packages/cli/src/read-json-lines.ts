import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { BezoarError } from '@bezoar/core';
import type { Terminal } from './terminal.ts';

/** A line longer than this is refused: 64 MB hold a thousand passages of 8 kB with embeddings of 1,536 numbers several times over. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface JsonLine {
  readonly value: unknown;
  /** `FILE line N`, for messages. */
  readonly at: string;
}

/** The JSON values of a file's or standard input's lines (`-`), one at a time; blank lines are passed over. */
export async function* readJsonLines(path: string, terminal: Terminal): AsyncGenerator<JsonLine> {
  const name = path === '-' ? 'standard input' : path;
  let number = 0;
  for await (const line of lines(path === '-' ? terminal.stdin : openFile(resolve(terminal.cwd, path), path), name)) {
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
    const hint = /\b(NaN|Infinity)\b/.test(text) ? '; NaN and Infinity are not JSON, write null' : '';
    const reason = (error as Error).message.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 120);
    throw new BezoarError('BAD_INPUT', `${at} is not JSON: ${reason}${hint}; write one object a line`, { details: { line } });
  }
}

async function* openFile(path: string, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fileFault(error, name);
  }
}

/** What the system says of a file, in a sentence with a remedy. */
export function fileFault(error: unknown, name: string): Error {
  const code = (error as NodeJS.ErrnoException).code;
  const said: Record<string, string> = {
    ENOENT: 'does not exist; check the path',
    EACCES: 'may not be opened; check its permissions',
    EPERM: 'may not be opened; check its permissions',
    EISDIR: 'is a folder; name a file',
    ENOTDIR: 'has a file where its path needs a folder; check the path',
    EROFS: 'is on a read-only file system; name another place',
    ENOSPC: 'cannot be written: the disk is full',
  };
  const sentence = code ? said[code] : undefined;
  return sentence ? new BezoarError('NOT_FOUND', `${name} ${sentence}`, { cause: error, details: { file: name } }) : (error as Error);
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
