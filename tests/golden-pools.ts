import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sharedPath } from './shared-data.ts';

/** A pool of a golden file: ids only, the text is in the shared data. */
export interface GoldenPool {
  readonly dataset: string;
  readonly query: string;
  readonly passages: readonly string[];
}

/** The pools of `tests/golden/NAME.json`. */
export function goldenPools<T extends GoldenPool>(name: string): T[] {
  const path = fileURLToPath(new URL(`golden/${name}.json`, import.meta.url));
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly pools: T[] }).pools;
}

const known = new Map<string, { readonly questions: Map<string, string>; readonly texts: Map<string, string> }>();

/** The question and the passages as `scripts/golden/poisoned_pools.py` saw them: title and text in one, wrong texts behind the question. */
export function poolTexts({ dataset, query, passages }: GoldenPool): { readonly question: string; readonly texts: string[] } {
  const data = known.get(dataset) ?? load(dataset);
  known.set(dataset, data);
  return { question: data.questions.get(query)!, texts: passages.map((id) => data.texts.get(id)!) };
}

function load(dataset: string): { readonly questions: Map<string, string>; readonly texts: Map<string, string> } {
  const lines = (file: string): Record<string, string>[] =>
    readFileSync(sharedPath(`data/${dataset}/${file}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, string>);
  const questions = new Map(lines('queries').map(({ _id, text }) => [_id!, text!]));
  const texts = new Map(lines('corpus').map(({ _id, title, text }) => [_id!, title ? `${title}\n${text}` : text!]));
  for (const { _id, query_id, text } of lines('misinformation')) texts.set(_id!, `${questions.get(query_id!)}.${text}`);
  return { questions, texts };
}
