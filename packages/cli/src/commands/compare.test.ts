import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchResult, REPORTERS } from '@bezoar/bench';
import { cells as width } from '@bezoar/bench/layout';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { sampleResult } from '../../../bench/src/testing/sample-result.ts';
import { runCommand } from '../run-command.ts';

const saved = (result: BenchResult, format: 'json' | 'jsonl'): string => {
  const { render } = REPORTERS[format]!;
  return [...render(result, { columns: 100, colour: false })].join('');
};

const sample = sampleResult();

/** The same cells, but that nothing poisoned goes on any longer behind one defense. */
const improved: BenchResult = {
  ...sample,
  cells: sample.cells.map((cell) =>
    cell.defense !== 'none'
      ? cell
      : {
          ...cell,
          records: cell.records.map((record) => {
            const passages = record.pool === null ? [] : sample.pools[record.pool]!.passages;
            const context = record.context.filter((rank) => passages[rank - 1]!.label !== 'poisoned');
            return record.outcome === 'breached' ? { ...record, outcome: 'resisted' as const, context } : record;
          }),
        },
  ),
};

async function compare(
  args: readonly string[],
  settings: Parameters<typeof memoryTerminal>[0] = {},
): Promise<MemoryTerminal & { code: number }> {
  const terminal = memoryTerminal(settings);
  const files = {
    'a.json': saved(sample, 'json'),
    'b.jsonl': saved(improved, 'jsonl'),
    'foul.json': saved(sampleResult({ hostile: true }), 'json'),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(terminal.cwd, name), content);
  return Object.assign(terminal, { code: await runCommand(['compare', ...args], terminal) });
}

