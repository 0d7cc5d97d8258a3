import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { fileFault } from '../file-fault.ts';
import { printable } from '../layout.ts';
import type { Dataset, DatasetQuery } from '../types.ts';
import { indexPassages, type Watch } from './passage-file.ts';
import { quoted } from './quoted.ts';
import { type JsonLine, readJsonLines, recordOf, textField } from './read-json-lines.ts';
import { type Gold, readQrels } from './read-qrels.ts';

export interface OpenDatasetOptions {
  readonly signal?: AbortSignal;
  /** Bytes read so far, of so many in all. */
  readonly progress?: (done: number, total: number) => void;
  /** Which of the qrels is read, e.g. `dev` for qrels/dev.tsv. Without it test.tsv, or the only one. */
  readonly split?: string;
}

/** More questions without qrels than this share, beside qrels of other splits, and they are the questions of those. */
const MAX_WITHOUT_QRELS = 0.1;
/** So many questions without qrels are those of other splits, also where their qrels were left behind. */
const MANY_WITHOUT_QRELS = 1000;

const HOLDS: Readonly<Record<string, string>> = {
  'corpus.jsonl': '{"_id", "title", "text"}',
  'queries.jsonl': '{"_id", "text", "metadata"}',
};

/**
 * Opens a BEIR folder: corpus.jsonl and queries.jsonl, and qrels/*.tsv, candidates.jsonl and misinformation.jsonl where they are. Every line
 * is checked; what is wrong is said with file, line and field. A download holds the questions of all splits: where other qrels lie beside those
 * that are read, and qrels, candidates and misinformation say nothing of more than a tenth of the questions (without other qrels, of more than
 * a thousand), but qrels of some, the silent ones are left out.
 *
 * @throws {BezoarError} `NOT_FOUND`, `BAD_INPUT`, `DUPLICATE_ID`, `TOO_LARGE`, `ABORTED`.
 */
