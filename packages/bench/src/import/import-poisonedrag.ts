import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { deriveSeed } from '@bezoar/redteam';
import { shuffledPlaces } from '../dataset/irrelevant-passages.ts';
import { openDataset } from '../dataset/open-dataset.ts';
import { indexPassages } from '../dataset/passage-file.ts';
import { quoted } from '../dataset/quoted.ts';
import { printable } from '../layout.ts';
import type { Dataset } from '../types.ts';
import { copyCorpus, qrelsLines } from './copy-corpus.ts';
import type { Imported, ImportSettings } from './import-settings.ts';
import { type PoisonedragTarget, readPoisonedragTargets } from './read-poisonedrag-targets.ts';
import { writeNewFolder } from './write-new-folder.ts';

export interface ImportPoisonedragSettings extends ImportSettings {
  /** The BEIR folder that the targets were made for; a folder with corpus.jsonl alone will do, but then nothing is known to be gold. */
  readonly corpus: string;
  /** Whose qrels are taken, as `openDataset` does. */
  readonly split?: string;
  /** Keep the gold passages and so many others, drawn with the seed; null keeps all. Default null. */
  readonly passages?: number | null;
  readonly seed: number;
}

/**
 * Makes a dataset of PoisonedRAG's targets: their questions with correct and target answer, their texts as misinformation.jsonl, and a corpus
 * with its qrels for these questions.
 *
 * @throws {BezoarError} what `openDataset` throws, `BAD_INPUT` for a fault in the targets, and `INVALID_OPTION` where `out` exists.
 */
export async function importPoisonedrag(path: string, settings: ImportPoisonedragSettings): Promise<Imported> {
  const { corpus, out, limit = Number.POSITIVE_INFINITY, passages = null, seed } = settings;
  return writeNewFolder(out, async (writeLines) => {
    const targets = (await readPoisonedragTargets(path)).slice(0, limit);
    const source = await openSource(settings);
    try {
      const queries = targets.map((target) => ({ id: target.id, gold: goldOf(target, source, corpus) }));
      const kept = passages === null ? null : sample(source.passageCount, queries, passages, seed);
      const written = await writeLines(
        'corpus.jsonl',
        copyCorpus(corpus, (place) => kept === null || kept.has(place), settings),
      );
      await writeLines('queries.jsonl', targets.map(questionLine));
      const gold = queries.reduce((sum, query) => sum + query.gold.size, 0);
      if (gold > 0) await writeLines(join('qrels', 'test.tsv'), qrelsLines(source, queries));
      const wrongTexts = await writeLines('misinformation.jsonl', targets.flatMap(wrongTextLines));
      return { queries: targets.length, passages: written, gold, wrongTexts };
    } finally {
      await source.close();
    }
  });
}

interface Source extends Pick<Dataset, 'passageCount' | 'passages' | 'close'> {
  /** Gold passages by query id; null where the folder holds no questions. */
  readonly gold: ReadonlyMap<string, ReadonlyMap<number, number>> | null;
}

async function openSource({ corpus, split, signal, progress }: ImportPoisonedragSettings): Promise<Source> {
  const path = join(corpus, 'corpus.jsonl');
  // A folder that is none is for openDataset to speak of.
  if (existsSync(path) && !existsSync(join(corpus, 'queries.jsonl'))) {
    const { size } = await stat(path);
    let done = 0;
    const { file } = await indexPassages(path, printable(path), async function* (chunks) {
      for await (const chunk of chunks) {
        if (signal?.aborted) throw new BezoarError('ABORTED', `${printable(corpus)}: aborted`, { cause: signal.reason });
        done += chunk.length;
        progress?.(done, size, 'checking');
        yield chunk;
      }
    });
    return { passageCount: file.count, passages: file.passages, close: file.close, gold: null };
  }
  const dataset = await openDataset(corpus, {
    ...(split === undefined ? {} : { split }),
    ...(signal ? { signal } : {}),
    progress: (done, total) => progress?.(done, total, 'checking'),
  });
  const { passageCount, passages, close } = dataset;
  return { passageCount, passages, close, gold: new Map(dataset.queries.map((query) => [query.id, query.gold])) };
}

function goldOf({ id }: PoisonedragTarget, { gold }: Source, corpus: string): ReadonlyMap<number, number> {
  if (gold === null) return new Map();
  const found = gold.get(id);
  if (found) return found;
  const file = printable(join(corpus, 'queries.jsonl'));
  throw new BezoarError(
    'BAD_INPUT',
    `the target ${quoted(id)} is not among the questions of ${file} that have qrels; give the corpus and the split that the targets were made for, or a corpus without queries.jsonl`,
  );
}

function sample(
  count: number,
  queries: readonly { readonly gold: ReadonlyMap<number, number> }[],
  others: number,
  seed: number,
): ReadonlySet<number> {
  const kept = new Set(queries.flatMap(({ gold }) => [...gold.keys()]));
  const wanted = kept.size + others;
  for (const place of shuffledPlaces(count, deriveSeed(seed, 'import-passages'))) {
    if (kept.size >= wanted) break;
    kept.add(place);
  }
  return kept;
}

const questionLine = ({ id, question, answers, target }: PoisonedragTarget): string =>
  JSON.stringify({ _id: id, text: question, metadata: { answers, target } });

const wrongTextLines = ({ id, target, texts }: PoisonedragTarget): string[] =>
  texts.map((text, index) => JSON.stringify({ _id: `${id}-x${index}`, query_id: id, text, target }));
