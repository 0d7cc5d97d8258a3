import { basename, resolve } from 'node:path';
import { BezoarError, type Defense, type JsonObject, passageText } from '@bezoar/core';
import { tokenizeWords } from '@bezoar/core/kernels/tokenize-words';
import { type BenchPart, type PlannedCell, planCells } from './bench-settings.ts';
import { openDataset } from './dataset/open-dataset.ts';
import { targetsOf } from './dataset/targets-of.ts';
import { diagnosePools } from './diagnose/diagnose-pools.ts';
import { type Journal, openJournal } from './journal.ts';
import type { MeasuredCell } from './measure-cell.ts';
import { type BenchModels, type CorpusWords, encoderMaker, type Scenario } from './measurer.ts';
import { preparePools } from './prepare-pools.ts';
import { ResultTables } from './result-tables.ts';
import { summarizeCell } from './summarize-cell.ts';
import type { BenchResult, Dataset, Diagnosis, PoolSettings, ResultCell } from './types.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';
import { writeTrec } from './write-trec.ts';

/** Verdicts are kept for so many breached questions of a cell: enough to look at, and no more to store. */
const VERDICTS_KEPT = 10;
/** Scenarios whose cells may wait while the next one's pools are made. */
const AHEAD = 2;

export interface BenchSettings {
  /** BEIR folders. */
  readonly datasets: readonly string[];
  readonly parts: readonly BenchPart[];
  /** Default: 0. */
  readonly seed?: number;
  /** Adds similarities and combinations of poisoned and clean passages, for plots. */
  readonly diagnose?: boolean;
  readonly suite?: BenchResult['run']['suite'];
  /** What the result says was asked for. */
  readonly asked?: JsonObject;
}

export interface BenchProgress {
  readonly done: number;
  readonly total: number;
  /** What is being done now. */
  readonly what: string;
}

export interface BenchSurroundings extends BenchModels {
  /** Threads; default 1. */
  readonly workers?: number;
  /** A file that finished work is written to and resumed from; whoever has the result on disk removes it. */
  readonly journal?: string;
  readonly signal?: AbortSignal | null;
  readonly progress?: (progress: BenchProgress) => void;
  /** A folder for TREC files: qrels for each dataset, a run for each cell. */
  readonly trecDir?: string;
  /** ISO 8601; default: now. */
  readonly startedAt?: string;
}

/** Package version in results and journals. */
const VERSION = '0.1.0';

/**
 * Measures defenses against attacks on BEIR folders. The same settings and data give the same result on every machine, but for the time it
 * started and the latency metrics; with a journal a run that was killed resumes to that very result.
 *
 * Labels stay here: an attack gives texts, a defense is given passages under opaque ids, and only the result joins them.
 *
 * @throws {BezoarError} `INVALID_OPTION`, `UNKNOWN_NAME` for settings; `BAD_INPUT`, `NOT_FOUND` for data, with file, line and field; `ABORTED`.
 *
 * Cost: for each scenario one retrieval, then two runs of every defense a question and 40 for the self-checks.
 */
export async function runBench(settings: BenchSettings, surroundings: BenchSurroundings): Promise<BenchResult> {
  const startedAt = surroundings.startedAt ?? new Date().toISOString();
  const seed = settings.seed ?? 0;
  const datasets: Dataset[] = [];
  const { cacheDir, openai } = surroundings;
  const workers = createWorkerPool(surroundings.workers ?? 1, { cacheDir, ...(openai ? { openai } : {}) });
  let journal: Journal<MeasuredCell | Diagnosis> | null = null;
  try {
    const names = new Set<string>();
    for (const folder of settings.datasets) {
      const name = basename(resolve(folder));
      if (names.has(name))
        throw new BezoarError(
          'INVALID_OPTION',
          `two datasets are called ${JSON.stringify(name)}; give each once, in folders of different names`,
        );
      names.add(name);
      const told = surroundings.progress;
      datasets.push(
        await openDataset(folder, {
          ...(surroundings.signal ? { signal: surroundings.signal } : {}),
          ...(told ? { progress: (done: number, total: number) => told({ done, total, what: `reading ${name}` }) } : {}),
        }),
      );
    }
    const plan = datasets.flatMap((dataset, place) =>
      settings.parts.flatMap((part) =>
        planCells(part, dataset, seed).map((cell) => ({ dataset, folder: settings.datasets[place]!, cell, own: ownDefense(part, cell) })),
      ),
    );
    const identity = {
      version: VERSION,
      cells: plan.map(({ cell }) => cell.settings),
      datasets: datasets.map(({ name, fingerprint }) => [name, fingerprint]),
      diagnose: settings.diagnose ?? false,
      seed,
    };
    journal = surroundings.journal === undefined ? null : await openJournal(surroundings.journal, identity);
    const bench = new Bench(surroundings, workers, journal, countUnits(plan), settings.diagnose ?? false);
    const { cells, diagnoses, tables } = await bench.run(plan);
    const result: BenchResult = {
      schemaVersion: 1,
      run: {
        seed,
        versions: { bezoar: VERSION, node: process.versions.node },
        environment: { platform: process.platform, arch: process.arch },
        startedAt,
        suite: settings.suite ?? null,
        datasets: datasets.map(({ name, fingerprint, queries, passageCount }) => ({
          name,
          fingerprint,
          queries: queries.length,
          passages: passageCount,
        })),
        verdictsKept: VERDICTS_KEPT,
        settings: settings.asked ?? {},
      },
      cells,
      ...tables.content(),
      diagnoses,
    };
    if (surroundings.trecDir !== undefined) await writeTrec(result, datasets, surroundings.trecDir);
    return result;
  } finally {
    await workers.close();
    await Promise.all(datasets.map((dataset) => dataset.close()));
    await journal?.close();
  }
}

