import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFault } from './file-fault.ts';
import { type Ranking, trecQrels, trecRun } from './trec-run.ts';
import type { BenchResult, Dataset, ResultCell } from './types.ts';

/**
 * Writes what trec_eval needs to check the utility metrics: `DATASET.qrels`, and for each cell (and seed) a run of its final contexts, numbered in
 * the result's order. A run says in its tag what it is: dataset, attack, poisons, defense, encoder.
 *
 * @throws {BezoarError} `NOT_FOUND` when the folder cannot be written.
 */
export async function writeTrec(result: BenchResult, datasets: readonly Dataset[], folder: string): Promise<void> {
  const put = async (name: string, lines: readonly string[]): Promise<void> => {
    await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join('')).catch((error: unknown) => {
      throw fileFault(error, join(folder, name));
    });
  };
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fileFault(error, folder);
  });
  for (const dataset of datasets) {
    const lines: string[] = [];
    const limits = result.cells.filter((cell) => cell.dataset === dataset.name).map(({ limit }) => limit ?? Number.POSITIVE_INFINITY);
    for await (const line of trecQrels(dataset, Math.max(0, ...limits))) lines.push(line);
    await put(`${dataset.name}.qrels`, lines);
  }
  for (const [index, cell] of result.cells.entries()) {
    const number = String(index + 1).padStart(4, '0');
    const tag = [cell.dataset, cell.attack, cell.poisons, cell.placement, cell.defense, cell.encoder ?? 'no-encoder'].join('/');
    for (const seed of cell.seeds) {
      const name = cell.seeds.length === 1 ? `${number}.run` : `${number}-seed-${seed}.run`;
      await put(name, [...trecRun(contexts(result, cell, seed), tag)]);
    }
  }
}

function* contexts({ pools, passages }: BenchResult, { records }: ResultCell, wanted: number): Generator<Ranking> {
  for (const { queryId, seed, pool, context } of records) {
    if (seed !== wanted || pool === null) continue;
    yield { queryId, passageIds: context.map((rank) => passages[pools[pool]!.passages[rank - 1]!.passage]!.id) };
  }
}
