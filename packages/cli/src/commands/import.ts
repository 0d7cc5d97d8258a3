import { basename, resolve } from 'node:path';
import { type Imported, type ImportSettings, importBeir, importPoisonedrag } from '@bezoar/bench';
import { printable } from '@bezoar/bench/layout';
import { BezoarError } from '@bezoar/core/errors';
import { createProgress } from '../progress.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import { paint, type Terminal } from '../terminal.ts';

export type ImportFormat = 'beir' | 'poisonedrag';

export interface ImportOptions extends CommonOptions {
  readonly out: string;
  readonly split?: string;
  readonly limit?: number;
  readonly corpus?: string;
  readonly passages?: number;
}

/** Makes a dataset of ours out of a BEIR download or of PoisonedRAG's targets. */
export async function importDataset(
  format: ImportFormat,
  source: string,
  options: ImportOptions,
  terminal: Terminal,
  log: Log,
): Promise<number> {
  const place = (path: string): string => resolve(terminal.cwd, path);
  const { corpus, split, limit, passages, seed = 0 } = options;
  const progress = createProgress(terminal, options);
  const settings: ImportSettings & { readonly split?: string } = {
    out: place(options.out),
    ...(split === undefined ? {} : { split }),
    ...(limit === undefined ? {} : { limit }),
    progress: progress.update,
  };
  let made: Imported;
  try {
    if (format === 'beir') {
      if (corpus !== undefined || passages !== undefined)
        throw new BezoarError(
          'INVALID_OPTION',
          '--corpus and --passages are for bezoar import poisonedrag; a BEIR folder holds its corpus',
        );
      made = await importBeir(place(source), settings);
    } else {
      if (corpus === undefined) {
        throw new BezoarError(
          'INVALID_OPTION',
          'a target file holds questions and texts but no passages; name the BEIR folder it was made for with --corpus FOLDER',
        );
      }
      made = await importPoisonedrag(place(source), { ...settings, corpus: place(corpus), passages: passages ?? null, seed });
    }
  } finally {
    progress.end();
  }
  const count = (number: number, what: string): string => `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
  const parts = [count(made.queries, 'question'), count(made.passages, 'passage'), count(made.gold, 'gold label')];
  if (made.wrongTexts > 0) parts.push(count(made.wrongTexts, 'wrong text'));
  const out = printable(options.out);
  await terminal.write(`${paint(terminal, 'bold', printable(basename(place(options.out))))}: ${parts.join(', ')}\nwritten to ${out}\n`);
  if (made.gold === 0) log('warn', 'no passage is known to be gold, so no metric of utility can be assessed');
  log('info', `measure on it with: bezoar bench --dataset ${out}`);
  return EXIT.done;
}
