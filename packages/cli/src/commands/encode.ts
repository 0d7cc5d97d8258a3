import { BezoarError, type Encoder, type PassageText, passageText } from '@bezoar/core';
import { jsonLine } from '../json-line.ts';
import { makeEncoder } from '../make-models.ts';
import { type JsonLine, READING, readJsonLines } from '../read-json-lines.ts';
import { readRetrieval } from '../read-retrieval.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface EncodeCommandOptions extends CommonOptions {
  readonly encoder: string;
  readonly passageText: PassageText;
  readonly cache?: string;
  readonly in: string;
  readonly out: string;
}

/** Lines encoded together: enough for an encoder to sort by length, few enough to answer a pipe soon. */
const BATCH = 64;

/** A text of a line that wants a vector, and the record it goes into. */
interface Slot {
  readonly text: string;
  readonly role: 'query' | 'passage';
  readonly record: Record<string, unknown>;
}

/**
 * Adds `embedding` to every passage (`{"_id" or "id", "text", "title"?}`) or retrieval (as `defend` reads it); null where there is
 * no text; all else in a line stays as it is.
 */
export async function encode(options: EncodeCommandOptions, terminal: Terminal, log: Log): Promise<number> {
  const encoder = await makeEncoder(options.encoder, terminal, options.cache ? { cacheDir: options.cache } : {});
  if (options.in === '-' && terminal.interactiveInput) log('info', READING);
  let done = 0;
  let cut = 0;
  await withOutput(options.out, terminal, async ({ write }) => {
    let batch: { readonly value: object; readonly at: string; readonly slots: readonly Slot[] }[] = [];
    const flush = async (): Promise<boolean> => {
      cut += await fill(
        batch.flatMap(({ slots }) => slots),
        encoder,
      );
      const text = batch.map(({ value, at }) => jsonLine(value, at)).join('');
      done += batch.length;
      batch = [];
      if (terminal.interactiveError && !options.quiet) terminal.writeError(`\r${done} lines encoded`);
      return write(text);
    };
    for await (const line of readJsonLines(options.in, terminal)) {
      batch.push({ ...slotsOf(line, options.passageText), at: line.at });
      if (batch.length >= BATCH && !(await flush())) return;
    }
    if (batch.length > 0) await flush();
    if (terminal.interactiveError && !options.quiet && done > 0) terminal.writeError('\n');
    if (done === 0)
      throw new BezoarError(
        'BAD_INPUT',
        `${options.in === '-' ? 'standard input' : options.in} holds nothing to encode; write one object a line`,
      );
  });
  if (cut > 0) log('warn', `${cut} texts are longer than the encoder's window; what lies beyond is not in their embeddings`);
  return EXIT.done;
}

async function fill(slots: readonly Slot[], encoder: Encoder): Promise<number> {
  let cut = 0;
  for (const role of ['query', 'passage'] as const) {
    const some = slots.filter((slot) => slot.role === role);
    if (some.length === 0) continue;
    const { vectors, truncated } = await encoder.encode(
      some.map(({ text }) => text),
      { role },
    );
    cut += truncated.filter(Boolean).length;
    // Nine significant digits are what a 32-bit float holds.
    for (const [index, { record }] of some.entries()) {
      record.embedding = Array.from(vectors[index]!, (value) => Number(value.toPrecision(9)));
    }
  }
  return cut;
}

function slotsOf(line: JsonLine, mode: PassageText): { value: object; slots: Slot[] } {
  const value = line.value as Record<string, unknown> | null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BezoarError(
      'BAD_INPUT',
      `${line.at}: the line is not an object, expected a passage {"_id", "text"} or a retrieval {"query", "passages"}`,
    );
  }
  if ('query' in value || 'passages' in value) {
    const retrieval = readRetrieval(line);
    const records = [value.query, ...(value.passages as unknown[])] as Record<string, unknown>[];
    const texts = [retrieval.query.text, ...retrieval.passages.map((passage) => passageText(passage, mode))];
    return { value, slots: texts.flatMap((text, index) => slots(text, index === 0 ? 'query' : 'passage', records[index]!)) };
  }
  for (const field of ['text', 'title'] as const) {
    if (typeof value[field] === 'string' || (field === 'title' && (value.title ?? null) === null)) continue;
    throw new BezoarError(
      'BAD_INPUT',
      `${line.at}: ${field} is ${value[field] === undefined ? 'missing' : `a ${typeof value[field]}`}, expected text`,
    );
  }
  const passage = value as { text: string; title?: string };
  return { value, slots: slots(passageText({ id: '', ...passage }, mode), 'passage', value) };
}

/** What has no text is not encoded: an encoder would make a vector of nothing. */
function slots(text: string, role: Slot['role'], record: Record<string, unknown>): Slot[] {
  if ((record.text as string).trim() !== '') return [{ text, role, record }];
  record.embedding = null;
  return [];
}
