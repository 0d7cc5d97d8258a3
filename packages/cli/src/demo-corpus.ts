import { readFile } from 'node:fs/promises';
import type { Passage } from '@bezoar/core';

/** One question of the demo corpus, with what only the demo knows: which passages answer it, and what the attacker plants. */
export interface DemoQuestion {
  readonly id: string;
  readonly text: string;
  readonly answer: string;
  readonly target: string;
  readonly gold: ReadonlySet<string>;
  readonly wrongTexts: readonly string[];
}

export interface DemoCorpus {
  readonly passages: readonly Passage[];
  readonly questions: readonly DemoQuestion[];
}

interface QueryRecord {
  readonly _id: string;
  readonly text: string;
  readonly metadata: { readonly answers: readonly string[]; readonly target: string };
}

/** Reads the corpus that ships with the command line, a BEIR folder. */
export async function readDemoCorpus(): Promise<DemoCorpus> {
  const folder = new URL('../assets/demo/', import.meta.url);
  const read = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');
  const records = async <T>(name: string): Promise<T[]> =>
    (await read(name))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  const [corpus, queries, misinformation, qrels] = await Promise.all([
    records<{ _id: string; title: string; text: string }>('corpus.jsonl'),
    records<QueryRecord>('queries.jsonl'),
    records<{ query_id: string; text: string }>('misinformation.jsonl'),
    read('qrels/test.tsv'),
  ]);
  const judged = qrels
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));
  return {
    passages: corpus.map(({ _id, title, text }) => ({ id: _id, title, text })),
    questions: queries.map(({ _id, text, metadata }) => ({
      id: _id,
      text,
      answer: metadata.answers[0]!,
      target: metadata.target,
      gold: new Set(judged.flatMap(([query, passage, score]) => (query === _id && Number(score) > 0 ? [passage!] : []))),
      wrongTexts: misinformation.filter((wrong) => wrong.query_id === _id).map((wrong) => wrong.text),
    })),
  };
}
