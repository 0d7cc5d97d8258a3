import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { openDataset } from '../dataset/open-dataset.ts';
import { readJsonLines, recordOf } from '../dataset/read-json-lines.ts';
import { printable } from '../layout.ts';
import { copyCorpus, qrelsLines } from './copy-corpus.ts';
import type { Imported, ImportSettings } from './import-settings.ts';
import { writeNewFolder } from './write-new-folder.ts';

export interface ImportBeirSettings extends ImportSettings {
  /** Whose qrels are taken: qrels/SPLIT.tsv. Default `test`. */
  readonly split?: string;
}

/**
 * Checks a BEIR download and writes one split of it: the questions that have a gold passage there, all passages, and the qrels as
 * qrels/test.tsv. Candidates and wrong texts of these questions come along where the folder has them. `metadata.answer`, as HotpotQA's
 * questions have it, becomes `metadata.answers`.
 *
 * @throws {BezoarError} what `openDataset` throws, and `INVALID_OPTION` where `out` exists.
 */
export async function importBeir(folder: string, settings: ImportBeirSettings): Promise<Imported> {
  const { out, split = 'test', limit = Number.POSITIVE_INFINITY, signal, progress } = settings;
  return writeNewFolder(out, async (writeLines) => {
    const dataset = await openDataset(folder, {
      split,
      ...(signal ? { signal } : {}),
      progress: (done, total) => progress?.(done, total, 'checking'),
    });
    try {
      const queries = dataset.queries.filter(({ gold }) => gold.size > 0).slice(0, limit);
      if (queries.length === 0) {
        const qrels = printable(join(folder, 'qrels', `${split}.tsv`));
        throw new BezoarError('BAD_INPUT', `${qrels} names no gold passage of any question; take another split`);
      }
      const kept = new Set(queries.map(({ id }) => id));
      const passages = await writeLines(
        'corpus.jsonl',
        copyCorpus(folder, () => true, settings),
      );
      await writeLines('queries.jsonl', questionLines(folder, kept));
      const gold = (await writeLines(join('qrels', 'test.tsv'), qrelsLines(dataset, queries))) - 1;
      if (dataset.hasCandidates) await writeLines('candidates.jsonl', linesOf(folder, 'candidates.jsonl', kept));
      const wrongTexts = dataset.hasWrongTexts
        ? await writeLines('misinformation.jsonl', linesOf(folder, 'misinformation.jsonl', kept))
        : 0;
      return { queries: queries.length, passages, gold, wrongTexts };
    } finally {
      await dataset.close();
    }
  });
}

async function* questionLines(folder: string, kept: ReadonlySet<string>): AsyncGenerator<string> {
  for await (const line of readJsonLines(join(folder, 'queries.jsonl'), 'queries.jsonl')) {
    const { _id, text, metadata } = recordOf(line) as { _id: string; text: string; metadata?: Record<string, unknown> | null };
    if (!kept.has(_id)) continue;
    const answers = metadata?.answers ?? (typeof metadata?.answer === 'string' ? [metadata.answer] : []);
    yield JSON.stringify({ _id, text, metadata: { ...metadata, answers } });
  }
}

/** The lines about these questions. */
async function* linesOf(folder: string, name: string, kept: ReadonlySet<string>): AsyncGenerator<string> {
  for await (const line of readJsonLines(join(folder, name), name)) {
    if (kept.has(recordOf(line).query_id as string)) yield JSON.stringify(line.value);
  }
}
