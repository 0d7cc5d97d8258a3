import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import { readJsonLines, recordOf, textField } from '@bezoar/bench/json-lines';
import { BezoarError, type JsonObject, type Passage } from '@bezoar/core';
import type { Terminal } from './terminal.ts';

export interface LocatedPassage {
  readonly passage: Passage;
  /** From 1. */
  readonly line: number;
  /** How much of the file was read, in bytes. */
  readonly bytes: number;
}

export interface CorpusPassages {
  /** The JSON-lines file, as the user would write its path. */
  readonly file: string;
  readonly bytes: number;
  /** Once more from the beginning at every call. */
  read(): AsyncGenerator<LocatedPassage>;
}

/** A corpus that is read as a stream: a BEIR folder or a JSON-lines file. A fault names file, line and field. */
export function corpusPassages(path: string, terminal: Terminal): CorpusPassages {
  const place = resolve(terminal.cwd, path);
  if (!existsSync(place)) throw fileFault({ code: 'ENOENT' }, path);
  const folder = statSync(place).isDirectory();
  const file = folder ? join(path, 'corpus.jsonl') : path;
  const filePlace = resolve(terminal.cwd, file);
  if (!existsSync(filePlace)) {
    throw new BezoarError('NOT_FOUND', `${file} does not exist; a BEIR folder holds corpus.jsonl, one {"_id", "text"} a line`);
  }
  return {
    file,
    bytes: statSync(filePlace).size,
    async *read() {
      const ids = new Set<string>();
      for await (const line of readJsonLines(filePlace, file)) {
        const passage = passageOn(line);
        if (ids.has(passage.id)) {
          throw new BezoarError('DUPLICATE_ID', `${line.at}: _id is the same as an earlier passage's; ids must be unique`);
        }
        ids.add(passage.id);
        yield { passage, line: line.line, bytes: line.offset + line.bytes };
      }
      if (ids.size === 0) throw new BezoarError('BAD_INPUT', `${file} holds no passage; write one {"_id", "text"} a line`);
    },
  };
}

/** The source is the field `source`, else that of the metadata, else the host of the metadata's `url`. */
function passageOn(line: { readonly value: unknown; readonly at: string }): Passage {
  const { _id, id = _id, text, title, source, metadata } = recordOf(line);
  const object = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? (metadata as JsonObject) : null;
  if (metadata !== undefined && metadata !== null && object === null)
    throw new BezoarError('BAD_INPUT', `${line.at}: metadata is not an object; write {...} or leave it out`);
  const named = source ?? object?.source ?? hostOf(object?.url);
  return {
    id: textField(id, line, '_id'),
    text: textField(text, line, 'text'),
    ...(title ? { title: textField(title, line, 'title') } : {}),
    ...(typeof named === 'string' && named !== '' ? { source: named } : {}),
    ...(object !== null && Object.keys(object).length > 0 ? { metadata: object } : {}),
  };
}

const hostOf = (url: unknown): string | null => (typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null);

/** The texts of a JSON-lines file with `text`, such as queries.jsonl. */
export async function readQuestions(path: string | undefined, terminal: Terminal): Promise<readonly string[]> {
  const questions: string[] = [];
  if (path === undefined) return questions;
  for await (const line of readJsonLines(resolve(terminal.cwd, path), path)) questions.push(textField(recordOf(line).text, line, 'text'));
  return questions;
}
