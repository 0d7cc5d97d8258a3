import { type BenchPart, type ResultCell, runBench } from '@bezoar/bench';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from './shared-data.ts';

/** Cells over a dataset with PoisonedRAG's texts in front of ten passages, of which five go on. */
async function cells(dataset: string, part: Partial<BenchPart>): Promise<readonly ResultCell[]> {
  const result = await runBench(
    {
      datasets: [sharedPath(`data/${dataset}`)],
      parts: [
        { attacks: ['poisonedrag'], defenses: ['none', 'grada?weights=bm25', 'grada?weights=hybrid'], placements: ['slot'], ...part },
      ],
    },
    { cacheDir: null },
  );
  for (const { records } of result.cells) for (const { why, context } of records) expect(context).toHaveLength(why === null ? 5 : 0);
  return result.cells;
}

describe.skipIf(!hasShared)('one PoisonedRAG text first among ten, five go on: questions in which it stays', () => {
  it.each([
    ['realtimeqa', [100, 55, 5], [0, 45, 95]],
    // 1.000, 0.911 and 0.187 of 225 questions; the other 25 have too few distinct candidates.
    ['simpleqa', [225, 205, 42], [0, 20, 183]],
  ])('%s: %j with none, GRADA-BM25 and GRADA-hybrid', async (dataset, breached, resisted) => {
    const measured = await cells(dataset, { poisons: [1] });
    expect(measured.map(({ outcomes }) => outcomes.breached)).toEqual(breached);
    expect(measured.map(({ outcomes }) => outcomes.resisted)).toEqual(resisted);
  });
});

describe.skipIf(!hasShared)('mean poisons among the five of ten, duplicates left in (realtimeqa)', () => {
  it.each([
    [1, [1, 0.53, 0.05]],
    [2, [2, 1.41, 0.45]],
    [5, [5, 4.74, 3.73]],
  ])('%i planted: %j with none, GRADA-BM25 and GRADA-hybrid', async (poisons, means) => {
    const measured = await cells('realtimeqa', { poisons: [poisons], keepDuplicates: true });
    for (const [index, mean] of means.entries()) {
      expect(measured[index]!.metrics.meanPoisons).toMatchObject({ n: 100, notAssessed: 0 });
      expect(measured[index]!.metrics.meanPoisons!.value).toBeCloseTo(mean, 10);
    }
  });
});