export async function openDataset(folder: string, options: OpenDatasetOptions = {}): Promise<Dataset> {
  const { names, hasOtherQrels } = await datasetFiles(folder, options.split);
  const reading = await startReading(folder, names, options);
  const { file, places } = await indexPassages(
    join(folder, 'corpus.jsonl'),
    printable(join(folder, 'corpus.jsonl')),
    reading.watch('corpus.jsonl'),
  );
  try {
    const asked = await readQueries(reading.lines('queries.jsonl'), printable(join(folder, 'queries.jsonl')));
    const qrels = names.find((name) => name.startsWith('qrels/'));
    const hasCandidates = names.includes('candidates.jsonl');
    const hasWrongTexts = names.includes('misinformation.jsonl');
    const gold: Gold = qrels ? await readQrels(reading.chunks(qrels), printable(join(folder, qrels)), asked, places) : new Map();
    const candidates: Candidates = hasCandidates ? await readCandidates(reading.lines('candidates.jsonl'), asked, places) : new Map();
    const wrong: Wrong = hasWrongTexts ? await readMisinformation(reading.lines('misinformation.jsonl'), asked) : new Map();
    const spokenOf = (id: string): boolean => gold.has(id) || candidates.has(id) || wrong.has(id);
    const silent = [...asked.keys()].filter((id) => !spokenOf(id)).length;
    const ofOtherSplits = gold.size > 0 && silent > (hasOtherQrels ? MAX_WITHOUT_QRELS * asked.size : MANY_WITHOUT_QRELS);
    const queries = [...asked].flatMap(([id, query]): DatasetQuery[] => {
      if (ofOtherSplits && !spokenOf(id)) return [];
      const texts = wrong.get(id);
      return [
        {
          id,
          ...query,
          targetAnswer: query.targetAnswer ?? texts?.target ?? null,
          wrongTexts: texts?.texts ?? [],
          candidates: candidates.get(id) ?? null,
          gold: gold.get(id) ?? new Map(),
        },
      ];
    });
    return {
      name: basename(resolve(folder)),
      fingerprint: reading.fingerprint(),
      passageCount: file.count,
      queries,
      hasCandidates,
      hasWrongTexts,
      passages: file.passages,
      batches: file.batches,
      close: file.close,
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Names of the files that make up the dataset, in the order of the fingerprint, and whether there are qrels that are not read. */
async function datasetFiles(
  folder: string,
  split: string | undefined,
): Promise<{ readonly names: readonly string[]; readonly hasOtherQrels: boolean }> {
  const name = printable(folder);
  const about = await stat(folder).catch((error: unknown) => {
    throw fileFault(error, name);
  });
  if (!about.isDirectory()) {
    throw new BezoarError('NOT_FOUND', `${name} is a file, expected a BEIR folder with corpus.jsonl and queries.jsonl; name the folder`);
  }
  const held = await readdir(folder);
  for (const needed of ['corpus.jsonl', 'queries.jsonl']) {
    if (held.includes(needed)) continue;
    const file = printable(join(folder, needed));
    throw new BezoarError('NOT_FOUND', `${file} does not exist; a BEIR folder holds ${needed}, one ${HOLDS[needed]} a line`, {
      details: { file },
    });
  }
  const { qrels, hasOthers } = await qrelsFile(join(folder, 'qrels'), held.includes('qrels'), split);
  const optional = ['candidates.jsonl', 'misinformation.jsonl'].filter((file) => held.includes(file));
  return {
    names: ['corpus.jsonl', 'queries.jsonl', ...(qrels === null ? [] : [`qrels/${qrels}`]), ...optional],
    hasOtherQrels: hasOthers,
  };
}

async function qrelsFile(
  folder: string,
  exists: boolean,
  split: string | undefined,
): Promise<{ readonly qrels: string | null; readonly hasOthers: boolean }> {
  const name = printable(folder);
  const held = exists
    ? await readdir(folder).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw fileFault(error, name);
        throw new BezoarError(
          'BAD_INPUT',
          `${name} is a file, expected a folder with test.tsv; move it to ${printable(join(folder, 'test.tsv'))}`,
        );
      })
    : [];
  const files = held.filter((file) => file.endsWith('.tsv')).sort();
  const wanted = split === undefined ? 'test.tsv' : `${split}.tsv`;
  const hasOthers = files.length > 1;
  if (files.includes(wanted)) return { qrels: wanted, hasOthers };
  const list = files.map((file) => printable(file)).join(', ');
  if (split !== undefined)
    throw new BezoarError(
      'NOT_FOUND',
      `${printable(join(folder, wanted))} does not exist; ${list === '' ? 'there are no qrels' : `there is ${list}`}`,
    );
  if (files.length > 1) throw new BezoarError('BAD_INPUT', `${name} holds ${list} and no test.tsv; keep one of them, or name it test.tsv`);
  return { qrels: files[0] ?? null, hasOthers };
}

/** Reads each file of the dataset once; on the way it is hashed, and counted for the progress. */
async function startReading(folder: string, names: readonly string[], { signal, progress }: OpenDatasetOptions) {
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (about: Stats) => about.size,
        (error: unknown) => {
          throw fileFault(error, printable(join(folder, name)));
        },
      ),
    ),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const digests = new Map<string, string>();
  let done = 0;
  const watch = (name: string): Watch =>
    async function* (chunks) {
      const hash = createHash('sha256');
      for await (const chunk of chunks) {
        if (signal?.aborted) throw new BezoarError('ABORTED', `${printable(folder)}: aborted`, { cause: signal.reason });
        hash.update(chunk);
        done += chunk.length;
        progress?.(done, total);
        yield chunk;
      }
      digests.set(name, hash.digest('hex'));
    };
  const chunks = (name: string): AsyncIterable<Uint8Array> => watch(name)(createReadStream(join(folder, name)));
  return {
    watch,
    chunks,
    lines: (name: string) => readJsonLines(chunks(name), printable(join(folder, name)), { invalidUtf8: 'refuse' }),
    /** What `sha256sum FILE ... | sha256sum` prints in the folder. */
    fingerprint: (): string =>
      createHash('sha256')
        .update(names.map((name) => `${digests.get(name)}  ${name}\n`).join(''))
        .digest('hex'),
  };
}

