import { basename, dirname, resolve } from 'node:path';
import { drawIrrelevant, openDataset, targetsOf } from '@bezoar/bench';
import { BezoarError } from '@bezoar/core';
import { attackFromSpec, plantPoison, type Uncraftable } from '@bezoar/redteam';
import { jsonLine } from '../json-line.ts';
import { makeEncoder } from '../make-models.ts';
import { createProgress } from '../progress.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface AttackOptions extends CommonOptions {
  readonly attack: string;
  readonly dataset: string;
  readonly encoder: string;
  readonly poisons: number;
  readonly limit?: number;
  readonly out: string;
}

/** What a dataset reads: poison is never written over it. */
const DATASET_FILES = ['corpus.jsonl', 'queries.jsonl', 'candidates.jsonl', 'misinformation.jsonl'];

/**
 * Writes poisoned passages for the questions of a dataset, ready to be appended to a copy of its corpus, and beside them, in a file of their
 * own, the labels. The same passages under the same ids as a bench with that seed plants. Both files appear when they are whole, the labels
 * first.
 */
export async function attackDataset(options: AttackOptions, terminal: Terminal, log: Log): Promise<number> {
  const { seed = 0, poisons, limit = Number.POSITIVE_INFINITY } = options;
  const attack = attackFromSpec(options.attack);
  const folder = resolve(terminal.cwd, options.dataset);
  checkOut(options.out, folder, terminal);
  const encoder = attack.needs.includes('embeddings') ? await makeEncoder(options.encoder, terminal) : null;
  const progress = createProgress(terminal, options);
  const dataset = await openDataset(folder, { progress: (done, total) => progress.update(done, total, 'reading the dataset') }).finally(
    progress.end,
  );
  try {
    const { targets, made } = targetsOf(dataset, seed);
    if (made && attack.needs.some((need) => need === 'wrong-texts' || need === 'target-answer'))
      log('warn', 'the dataset has no misinformation.jsonl: target answers and wrong texts are made from templates');
    const queries = dataset.queries.slice(0, limit);
    const left = new Map<Uncraftable, number>();
    let texts = 0;
    // The inner file is put in place first: no poison without its labels.
    const writing = withOutput(options.out, terminal, (corpus) =>
      withOutput(labelsFile(options.out), terminal, async (labels) => {
        for (const [index, query] of queries.entries()) {
          const crafted = await attack.craft(targets.get(query.id)!, {
            seed,
            count: poisons,
            allowFewer: false,
            drawPassages: (count) => drawIrrelevant(dataset, query, count, seed),
            encoder,
            signal: null,
          });
          progress.update(index + 1, queries.length, 'crafting');
          if (typeof crafted === 'string') {
            left.set(crafted, (left.get(crafted) ?? 0) + 1);
            continue;
          }
          const { passages } = plantPoison(crafted, { queryId: query.id, attack: attack.spec, seed });
          for (const [place, { id, title = '', text }] of passages.entries()) {
            const { spans } = crafted.texts[place]!;
            await corpus.write(jsonLine({ _id: id, title, text, metadata: {} }, `a passage for ${query.id}`));
            const label = { _id: id, query_id: query.id, attack: attack.spec, target: crafted.targetAnswer, spans };
            await labels.write(jsonLine(label, `a label for ${query.id}`));
          }
          texts += passages.length;
        }
        if (texts === 0) throw new BezoarError('BAD_INPUT', `no question can be attacked: ${whyNot(left, poisons) || 'there is none'}`);
      }),
    );
    await writing.finally(progress.end);
    const attacked = queries.length - sum(left);
    if (left.size > 0) log('warn', `${sum(left)} of ${queries.length} questions could not be attacked: ${whyNot(left, poisons)}`);
    log('info', `${texts} poisoned passages for ${attacked} questions in ${options.out}, labels in ${labelsFile(options.out)}`);
    log('info', 'append them to a copy of the corpus, never to one that others read');
    return EXIT.done;
  } finally {
    await dataset.close();
  }
}

const labelsFile = (out: string): string => `${out.replace(/\.jsonl$/, '')}.labels.jsonl`;

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);

const WHY: Readonly<Record<Uncraftable, (count: number) => string>> = {
  'too-few-wrong-texts': (count) => (count === 1 ? 'no wrong text' : `fewer than ${count} wrong texts`),
  'no-target-answer': () => 'no target answer',
  'too-few-passages': (count) => `fewer than ${count} passages on something else in the corpus`,
};

const whyNot = (left: ReadonlyMap<Uncraftable, number>, poisons: number): string =>
  [...left].map(([code, count]) => `${count} with ${WHY[code](poisons)} (${code})`).join(', ');

function checkOut(out: string, folder: string, terminal: Terminal): void {
  const place = resolve(terminal.cwd, out);
  const fault =
    out === '-'
      ? 'labels are written beside it, so it must be a file'
      : dirname(place) === folder && DATASET_FILES.includes(basename(place))
        ? `${basename(place)} is the dataset's own; name another file`
        : null;
  if (fault !== null) throw new BezoarError('INVALID_OPTION', `--out: ${fault}`, { details: { field: 'out' } });
}