interface Planned {
  readonly dataset: Dataset;
  readonly folder: string;
  readonly cell: PlannedCell;
  /** A defense that is no SPEC. */
  readonly own: Defense | null;
}

const ownDefense = (part: BenchPart, { settings }: PlannedCell): Defense | null =>
  (part.defenses.find((defense) => typeof defense !== 'string' && defense.spec === settings.defense) as Defense | undefined) ?? null;

const countUnits = (plan: readonly Planned[]): number => plan.reduce((sum, { cell }) => sum + cell.settings.seeds.length, 0);

/** What decides the pools of a cell under one seed: cells that share it are measured on the very same passages. */
function scenarioOf({ settings, encoderRetrieves }: PlannedCell, seed: number): { readonly key: string; readonly pools: PoolSettings } {
  const { retriever, pool, poisons, placement, passageText, shortPools, keepDuplicates, isolated, limit } = settings;
  const pools: PoolSettings = { retriever, pool, poisons, placement, passageText, shortPools, keepDuplicates, isolated, limit, seed };
  return { pools, key: JSON.stringify([settings.dataset, settings.attack, encoderRetrieves ? settings.encoder : null, pools]) };
}

interface Measured {
  readonly seed: number;
  readonly scenario: string;
  readonly measured: MeasuredCell;
}

class Bench {
  readonly #surroundings: BenchSurroundings;
  readonly #workers: WorkerPool;
  readonly #journal: Journal<MeasuredCell | Diagnosis> | null;
  readonly #total: number;
  readonly #diagnose: boolean;
  readonly #encoder: ReturnType<typeof encoderMaker>;
  #done = 0;

  constructor(
    surroundings: BenchSurroundings,
    workers: WorkerPool,
    journal: Journal<MeasuredCell | Diagnosis> | null,
    total: number,
    diagnose: boolean,
  ) {
    this.#surroundings = surroundings;
    this.#workers = workers;
    this.#journal = journal;
    this.#total = total;
    this.#diagnose = diagnose;
    this.#encoder = encoderMaker(surroundings);
  }

