/**
 * Measures how well an encoder ranks: the whole corpus of each dataset by cosine with the question, `title + " " + text`, and prints a
 * Markdown table: reciprocal rank of the first gold passage, nDCG@10, share of questions with a gold passage in ten, share of the
 * ten that are among the question's own candidates (of all its candidates where it has fewer than ten).
 *
 *   npx tsx scripts/measure-encoder.ts [--data ../shared/data] [--asset packages/models/assets/static-encoder.bin] [DATASET...]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Encoder } from '@bezoar/core';
import { loadStaticEncoder } from '../packages/models/src/static-encoder.ts';

export interface RankingQuality {
  readonly questions: number;
  readonly passages: number;
  readonly reciprocalRank: number;
  readonly ndcg: number;
  readonly success: number;
  readonly candidateRecall: number;
  /** Wall time of encoding the corpus. */
  readonly microsecondsPerPassage: number;
}

const DEPTH = 10;

/** Ranks a corpus in the BEIR layout with `encoder` and scores the ranking against its gold labels; questions without any are left out. */
export async function measureEncoder(encoder: Encoder, folder: string): Promise<RankingQuality> {
  const lines = (name: string): string[] => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
  const records = <T>(name: string): T[] => lines(name).map((line) => JSON.parse(line) as T);
  const corpus = records<{ _id: string; title: string; text: string }>('corpus.jsonl');
  const gold = new Map<string, Map<string, number>>();
  for (const line of lines('qrels/test.tsv').slice(1)) {
    const [query, passage, score] = line.split('\t');
    if (Number(score) <= 0) continue;
    if (!gold.has(query!)) gold.set(query!, new Map());
    gold.get(query!)!.set(passage!, Number(score));
  }
  const queries = records<{ _id: string; text: string }>('queries.jsonl').filter((query) => gold.has(query._id));
  const candidates = new Map(
    records<{ query_id: string; passage_ids: string[] }>('candidates.jsonl').map((entry) => [entry.query_id, new Set(entry.passage_ids)]),
  );

  const started = performance.now();
  const passages = await encoder.encode(
    corpus.map((passage) => `${passage.title} ${passage.text}`),
    { role: 'passage' },
  );
  const microsecondsPerPassage = (1000 * (performance.now() - started)) / corpus.length;
  const questions = await encoder.encode(
    queries.map((query) => query.text),
    { role: 'query' },
  );

  const sums = { reciprocalRank: 0, ndcg: 0, success: 0, candidateRecall: 0 };
  for (const [index, query] of queries.entries()) {
    const grades = gold.get(query._id)!;
    const scores = passages.vectors.map((vector) => dot(vector, questions.vectors[index]!));
    const order = scores.map((_, passage) => passage).sort((a, b) => scores[b]! - scores[a]! || a - b);
    const ranked = order.map((passage) => corpus[passage]!._id);
    const found = ranked.findIndex((id) => grades.has(id));
    const first = found < 0 ? Number.POSITIVE_INFINITY : found;
    const gain = (list: readonly number[]): number => list.reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
    const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, DEPTH);
    const own = candidates.get(query._id) ?? new Set<string>();
    const ownFound = ranked.slice(0, DEPTH).filter((id) => own.has(id)).length;
    sums.reciprocalRank += 1 / (first + 1);
    sums.ndcg += gain(ranked.slice(0, DEPTH).map((id) => grades.get(id) ?? 0)) / gain(ideal);
    sums.success += first < DEPTH ? 1 : 0;
    sums.candidateRecall += own.size === 0 ? 0 : ownFound / Math.min(DEPTH, own.size);
  }
  const mean = (sum: number): number => sum / queries.length;
  return {
    questions: queries.length,
    passages: corpus.length,
    reciprocalRank: mean(sums.reciprocalRank),
    ndcg: mean(sums.ndcg),
    success: mean(sums.success),
    candidateRecall: mean(sums.candidateRecall),
    microsecondsPerPassage,
  };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string', default: '../shared/data' }, asset: { type: 'string' } },
  });
  const encoder = await loadStaticEncoder(values.asset === undefined ? {} : { bytes: readFileSync(values.asset) });
  const datasets = positionals.length > 0 ? positionals : ['realtimeqa', 'simpleqa', 'ramdocs', 'hotpotqa'];
  console.log('| dataset | questions | passages | MRR | nDCG@10 | gold in ten | recall@10 of own | us a passage |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const dataset of datasets) {
    const quality = await measureEncoder(encoder, join(values.data, dataset));
    const figures = [quality.reciprocalRank, quality.ndcg, quality.success, quality.candidateRecall].map((value) => value.toFixed(3));
    const cells = [dataset, quality.questions, quality.passages, ...figures, quality.microsecondsPerPassage.toFixed(0)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
