import { defineReporter } from '../define-reporter.ts';
import { jsonText } from '../json-text.ts';
import type { BenchResult } from '../types.ts';

/**
 * The log: one typed object a line and nothing lost. `run` comes first and says how many lines of each type follow, then every `question`,
 * `passage` and `pool` (places in them count from 0, in this order), every `cell` with its `query` lines behind it, and every `diagnosis`.
 */
export const jsonl = defineReporter({
  name: 'jsonl',
  summary: 'The whole result as a log: one run, question, passage, pool, cell, query or diagnosis a line.',
  render,
});

function* render({ schemaVersion, run, cells, questions, passages, pools, diagnoses }: BenchResult): Generator<string> {
  const lines = {
    question: questions.length,
    passage: passages.length,
    pool: pools.length,
    cell: cells.length,
    query: cells.reduce((sum, { records }) => sum + records.length, 0),
    diagnosis: diagnoses.length,
  };
  yield line('run', { schemaVersion, lines, run });
  for (const question of questions) yield line('question', question);
  for (const passage of passages) yield line('passage', passage);
  for (const pool of pools) yield line('pool', pool);
  for (const [place, { records, ...cell }] of cells.entries()) {
    yield line('cell', cell);
    for (const record of records) yield line('query', { cell: place, ...record });
  }
  for (const diagnosis of diagnoses) yield line('diagnosis', diagnosis);
}

const line = (type: string, item: object): string => `${jsonText({ type, ...item })}\n`;
