import { rm, stat } from 'node:fs/promises';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BenchPart, type BenchResult, REPORTERS, readSuite, runBench } from '@bezoar/bench';
import { fileFault } from '@bezoar/bench/file-fault';
import { BezoarError, type JsonObject } from '@bezoar/core';
import { createProgress } from '../progress.ts';
import { formatOf } from '../report-format.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface BenchOptions extends CommonOptions {
  readonly dataset?: readonly string[];
  readonly attack?: readonly string[];
  readonly defense?: readonly string[];
  readonly encoder?: readonly string[];
  readonly suite?: string;
  readonly retriever?: string;
  readonly pool?: number;
  readonly keep?: number;
  readonly poisons?: readonly number[];
  readonly placement?: readonly string[];
  readonly passageText?: string;
  readonly shortPools?: boolean;
  readonly keepDuplicates?: boolean;
  readonly isolated?: boolean;
  readonly limit?: number;
  readonly repeats?: number;
  readonly sweep?: readonly string[];
  readonly diagnose?: boolean;
  readonly workers?: number;
  /** false with --no-cache. */
  readonly cache?: string | false;
  readonly trec?: string;
  readonly format?: string;
  readonly out: string;
}

/** Measures, writes the report, and says when there was nothing to measure. */
export async function bench(options: BenchOptions, terminal: Terminal, log: Log): Promise<number> {
  const format = formatOf(options.format, options.out, 'table');
  if (!options.dataset?.length) throw new BezoarError('INVALID_OPTION', 'no dataset is given; name a BEIR folder with --dataset');
  const suite = options.suite === undefined ? null : await readSuite(options.suite, terminal.cwd);
  const progress = createProgress(terminal, options);
  const journal = await journalOf(options.out, terminal);
  const baseUrl = terminal.env.OPENAI_BASE_URL || 'https://api.openai.com/v1';
  const apiKey = terminal.env.OPENAI_API_KEY;
  const result = await runBench(
    {
      datasets: options.dataset.map((folder) => resolve(terminal.cwd, folder)),
      parts: suite ? suite.parts.map((part) => ({ ...part, ...given(options) })) : [partOf(options)],
      seed: options.seed ?? 0,
      diagnose: options.diagnose ?? false,
      suite: suite && { name: suite.name, title: suite.title, differs: suite.differs },
      asked: asked(options),
    },
    {
      cacheDir: cacheDir(options, terminal),
      openai: { baseUrl, ...(apiKey ? { apiKey } : {}) },
      workers: options.workers ?? availableParallelism(),
      ...(journal === null ? {} : { journal }),
      ...(options.trec === undefined ? {} : { trecDir: resolve(terminal.cwd, options.trec) }),
      progress: ({ done, total, what }) => progress.update(done, total, what),
    },
  ).finally(() => progress.end());
  await withOutput(options.out, terminal, async ({ write }) => {
    const settings = { columns: terminal.columns, colour: terminal.colour && options.out === '-' };
    for (const piece of REPORTERS[format]!.render(result, settings)) if (!(await write(piece))) break;
  });
  if (journal !== null) await rm(journal, { force: true });
  return assessed(result) ? EXIT.done : nothing(result, log);
}

/** Where work is kept until the result is written; nothing is kept for standard output, a device or a pipe. */
async function journalOf(out: string, terminal: Terminal): Promise<string | null> {
  if (out === '-') return null;
  const place = resolve(terminal.cwd, out);
  const there = await stat(place).catch(() => null);
  // Said before hours of work, not after them.
  if (there?.isDirectory()) throw fileFault({ code: 'EISDIR' }, out);
  return there === null || there.isFile() ? `${place}.partial` : null;
}

const DEFAULT_ATTACKS = ['poisonedrag'];
const DEFAULT_DEFENSES = ['none', 'standard'];

function partOf(options: BenchOptions): BenchPart {
  return { attacks: DEFAULT_ATTACKS, defenses: DEFAULT_DEFENSES, ...given(options) };
}

/** What the command line says of a part; in a suite it replaces what the suite says. */
function given(options: BenchOptions): Partial<BenchPart> {
  const part = {
    attacks: options.attack,
    defenses: options.defense,
    encoders: options.encoder,
    retriever: options.retriever,
    pool: options.pool,
    keep: options.keep,
    poisons: options.poisons,
    placements: options.placement,
    passageText: options.passageText,
    shortPools: options.shortPools,
    keepDuplicates: options.keepDuplicates,
    isolated: options.isolated,
    limit: options.limit,
    repeats: options.repeats,
    sweep: options.sweep && Object.fromEntries(options.sweep.map(sweepOf)),
  };
  // The bench checks each value and says what it expects; the command line only passes them on.
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Partial<BenchPart>;
}

function sweepOf(text: string): [string, string[]] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new BezoarError('INVALID_OPTION', `--sweep ${JSON.stringify(text.slice(0, 80))}: write name=a,b,c`);
  return [text.slice(0, equals), text.slice(equals + 1).split(',')];
}

/** What the result says was asked for; folders stay out of it, since results are shared. */
function asked({
  dataset: _,
  out: _out,
  quiet: _quiet,
  logLevel: _level,
  workers: _workers,
  cache: _cache,
  trec: _trec,
  format: _format,
  ...rest
}: BenchOptions): JsonObject {
  return rest as JsonObject;
}

function cacheDir(options: BenchOptions, terminal: Terminal): string | null {
  if (options.cache === false) return null;
  if (options.cache !== undefined) return resolve(terminal.cwd, options.cache);
  return join(terminal.env.XDG_CACHE_HOME || join(terminal.env.HOME || homedir(), '.cache'), 'bezoar');
}

const assessed = ({ cells }: BenchResult): boolean => cells.some(({ outcomes }) => outcomes.breached + outcomes.resisted > 0);

function nothing({ cells }: BenchResult, log: Log): number {
  const why = new Map<string, number>();
  for (const { records } of cells)
    for (const record of records) if (record.why !== null) why.set(record.why, (why.get(record.why) ?? 0) + 1);
  const reasons = [...why].map(([reason, count]) => `${reason} ${count} times`).join(', ');
  log(
    'error',
    `nothing could be assessed${reasons === '' ? ': there are no questions' : ` (${reasons})`}; bezoar bench --help names what a dataset needs`,
  );
  return EXIT.unusable;
}
