import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRetrieval, type PassageInput } from '../packages/core/src/core/create-retrieval.ts';
import { defend } from '../packages/core/src/core/defend.ts';
import { definePolicy } from '../packages/core/src/core/define-policy.ts';
import { grada } from '../packages/core/src/defenses/grada.ts';
import { none } from '../packages/core/src/defenses/none.ts';
import type { Defense } from '../packages/core/src/types.ts';
import { hasShared, sharedPath } from './shared-data.ts';

interface CorpusLine {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

interface Question {
  readonly text: string;
  readonly candidates: readonly CorpusLine[];
  readonly wrongTexts: readonly string[];
}

const lines = <T>(path: string): T[] =>
  readFileSync(sharedPath(path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

function questions(dataset: string): Question[] {
  const corpus = new Map(lines<CorpusLine>(`data/${dataset}/corpus.jsonl`).map((passage) => [passage._id, passage]));
  const candidates = new Map(
    lines<{ query_id: string; passage_ids: string[] }>(`data/${dataset}/candidates.jsonl`).map((row) => [row.query_id, row.passage_ids]),
  );
  const wrong = lines<{ query_id: string; text: string }>(`data/${dataset}/misinformation.jsonl`);
  return lines<CorpusLine>(`data/${dataset}/queries.jsonl`).map(({ _id, text }) => ({
    text,
    candidates: candidates.get(_id)!.map((id) => corpus.get(id)!),
    wrongTexts: wrong.filter((row) => row.query_id === _id).map((row) => row.text),
  }));
}

/** Passages whose text, title included, repeats an earlier one, whitespace aside, count once. */
function distinct(passages: readonly CorpusLine[]): CorpusLine[] {
  const seen = new Set<string>();
  return passages.filter(({ title, text }) => {
    const key = `${title}\n${text}`.trim().replace(/\s+/g, ' ');
    return !seen.has(key) && seen.add(key);
  });
}

/** How many of the poisoned passages, ranked first, are among the five that go on. */
async function poisonsKept(question: Question, clean: readonly CorpusLine[], poisons: number, defense: Defense): Promise<number> {
  const planted: PassageInput[] = question.wrongTexts
    .slice(0, poisons)
    .map((text, index) => ({ id: `planted-${index}`, text: `${question.text}.${text}` }));
  const passages = [...planted, ...clean.map(({ _id, title, text }) => ({ id: _id, text, ...(title ? { title } : {}) }))];
  const result = await defend(createRetrieval(question.text, passages), definePolicy({ stages: [defense], keep: 5, budgetMs: null }));
  expect(result.passages).toHaveLength(5);
  return result.passages.filter(({ id }) => id.startsWith('planted-')).length;
}

const bm25 = { weights: 'bm25' } as const;
const hybrid = { weights: 'hybrid' } as const;

describe.skipIf(!hasShared)('one PoisonedRAG text first among ten, five go on: it stays', () => {
  const rows: [string, Defense, string, number, number][] = [
    ['none', none(), 'realtimeqa', 100, 100],
    ['grada?weights=bm25', grada(bm25), 'realtimeqa', 55, 100],
    ['grada?weights=hybrid', grada(hybrid), 'realtimeqa', 5, 100],
    // 1.000, 0.911 and 0.187 of 225 questions
    ['none', none(), 'simpleqa', 225, 225],
    ['grada?weights=bm25', grada(bm25), 'simpleqa', 205, 225],
    ['grada?weights=hybrid', grada(hybrid), 'simpleqa', 42, 225],
  ];
  it.each(rows)('%s on %3$s: %4$i of %5$i questions', async (_, defense, dataset, stays, of) => {
    let assessed = 0;
    let poisoned = 0;
    for (const question of questions(dataset)) {
      const clean = distinct(question.candidates).slice(0, 9);
      if (clean.length < 9) continue;
      assessed++;
      poisoned += await poisonsKept(question, clean, 1, defense);
    }
    expect([poisoned, assessed]).toEqual([stays, of]);
  });
});

describe.skipIf(!hasShared)('mean poisons among the five of ten, duplicates left in (realtimeqa)', () => {
  const off = { collapseDuplicates: false } as const;
  const rows: [string, Defense, number, number][] = [
    ['none', none(), 1, 1],
    ['grada?weights=bm25', grada({ ...bm25, ...off }), 1, 0.53],
    ['grada?weights=hybrid', grada({ ...hybrid, ...off }), 1, 0.05],
    ['none', none(), 2, 2],
    ['grada?weights=bm25', grada({ ...bm25, ...off }), 2, 1.41],
    ['grada?weights=hybrid', grada({ ...hybrid, ...off }), 2, 0.45],
    ['none', none(), 5, 5],
    ['grada?weights=bm25', grada({ ...bm25, ...off }), 5, 4.74],
    ['grada?weights=hybrid', grada({ ...hybrid, ...off }), 5, 3.73],
  ];
  it.each(rows)('%s, %3$i planted: %4$f', async (_, defense, poisons, mean) => {
    let kept = 0;
    const all = questions('realtimeqa');
    for (const question of all) kept += await poisonsKept(question, question.candidates.slice(0, 10 - poisons), poisons, defense);
    expect(kept / all.length).toBeCloseTo(mean, 10);
  });
});
