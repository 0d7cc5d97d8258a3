import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORTERS } from '@bezoar/bench';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { sampleResult } from '../../../bench/src/testing/sample-result.ts';
import { runCommand } from '../run-command.ts';

const sample = sampleResult({ diagnose: true, sweep: true });
const rendered = (format: string, columns = 100): string => [...REPORTERS[format]!.render(sample, { columns, colour: false })].join('');

async function report(
  args: readonly string[],
  settings: Parameters<typeof memoryTerminal>[0] = {},
): Promise<MemoryTerminal & { code: number }> {
  const terminal = memoryTerminal(settings);
  writeFileSync(join(terminal.cwd, 'r.json'), rendered('json'));
  writeFileSync(join(terminal.cwd, 'r.jsonl'), rendered('jsonl'));
  return Object.assign(terminal, { code: await runCommand(['report', ...args], terminal) });
}

describe('report', () => {
  it.each(Object.keys(REPORTERS))('writes %s, from JSON and from the log', async (format) => {
    for (const results of ['r.json', 'r.jsonl']) {
      const { code, output, errors } = await report([results, '--format', format]);
      expect([code, errors(), output()]).toEqual([0, '', rendered(format)]);
    }
  });

  it('takes the format from the extension, and is a table for a terminal', async () => {
    const { code, cwd, output } = await report(['r.json', '--out', 'page.html']);
    expect([code, output(), readFileSync(join(cwd, 'page.html'), 'utf8')]).toEqual([0, '', rendered('html')]);
    expect((await report(['r.json'], { columns: 80 })).output()).toBe(rendered('table', 80));
    const narrow = await report(['r.json', '--out', 'x.txt'], { columns: 60, colour: true });
    expect(readFileSync(join(narrow.cwd, 'x.txt'), 'utf8')).toBe(rendered('table', 100));
  });

  it('stops writing when nobody reads any longer', async () => {
    let pieces = 0;
    const { code } = await report(['r.json', '--format', 'jsonl'], { write: async () => ++pieces < 2 });
    expect([code, pieces]).toEqual([0, 2]);
  });

  it('refuses formats that there are not, and what is no result', async () => {
    const wrong = await report(['r.json', '--format', 'htlm']);
    expect([wrong.code, wrong.errors()]).toEqual([2, 'bezoar: no report format is called "htlm"; did you mean html?\n']);
    const missing = await report(['none.json']);
    expect([missing.code, missing.errors()]).toEqual([2, 'bezoar: none.json does not exist; check the path\n']);
  });
});
