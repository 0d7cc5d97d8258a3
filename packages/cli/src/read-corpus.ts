import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import { recordOf, textField } from '@bezoar/bench/json-lines';
import { BezoarError, type Passage } from '@bezoar/core';
import { readJsonLines } from './read-json-lines.ts';
import type { Terminal } from './terminal.ts';

export interface CorpusQuery {
  readonly id: string;
  readonly text: string;
  /** Passages in the order a real retriever gave them; null where the corpus does not say. */
  readonly candidates: readonly string[] | null;
}

export interface Corpus {
  readonly name: string;
  readonly passages: ReadonlyMap<string, Passage>;
  readonly queries: readonly CorpusQuery[];
}

/** Reads a BEIR folder (corpus.jsonl; queries.jsonl and candidates.jsonl where they are) or a JSON-lines file of passages. */
export async function readCorpus(path: string, terminal: Terminal): Promise<Corpus> {
  const place = resolve(terminal.cwd, path);
  if (!existsSync(place)) throw fileFault({ code: 'ENOENT' }, path);
  const folder = statSync(place).isDirectory();
  const file = (name: string): string => join(path, name);
  if (folder && !existsSync(resolve(place, 'corpus.jsonl'))) {
    throw new BezoarError(
      'NOT_FOUND',
      `${file('corpus.jsonl')} does not exist; a BEIR folder holds corpus.jsonl, one {"_id", "text"} a line`,
    );
  }
  const passages = new Map<string, Passage>();
  for await (const line of readJsonLines(folder ? file('corpus.jsonl') : path, terminal)) {
    const { _id, id = _id, text, title } = recordOf(line);
    const passage = {
      id: textField(id, line, '_id'),
      text: textField(text, line, 'text'),
      ...(title ? { title: textField(title, line, 'title') } : {}),
    };
    if (passages.has(passage.id))
      throw new BezoarError('DUPLICATE_ID', `${line.at}: _id is the same as an earlier passage's; ids must be unique`);
    passages.set(passage.id, passage);
  }
  if (passages.size === 0) throw new BezoarError('BAD_INPUT', `${path} holds no passage; write one {"_id", "text"} a line`);
  const has = (name: string): boolean => folder && existsSync(resolve(place, name));
  const candidates = new Map<string, readonly string[]>();
  if (has('candidates.jsonl')) {
    for await (const line of readJsonLines(file('candidates.jsonl'), terminal)) {
      const { query_id, passage_ids } = recordOf(line);
      if (!Array.isArray(passage_ids)) throw new BezoarError('BAD_INPUT', `${line.at}: passage_ids is not a list of ids`);
      for (const id of passage_ids)
        if (!passages.has(id as string))
          throw new BezoarError('BAD_INPUT', `${line.at}: passage_ids names a passage that is not in corpus.jsonl`);
      candidates.set(textField(query_id, line, 'query_id'), passage_ids as string[]);
    }
  }
  const queries: CorpusQuery[] = [];
  if (has('queries.jsonl')) {
    for await (const line of readJsonLines(file('queries.jsonl'), terminal)) {
      const { _id, text } = recordOf(line);
      const id = textField(_id, line, '_id');
      queries.push({ id, text: textField(text, line, 'text'), candidates: candidates.get(id) ?? null });
    }
  }
  return { name: path.split(/[\\/]/).findLast((part) => part !== '') ?? path, passages, queries };
}
