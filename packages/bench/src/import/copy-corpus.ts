import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { readJsonLines, recordOf } from '../dataset/read-json-lines.ts';
import { printable } from '../layout.ts';
import type { Dataset, DatasetQuery } from '../types.ts';
import type { ImportSettings } from './import-settings.ts';

/** Lines of corpus.jsonl in our layout, of the passages whose place is wanted; the corpus has been checked before. */
export async function* copyCorpus(
  folder: string,
  wanted: (place: number) => boolean,
  { signal, progress }: Pick<ImportSettings, 'signal' | 'progress'>,
): AsyncGenerator<string> {
  const path = join(folder, 'corpus.jsonl');
  const { size } = await stat(path);
  let place = 0;
  for await (const line of readJsonLines(path, printable(path))) {
    if (signal?.aborted) throw new BezoarError('ABORTED', `${printable(folder)}: aborted`, { cause: signal.reason });
    if (place % 1000 === 0) progress?.(line.offset, size, 'writing');
    const { _id, title, text, metadata } = recordOf(line);
    if (wanted(place)) yield JSON.stringify({ _id, title: title ?? '', text, metadata: metadata ?? {} });
    place += 1;
  }
  progress?.(size, size, 'writing');
}

/** Gold passages looked up together. */
const BATCH = 1000;

/** Lines of qrels/test.tsv: the head, and the gold passages of these queries. */
export async function* qrelsLines(
  dataset: Pick<Dataset, 'passages'>,
  queries: readonly Pick<DatasetQuery, 'id' | 'gold'>[],
): AsyncGenerator<string> {
  yield 'query-id\tcorpus-id\tscore';
  const rows = queries.flatMap(({ id, gold }) => [...gold].map(([place, grade]) => ({ id, place, grade })));
  for (let from = 0; from < rows.length; from += BATCH) {
    const some = rows.slice(from, from + BATCH);
    const passages = await dataset.passages(some.map(({ place }) => place));
    for (const [index, { id, grade }] of some.entries()) yield `${id}\t${passages[index]!.id}\t${grade}`;
  }
}
