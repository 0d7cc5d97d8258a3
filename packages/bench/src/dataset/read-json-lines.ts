import { createReadStream } from 'node:fs';
// Not the whole of core: the terminal's commands read lines too, and they must start at once.
import { BezoarError } from '@bezoar/core/errors';
import { fileFault } from '../file-fault.ts';
import { printable } from '../layout.ts';

/** A line longer than this is refused: 64 MB hold a thousand passages of 8 kB with embeddings of 1,536 numbers several times over. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LINE_END = 10;
/** U+FEFF in UTF-8. */
const MARK_BYTES = 3;

export interface JsonLine {
  readonly value: unknown;
  /** `FILE line N`, for messages. */
  readonly at: string;
  /** From 1, blank lines counted. */
  readonly line: number;
  /** Where the line begins in the file and how long it is, in bytes, without its end and without a byte order mark. */
  readonly offset: number;
  readonly bytes: number;
}

export interface ReadLinesOptions {
  /** What becomes of bytes that are not UTF-8: `replace` puts U+FFFD in their place, `refuse` is an error. Default `replace`. */
  readonly invalidUtf8?: 'replace' | 'refuse';
}

/** The JSON values of the lines of a file (by its path) or of a stream, one at a time; blank lines are passed over. `name` is what messages call it. */
export async function* readJsonLines(
  source: string | AsyncIterable<Uint8Array>,
  name: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<JsonLine> {
  for await (const { text, at, line, offset, bytes } of readLines(source, name, options)) {
    if (text.trim() !== '') yield { value: parse(text, at, line), at, line, offset, bytes };
  }
}

/** The lines as they are, blank ones too. */
export async function* readLines(
  source: string | AsyncIterable<Uint8Array>,
  name: string,
  { invalidUtf8 = 'replace' }: ReadLinesOptions = {},
): AsyncGenerator<Omit<JsonLine, 'value'> & { readonly text: string }> {
  const chunks = typeof source === 'string' ? createReadStream(source, { highWaterMark: 256 * 1024 }) : source;
  let line = 0;
  let start = 0;
  for await (const bytes of splitLines(readable(chunks, name), name)) {
    line += 1;
    const at = `${name} line ${line}`;
    const whole = bytes.toString('utf8');
    if (invalidUtf8 === 'refuse' && whole.includes('\ufffd')) requireUtf8(bytes, at, line);
    const mark = line === 1 && whole.charCodeAt(0) === 0xfeff;
    const skipped = mark ? MARK_BYTES : 0;
    yield { text: mark ? whole.slice(1) : whole, at, line, offset: start + skipped, bytes: bytes.length - skipped };
    start += bytes.length + 1;
  }
}

/** The object on a line. */
export function recordOf({ value, at }: Pick<JsonLine, 'value' | 'at'>): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw new BezoarError('BAD_INPUT', `${at}: the line is not an object; write one {...} a line`);
}

/** The text that a field of a line's object holds. */
export function textField(value: unknown, { at }: Pick<JsonLine, 'at'>, field: string): string {
  if (typeof value === 'string') return value;
  const found = value === undefined ? 'missing' : value === null ? 'null' : `a ${typeof value}`;
  throw new BezoarError('BAD_INPUT', `${at}: ${field} is ${found}, expected text`, { details: { field } });
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

function requireUtf8(bytes: Uint8Array, at: string, line: number): void {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BezoarError('BAD_INPUT', `${at} is not UTF-8 text; save the file as UTF-8`, { details: { line } });
  }
}

async function* readable(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw fileFault(error, name);
  }
}

async function* splitLines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  /** Pieces of a line whose end has not come yet. */
  let pieces: Buffer[] = [];
  let held = 0;
  for await (const given of chunks) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      const last = chunk.subarray(from, end);
      yield held === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      held = 0;
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > MAX_LINE_BYTES)
      throw new BezoarError('TOO_LARGE', `${name} has a line of more than ${MAX_LINE_BYTES} characters; write one object a line`);
  }
  if (held > 0) yield Buffer.concat(pieces);
}