describe('compare', () => {
  it('shows encoders without their folders to people, and whole to programs', async () => {
    const moved = { ...sample, cells: sample.cells.map((cell) => ({ ...cell, encoder: cell.encoder && 'onnx:/home/somebody/minilm' })) };
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'moved.json'), saved(moved, 'json'));
    expect(await runCommand(['compare', 'moved.json', 'moved.json'], terminal)).toBe(0);
    expect(terminal.output()).toContain('onnx:minilm');
    expect(terminal.output()).not.toContain('somebody');
    expect(await runCommand(['compare', 'moved.json', 'moved.json', '--format', 'json'], terminal)).toBe(0);
    expect(terminal.output()).toContain('onnx:/home/somebody/minilm');
  });

  it('gives programs the names as they are, escaped for whoever looks at them', async () => {
    const defense = 'grada\u009b31m\u202e';
    const named = { ...sample, cells: sample.cells.map((cell) => (cell.defense === 'none' ? cell : { ...cell, defense })) };
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'named.json'), saved(named, 'json'));
    expect(await runCommand(['compare', 'named.json', '--format', 'json'], terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(/[\u009b\u202e]/);
    expect(JSON.parse(terminal.output()).cells[0].after.defense).toBe(defense);
  });

  it('says what changed between two results, by how much, and how sure that is', async () => {
    const { code, output, errors } = await compare(['a.json', 'b.jsonl', '--metric', 'poisonInContext']);
    expect([code, errors()]).toEqual([0, '']);
    const lines = output().split('\n');
    // Cells without an attack have no poison to test.
    const attacked = sample.cells.filter(({ attack }) => attack !== 'none').length;
    expect(lines[0]).toBe(`a.json → b.jsonl: ${sample.cells.length} cells in both, ${attacked} tests`);
    expect(lines[1]).toBe('everywhere: candidates pool of 6, keep 3');
    expect(lines).toContain(`No significant difference (${attacked})`);
    expect(output()).toContain(`Not assessed: ${sample.cells.length - attacked} comparisons`);
    expect(output()).toMatch(/ {2}poisonInContext {2}\d+\.\d → 0\.0 % +-\d+\.\d \[-\d+\.\d, -?\d+\.\d\] +p \d\.\d{3} {2}n \d/);
    // Largest first.
    const effects = [...output().matchAll(/([+-]?\d+\.\d) \[/g)].map(([, points]) => Math.abs(Number(points)));
    expect(effects).toEqual([...effects].sort((x, y) => y - x));
    expect(Math.max(...effects)).toBeGreaterThan(0);
  });

  it('compares the defenses of one result with a baseline', async () => {
    const { code, output } = await compare(['a.json']);
    expect(code).toBe(0);
    expect(output()).toMatch(/^none → each other defense: 24 cells, \d+ tests\n/);
    const other = await compare(['a.json', '--baseline', 'pra-rag', '--metric', 'cleanRetention,ndcg']);
    expect(other.output()).toMatch(/^pra-rag → each other defense: 24 cells, 48 tests\n/);
    // A score is no share.
    expect(other.output()).toMatch(/ndcg +\d\.\d{3} → \d\.\d{3} +[+-]?\d\.\d{3} \[/);
  });

  it('says plainly which is better and which is worse', async () => {
    const terminal = memoryTerminal();
    // Many questions: each of the sample's nine times.
    const many = (result: BenchResult): BenchResult => ({
      ...result,
      cells: result.cells
        .filter(({ attack, dataset }) => attack === 'poisonedrag' && dataset === 'alpha')
        .map((cell) => ({
          ...cell,
          records: Array.from({ length: 9 }, (_, copy) =>
            cell.records.map((record) => ({ ...record, queryId: `${record.queryId}-${copy}` })),
          ).flat(),
        })),
    });
    writeFileSync(join(terminal.cwd, 'a.json'), saved(many(sample), 'json'));
    writeFileSync(join(terminal.cwd, 'b.json'), saved(many(improved), 'json'));
    const args = ['--metric', 'poisonInContext'];
    expect(await runCommand(['compare', 'a.json', 'b.json', ...args], terminal)).toBe(0);
    expect(terminal.output()).toMatch(/\nBetter \(\d\)\n {2}poisonInContext [^\n]+ p <0\.001 {2}n 54\n {6}none, poisonedrag x\d\n/);
    expect(terminal.output()).not.toContain('Worse');
    expect(await runCommand(['compare', 'b.json', 'a.json', ...args], terminal)).toBe(0);
    expect(terminal.output()).toMatch(/\nWorse \(\d\)\n/);
  });

  it('fits a terminal, whatever the names are, and colours only there', async () => {
    for (const columns of [100, 60]) {
      const { output } = await compare(['foul.json'], { columns });
      for (const line of output().split('\n')) expect(width(line), line).toBeLessThanOrEqual(columns);
    }
    const coloured = await compare(['a.json', '--out', 'x.txt'], { colour: true });
    expect(readFileSync(join(coloured.cwd, 'x.txt'), 'utf8')).not.toContain('\u001b');
    expect((await compare(['a.json'], { colour: true })).output()).toContain('\u001b[2mNo significant difference');
  });

  it('writes JSON with everything, and Markdown with a table a verdict', async () => {
    const { output, cwd } = await compare(['a.json', 'b.jsonl', '--format', 'json']);
    const comparison = JSON.parse(output());
    expect(comparison).toMatchObject({ before: 'a.json', after: 'b.jsonl', result: null, onlyBefore: [], onlyAfter: [] });
    expect(comparison.cells).toHaveLength(sample.cells.length);
    expect(comparison.cells[0].metrics).toHaveLength(4);
    expect(cwd).not.toBe('');
    const markdown = await compare(['a.json', '--out', 'c.md']);
    const page = readFileSync(join(markdown.cwd, 'c.md'), 'utf8');
    expect(page).toMatch(/^# none → each other defense: 24 cells/);
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    for (const row of rows) expect(row.match(/\|/g)).toHaveLength(7);
    const json = await compare(['a.json', '--out', 'c.json']);
    expect(JSON.parse(readFileSync(join(json.cwd, 'c.json'), 'utf8'))).toMatchObject({
      before: 'none',
      after: 'each defense',
      result: 'a.json',
    });
  });

  it('names cells that have no counterpart and data that changed', async () => {
    const terminal = memoryTerminal();
    const [dataset, ...others] = sample.run.datasets;
    writeFileSync(join(terminal.cwd, 'a.json'), saved({ ...sample, cells: sample.cells.slice(0, 12) }, 'json'));
    const changed = { ...sample.run, datasets: [{ ...dataset!, fingerprint: 'f'.repeat(64) }, ...others] };
    writeFileSync(join(terminal.cwd, 'b.json'), saved({ ...sample, run: changed, cells: sample.cells.slice(1, 20) }, 'json'));
    expect(await runCommand(['compare', 'a.json', 'b.json'], terminal)).toBe(0);
    const said = terminal.output().replace(/\n/g, ' ');
    expect(said).toContain('alpha is not the same data in both');
    expect(said).toContain('Only before (1): ');
    expect(said).toMatch(/Only after \(8\): .*; and 3 more/);
  });

  it('says of a cell what tells it from the others, once', async () => {
    const terminal = memoryTerminal({ columns: 140 });
    const swept = sampleResult({ sweep: true });
    // As the bench writes them: a swept option is in the SPEC, a swept setting is a setting.
    const cells = swept.cells.flatMap((cell) => {
      if (cell.attack !== 'poisonedrag' || cell.dataset !== 'alpha') return [];
      const alpha = cell.sweep?.alpha;
      if (alpha === '0.6') return [{ ...cell, defense: `${cell.defense}&alpha=0.6`, placement: 'ratio' as const, poisons: 0.25, limit: 7 }];
      return alpha === '0.4' ? [{ ...cell, sweep: { poisons: String(cell.poisons) }, pool: 9 }] : [cell];
    });
    writeFileSync(join(terminal.cwd, 'a.json'), saved({ ...swept, cells }, 'json'));
    expect(await runCommand(['compare', 'a.json', 'a.json', '--metric', 'poisonInContext'], terminal)).toBe(0);
    const facts = terminal
      .output()
      .split('\n')
      .flatMap((line) => (line.startsWith('      ') ? [line.trim()] : []));
    const placed = 'placement slot, candidates pool of 6';
    expect(terminal.output()).toContain('everywhere: alpha, keep 3\n');
    expect(facts).toContain(`grada?weights=bm25, alpha 0.2, poisonedrag x1, ${placed}`);
    expect(facts).toContain('grada?weights=bm25, poisonedrag x3, placement slot, candidates pool of 9');
    expect(facts).toContain('grada?weights=bm25&alpha=0.6, poisonedrag 25 %, placement ratio, candidates pool of 6, first 7 questions');
    expect(facts).toContain(`pra-rag, static, poisonedrag x3, ${placed}`);
  });

  it('counts what would be too much to read', async () => {
    const terminal = memoryTerminal();
    const cell = sample.cells.find(({ attack }) => attack === 'poisonedrag')!;
    const cells = Array.from({ length: 70 }, (_, pool) => ({ ...cell, pool: pool + 6 }));
    writeFileSync(join(terminal.cwd, 'a.json'), saved({ ...sample, cells }, 'json'));
    expect(await runCommand(['compare', 'a.json', 'a.json', '--metric', 'poisonInContext'], terminal)).toBe(0);
    expect(terminal.output()).toContain('No significant difference (70)\n');
    expect(terminal.output()).toContain('\n  and 10 more; --format json has them all\n');
    expect(terminal.output().match(/poisonInContext/g)).toHaveLength(60);
  });

  it('refuses what cannot be compared', async () => {
    const said = async (...args: string[]) => {
      const { code, errors } = await compare(args);
      return [code, errors()];
    };
    expect(await said('a.json', 'b.jsonl', '--baseline', 'none')).toEqual([
      2,
      'bezoar: --baseline compares the defenses of one result; leave it out, or the second result\n',
    ]);
    expect(await said('a.json', '--baseline', 'pra-rug')).toEqual([
      2,
      'bezoar: no defense of this result is called "pra-rug"; did you mean pra-rag?\n',
    ]);
    expect(await said('a.json', '--metric', 'ndgc')).toEqual([2, 'bezoar: no metric is called "ndgc"; did you mean ndcg?\n']);
    expect(await said('none.json')).toEqual([2, 'bezoar: none.json does not exist; check the path\n']);
    expect((await said('a.json', 'foul.json', '--metric', 'pad'))[0]).toBe(2);
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'one.json'), saved({ ...sample, cells: sample.cells.slice(0, 1) }, 'json'));
    expect(await runCommand(['compare', 'one.json'], terminal)).toBe(2);
    expect(terminal.errors()).toBe('bezoar: nothing can be compared: the result holds no other defense in the scenarios of the baseline\n');
  });
});
