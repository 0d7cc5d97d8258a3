import { open } from 'node:fs/promises';
import { BezoarError } from '@bezoar/core';
import { quoted } from '../dataset/quoted.ts';
import { readJsonLines, recordOf } from '../dataset/read-json-lines.ts';
import { fileFault } from '../file-fault.ts';
import { printable } from '../layout.ts';

/** The largest released file has 300 kB. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface PoisonedragTarget {
  /** The question's id in the BEIR dataset that the targets were made for. */
  readonly id: string;
  readonly question: string;
  readonly answers: readonly string[];
  readonly target: string;
  readonly texts: readonly string[];
}

/** Which field of a form holds what. */
interface Form {
  readonly id: string;
  readonly answer: string;
  readonly target: string;
  readonly texts: string;
}

const RELEASED: Form = { id: 'id', answer: 'correct answer', target: 'incorrect answer', texts: 'adv_texts' };
const LINES: Form = { id: '_id', answer: 'answer', target: 'target', texts: 'texts' };

/**
 * Reads PoisonedRAG's target file as it was released, one JSON object of `{"id", "question", "correct answer", "incorrect answer",
 * "adv_texts"}` by name, or JSON lines of `{"_id", "question", "answer", "target", "texts"}`. A number for an answer is read as its digits.
 *
 * Source: Zou et al. 2024, PoisonedRAG, https://arxiv.org/abs/2402.07867, results/adv_targeted_results of its repository.
 */
export async function readPoisonedragTargets(path: string): Promise<readonly PoisonedragTarget[]> {
  const name = printable(path);
  const text = await readText(path, name);
  const whole = parsed(text);
  const targets = new Map<string, PoisonedragTarget>();
  const add = (value: unknown, at: string, form: Form, key?: string): void => {
    const target = targetOf(value, at, form, key);
    if (targets.has(target.id))
      throw new BezoarError('DUPLICATE_ID', `${at}: ${form.id} is the same as an earlier target's; ids must be unique`);
    targets.set(target.id, target);
  };
  if (typeof whole === 'object' && whole !== null && !Array.isArray(whole) && !('question' in whole)) {
    for (const [key, value] of Object.entries(whole)) add(value, `${name} ${quoted(key)}`, RELEASED, key);
  } else if (whole === undefined && parsed(text.trimStart().split('\n', 1)[0]!) === undefined) {
    // Neither the file nor its first line is JSON: said of the whole, as a released file spans many lines.
    throw new BezoarError('BAD_INPUT', `${name} is not JSON; give one of PoisonedRAG's target files, or JSON lines`);
  } else {
    const chunks = (async function* () {
      yield Buffer.from(text);
    })();
    for await (const { value, at } of readJsonLines(chunks, name)) add(value, at, LINES);
  }
  if (targets.size === 0) throw new BezoarError('BAD_INPUT', `${name} holds no target; give one of PoisonedRAG's target files`);
  return [...targets.values()];
}

async function readText(path: string, name: string): Promise<string> {
  try {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES)
        throw new BezoarError('TOO_LARGE', `${name} has ${size} bytes, expected at most ${MAX_BYTES}; targets come in small files`);
      return (await handle.readFile('utf8')).replace(/^\ufeff/, '');
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileFault(error, name);
  }
}

/** undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function targetOf(value: unknown, at: string, form: Form, key?: string): PoisonedragTarget {
  const record = recordOf({ value, at });
  const text = (found: unknown, field: string): string => {
    if (typeof found === 'number') return String(found);
    if (typeof found === 'string' && found.trim() !== '') return found;
    const said = found === undefined ? 'missing' : found === '' ? 'empty' : 'not a text';
    throw new BezoarError('BAD_INPUT', `${at}: ${field} is ${said}, expected text`, { details: { field } });
  };
  const list = (field: string): readonly string[] => {
    const found = record[field];
    if (Array.isArray(found) && found.length > 0) return found.map((one, index) => text(one, `${field}[${index}]`));
    throw new BezoarError('BAD_INPUT', `${at}: ${field} is not a list of texts`, { details: { field } });
  };
  return {
    id: text(record[form.id] ?? key, form.id),
    question: text(record.question, 'question'),
    answers: Array.isArray(record[form.answer]) ? list(form.answer) : [text(record[form.answer], form.answer)],
    target: text(record[form.target], form.target),
    texts: list(form.texts),
  };
}