  async run(plan: readonly Planned[]): Promise<{ cells: ResultCell[]; diagnoses: Diagnosis[]; tables: ResultTables }> {
    const tables = new ResultTables();
    const measured: Measured[][] = plan.map(() => []);
    const diagnoses: Diagnosis[] = [];
    const targets = new Map<Dataset, ReturnType<typeof targetsOf>>();
    // Cells by scenario, in the order in which the plan first needs each.
    const scenarios = new Map<string, { readonly first: Planned; readonly seed: number; readonly cells: number[] }>();
    for (const [index, planned] of plan.entries()) {
      for (const seed of planned.cell.settings.seeds) {
        const { key } = scenarioOf(planned.cell, seed);
        const scenario = scenarios.get(key) ?? { first: planned, seed, cells: [] };
        scenario.cells.push(index);
        scenarios.set(key, scenario);
      }
    }
    const words = new Map<string, CorpusWords>();
    const running: Promise<unknown>[] = [];
    let failure: unknown = null;
    for (const [key, { first, seed, cells }] of scenarios) {
      if (failure !== null) break;
      const { dataset, cell } = first;
      if (!targets.has(dataset)) targets.set(dataset, targetsOf(dataset, seed));
      const { pools } = scenarioOf(cell, seed);
      const encoder = cell.encoderRetrieves && cell.settings.encoder !== null ? await this.#encoder(cell.settings.encoder) : null;
      this.#report(`pools for ${cell.settings.attack} on ${dataset.name}`);
      const questions = await preparePools(dataset, cell.attack, pools, {
        encoder,
        cacheDir: this.#surroundings.cacheDir,
        signal: this.#surroundings.signal ?? null,
        targets: targets.get(dataset)!.targets,
        progress: (_done, _total, what) => this.#report(what),
      });
      const wordsOf = JSON.stringify([dataset.name, pools.passageText]);
      if (cells.some((index) => asksForWords(plan[index]!.cell)) && !words.has(wordsOf))
        words.set(wordsOf, await corpusWords(dataset, pools.passageText));
      const scenario: Scenario = { key, questions, folder: first.folder, words: words.get(wordsOf) ?? null };
      tables.addScenario(key, dataset, targets.get(dataset)!.targets, questions);
      if (this.#diagnose)
        diagnoses.push(
          ...(await this.#diagnosesOf(
            cells.map((index) => plan[index]!.cell),
            key,
            questions,
            seed,
          )),
        );
      for (const index of cells) {
        const work = this.#measure(plan[index]!, scenario, seed).then((result) =>
          measured[index]!.push({ seed, scenario: key, measured: result }),
        );
        running.push(
          work.catch((error: unknown) => {
            failure ??= error;
          }),
        );
      }
      // The pools of the next scenario are made while the threads are at this one, but not those of all.
      if (running.length > 0 && this.#workers.size > 1) await Promise.all(running.slice(0, -AHEAD * Math.max(1, cells.length)));
      else await Promise.all(running);
    }
    await Promise.all(running);
    if (failure !== null) throw failure;
    const made = ({ dataset, cell }: Planned): boolean =>
      targets.get(dataset)!.made && (cell.attack?.needs.some((need) => need === 'wrong-texts' || need === 'target-answer') ?? false);
    return {
      cells: plan.map((planned, index) =>
        summarizeCell(
          planned.cell.settings,
          measured[index]!.sort((a, b) => a.seed - b.seed),
          tables,
          made(planned),
        ),
      ),
      diagnoses,
      tables,
    };
  }

  async #measure({ cell, own }: Planned, scenario: Scenario, seed: number): Promise<MeasuredCell> {
    const key = JSON.stringify([cell.settings, seed]);
    const known = this.#journal?.done.get(key) as MeasuredCell | undefined;
    if (this.#surroundings.signal?.aborted)
      throw new BezoarError('ABORTED', 'the caller aborted the run', { cause: this.#surroundings.signal.reason });
    const measured =
      known ??
      (await this.#workers.measure(
        scenario,
        { scenario: scenario.key, settings: cell.settings, seed, verdictsKept: VERDICTS_KEPT },
        own ?? undefined,
      ));
    if (!known) await this.#journal?.append(key, measured);
    this.#done += 1;
    this.#report(`${cell.settings.defense} against ${cell.settings.attack} on ${cell.settings.dataset}`);
    return measured;
  }

  /** One diagnosis for each encoder that a cell of the scenario is measured with. */
  async #diagnosesOf(
    cells: readonly PlannedCell[],
    scenario: string,
    questions: Scenario['questions'],
    seed: number,
  ): Promise<Diagnosis[]> {
    const found: Diagnosis[] = [];
    const encoders = new Set(
      cells.flatMap(({ settings }) => (settings.encoder === null || settings.attack === 'none' ? [] : [settings.encoder])),
    );
    for (const spec of encoders) {
      const { dataset, attack, poisons, passageText } = cells[0]!.settings;
      const key = JSON.stringify(['diagnosis', scenario, spec]);
      const known = this.#journal?.done.get(key) as Diagnosis | undefined;
      this.#report(`similarities of ${attack} on ${dataset}`);
      const diagnosis =
        known ?? (await diagnosePools(questions, { dataset, attack, poisons, passageText, seed }, await this.#encoder(spec)));
      if (!known) await this.#journal?.append(key, diagnosis);
      found.push(diagnosis);
    }
    return found;
  }

  #report(what: string): void {
    this.#surroundings.progress?.({ done: this.#done, total: this.#total, what });
  }
}

const asksForWords = ({ policy }: PlannedCell): boolean => policy.stages.some(({ spec }) => spec.includes('statistics=corpus'));

async function corpusWords(dataset: Dataset, what: PoolSettings['passageText']): Promise<CorpusWords> {
  const frequency = new Map<string, number>();
  let words = 0;
  for await (const { passages } of dataset.batches(1000)) {
    for (const passage of passages) {
      const tokens = tokenizeWords(passageText(passage, what));
      words += tokens.length;
      for (const token of new Set(tokens)) frequency.set(token, (frequency.get(token) ?? 0) + 1);
    }
  }
  return { documents: dataset.passageCount, averageLength: words / dataset.passageCount, frequency };
}
