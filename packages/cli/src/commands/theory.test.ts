import { cells as width } from '@bezoar/bench/layout';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ragpart.json' with { type: 'json' };
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { runCommand } from '../run-command.ts';

async function theory(args: readonly string[], columns = 100): Promise<MemoryTerminal & { code: number }> {
  const terminal = memoryTerminal({ columns });
  return Object.assign(terminal, { code: await runCommand(['theory', ...args], terminal) });
}

describe('theory ragpart', () => {
  it("prints the paper's tables within the terminal, labelled descriptive", async () => {
    for (const columns of [100, 60]) {
      const { code, output } = await theory(['ragpart'], columns);
      expect(code).toBe(0);
      expect(output()).toMatch(/^Descriptive only, no certificate/m);
      expect(Math.max(...output().split('\n').map(width))).toBeLessThanOrEqual(columns);
    }
    const lines = (await theory(['ragpart'])).output().split('\n');
    const blocks = lines.flatMap((line, i) => (line.includes('N\\k') ? [lines.slice(i + 1, i + 14)] : []));
    const marks = (line: string): string =>
      line
        .replace(/✓/g, 'y')
        .replace(/✗/g, 'n')
        .replace(/·/g, '-')
        .replace(/[^yn-]/g, '');
    const read = blocks.flatMap((rows) => [rows.map((row) => marks(row).slice(0, 13)), rows.map((row) => marks(row).slice(13))]);
    expect(read).toEqual(golden.tables.map(({ rows }) => rows));
  });

  it('says for one setting how many documents it bears, and what it costs', async () => {
    const { output } = await theory(['ragpart', '--fragments', '5', '--combine', '3']);
    const rows = output()
      .split('\n')
      .flatMap((line) => (/^\s+5\s/.test(line) || /^5 /.test(line) ? [line.trim().split(/\s+/).join(' ')] : []));
    expect(rows).toEqual([
      '5 3 1 10 6 ✗ 0 0 ✓ any',
      '5 3 2 10 9 ✗ 0 3 ✓ 2',
      '5 3 3 10 10 ✗ 0 7 ✗ 0',
      '5 3 4 10 10 ✗ 0 10 ✗ 0',
      '5 3 5 10 10 ✗ 0 10 ✗ 0',
    ]);
    expect(output()).toContain('k 3: index 3.00e+16 naive, 5.00e+15 RAGPart, 5.00e+15 as built here');
    expect(output()).toContain('question 1.02e+10 against all databases, 5.15e+9 as built here');
    expect(Math.max(...output().split('\n').map(width))).toBeLessThanOrEqual(100);
  });

  it('takes the number of adversarial documents into account', async () => {
    const holds = async (adversarial: string) => {
      const { output } = await theory([
        'ragpart',
        '--fragments',
        '5',
        '--combine',
        '3',
        '--poisoned',
        '2',
        '--adversarial',
        adversarial,
        '--format',
        'json',
      ]);
      return (JSON.parse(output()) as { cells: { robustPart: boolean; adversarial: number }[] }).cells[0];
    };
    expect(await holds('2')).toMatchObject({ robustPart: true, adversarial: 2 });
    expect(await holds('3')).toMatchObject({ robustPart: false, adversarial: 3 });
    expect((await theory(['ragpart', '--adversarial', '2'])).output()).toContain('2 adversarial documents');
  });

  it('gives programs every cell, and the label', async () => {
    const { output } = await theory(['ragpart', '--format', 'json']);
    const { cells, costs, descriptive } = JSON.parse(output()) as { cells: object[]; costs: object[]; descriptive: string };
    expect(descriptive).toMatch(/no certificate/);
    expect(cells).toHaveLength((2 * (13 * 14)) / 2);
    expect(costs).toEqual([]);
    expect(cells[0]).toEqual({
      fragments: 3,
      combine: 3,
      poisoned: 2,
      adversarial: 1,
      total: 1,
      xNaive: 1,
      xPart: 1,
      robustNaive: false,
      robustPart: false,
      mostNaive: 0,
      mostPart: 0,
    });
    const one = JSON.parse((await theory(['ragpart', '--combine', '5', '--format', 'json'])).output()) as {
      cells: { fragments: number }[];
      costs: object[];
    };
    expect(one.cells.map(({ fragments }) => fragments)).toEqual([5, 5, 5, 5, 5]);
    expect(one.costs).toHaveLength(1);
  });

  it('refuses what it does not know, and what does not go together', async () => {
    const unknown = await theory(['ragmask']);
    expect([unknown.code, unknown.errors()]).toEqual([2, expect.stringContaining('Allowed choices are ragpart')]);
    const tooMany = await theory(['ragpart', '--fragments', '3', '--combine', '4']);
    expect([tooMany.code, tooMany.errors()]).toEqual([2, 'bezoar: combine is 4, expected a whole number from 1 to 3\n']);
  });
});
