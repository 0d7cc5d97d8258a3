import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BenchPart } from './bench-settings.ts';
import { runBench } from './run-bench.ts';
import type { BenchResult } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-run-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WORDS = 'river harbour copper violin winter senate ladder orchard granite meadow signal theatre'.split(' ');
const word = (index: number): string => WORDS[index % WORDS.length]!;

/** Four questions with eight candidates each, and the fifth with two. Titles weigh as much as texts. Nothing of misinformation. */
function writeDataset(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, 'qrels'), { recursive: true });
  const put = (file: string, lines: readonly unknown[]): void =>
    writeFileSync(join(path, file), lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  const ids = [0, 1, 2, 3, 4].map((q) => Array.from({ length: q === 4 ? 2 : 8 }, (_, p) => `q${q}-p${p}`));
  put(
    'corpus.jsonl',
    ids.flat().map((id, index) => ({
      _id: id,
      title: `${word(index)} ${word(index * 5 + 1)} ${word(index * 7 + 2)} ${word(index)}`,
      text: `the ${word(index * index)} of ${word(3 * index + 1)} near the ${word(index + 4)} in ${index}`,
    })),
  );
  put(
    'queries.jsonl',
    ids.map((_, q) => ({ _id: `q${q}`, text: `where is the ${word(q)} of ${word(q + 3)}?`, metadata: { answers: [word(q + 5)] } })),
  );
  put(
    'candidates.jsonl',
    ids.map((passages, q) => ({ query_id: `q${q}`, passage_ids: passages })),
  );
  put('qrels/test.tsv', ['query-id\tcorpus-id\tscore', ...ids.map((_, q) => `q${q}\tq${q}-p1\t1`)]);
  return path;
}

const run = (parts: readonly BenchPart[]): Promise<BenchResult> =>
  runBench({ datasets: [writeDataset('made')], parts, seed: 3 }, { cacheDir: null, startedAt: '2026-01-01T00:00:00.000Z' });

const slot = { placements: ['slot'], pool: 6, keep: 3, defenses: ['none'] } as const;

describe('runBench', () => {
  it('says that wrong texts were made where they were planted, and nowhere else', async () => {
    const { cells } = await run([{ ...slot, attacks: ['none', 'query-as-poison', 'poisonedrag', 'corruptrag-as'] }]);
    const saysMade = cells.map(({ attack, warnings }) => [attack, warnings.some(({ code }) => code === 'wrong-texts-made')]);
    expect(Object.fromEntries(saysMade)).toEqual({ none: false, 'query-as-poison': false, poisonedrag: true, 'corruptrag-as': true });
  });

  it('gives every reason why questions are not assessed, once however many seeds there are', async () => {
    // q4 has two candidates, and eleven of the made wrong texts are one too many for the others.
    const { cells } = await run([
      { ...slot, pool: 15, shortPools: false, attacks: ['poisonedrag'], poisons: [11] },
      { ...slot, attacks: ['poisonedrag'], repeats: 2 },
    ]);
    const short = cells.map(({ warnings }) =>
      warnings.filter(({ code }) => code === 'short-pools').map(({ message }) => message.slice(0, 6)),
    );
    expect(short).toEqual([['4 of 5', '1 of 5'], ['1 of 5']]);
    expect(cells[0]!.records.map(({ why }) => why)).toEqual([...new Array(4).fill('too-few-wrong-texts'), 'too-few-candidates']);
    expect(cells[1]!.outcomes.notAssessed).toBe(2);
  });

  it('takes word statistics of the texts that a cell judges, whatever was measured before', async () => {
    const part = (passageText: 'title-and-text' | 'text'): BenchPart => ({
      ...slot,
      keep: 5,
      defenses: ['grada?weights=bm25&statistics=corpus'],
      attacks: ['misinformation'],
      passageText,
    });
    const scores = ({ cells }: BenchResult, cell: number) => cells[cell]!.records.map(({ context, verdicts }) => [context, verdicts]);
    const alone = await run([part('text')]);
    const together = await run([part('title-and-text'), part('text')]);
    expect(alone.cells[0]!.outcomes.breached).toBeGreaterThan(0);
    expect(scores(together, 1)).toEqual(scores(alone, 0));
  });
});