type Question = Pick<DatasetQuery, 'text' | 'answers' | 'targetAnswer'>;
type Asked = ReadonlyMap<string, Question>;
type Candidates = ReadonlyMap<string, readonly number[]>;
/** The target is that of the first text that names one. */
type Wrong = ReadonlyMap<string, { readonly texts: readonly string[]; readonly target: string | null }>;

const badField = ({ at, line }: JsonLine, field: string, said: string): BezoarError =>
  new BezoarError('BAD_INPUT', `${at}: ${field} ${said}`, { details: { line, field } });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function readQueries(lines: AsyncIterable<JsonLine>, name: string): Promise<Asked> {
  const asked = new Map<string, Question>();
  for await (const line of lines) {
    const record = recordOf(line);
    const id = textField(record._id, line, '_id');
    if (asked.has(id)) throw repeated(line, '_id', "question's");
    const text = textField(record.text, line, 'text');
    const metadata = record.metadata ?? {};
    if (!isObject(metadata))
      throw badField(line, 'metadata', 'is not an object; write {"answers": [...], "target": "..."} or leave it out');
    const answers = metadata.answers ?? [];
    if (!Array.isArray(answers) || answers.some((answer) => typeof answer !== 'string'))
      throw badField(line, 'metadata.answers', 'is not a list of texts; write ["answer", ...]');
    const target = metadata.target ?? '';
    asked.set(id, { text, answers, targetAnswer: textField(target, line, 'metadata.target') || null });
  }
  if (asked.size === 0) throw new BezoarError('BAD_INPUT', `${name} holds no question; write one {"_id", "text", "metadata"} a line`);
  return asked;
}

const repeated = ({ at, line }: JsonLine, field: string, whose: string): BezoarError =>
  new BezoarError('DUPLICATE_ID', `${at}: ${field} is the same as an earlier ${whose}; ids must be unique`, { details: { line, field } });

/** The id of a question that queries.jsonl has. */
function queryIdOf(line: JsonLine, asked: Asked): string {
  const id = textField(recordOf(line).query_id, line, 'query_id');
  if (!asked.has(id))
    throw badField(line, 'query_id', `is ${quoted(id)}, which queries.jsonl does not have; add the question or remove the line`);
  return id;
}

async function readCandidates(lines: AsyncIterable<JsonLine>, asked: Asked, places: ReadonlyMap<string, number>): Promise<Candidates> {
  const candidates = new Map<string, readonly number[]>();
  for await (const line of lines) {
    const queryId = queryIdOf(line, asked);
    if (candidates.has(queryId)) throw repeated(line, 'query_id', "line's");
    const ids = recordOf(line).passage_ids;
    if (!Array.isArray(ids)) throw badField(line, 'passage_ids', 'is not a list of ids; write ["id", ...]');
    const found = new Set<number>();
    for (const [index, id] of ids.entries()) {
      const field = `passage_ids[${index}]`;
      const place = places.get(textField(id, line, field));
      if (place === undefined)
        throw badField(line, field, `is ${quoted(id as string)}, which corpus.jsonl does not have; add the passage or remove the id`);
      if (found.has(place)) throw badField(line, field, `is ${quoted(id as string)} for the second time; name a passage once`);
      found.add(place);
    }
    candidates.set(queryId, [...found]);
  }
  return candidates;
}

async function readMisinformation(lines: AsyncIterable<JsonLine>, asked: Asked): Promise<Wrong> {
  const wrong = new Map<string, { texts: string[]; target: string | null }>();
  const ids = new Set<string>();
  for await (const line of lines) {
    const record = recordOf(line);
    const id = textField(record._id, line, '_id');
    if (ids.has(id)) throw repeated(line, '_id', "text's");
    ids.add(id);
    const queryId = queryIdOf(line, asked);
    const text = textField(record.text, line, 'text');
    if (text.trim() === '') throw badField(line, 'text', 'is empty, expected a text that argues for the target; remove the line');
    const target = textField(record.target ?? '', line, 'target') || null;
    const ofQuery = wrong.get(queryId) ?? { texts: [], target: null };
    ofQuery.texts.push(text);
    ofQuery.target ??= target;
    wrong.set(queryId, ofQuery);
  }
  return wrong;
}
