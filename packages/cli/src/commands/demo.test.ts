import { stripVTControlCharacters } from 'node:util';
import { cells } from '@bezoar/bench/layout';
import { describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { readDemoCorpus } from '../demo-corpus.ts';
import { runCommand } from '../run-command.ts';

async function shown(args: readonly string[], columns: number, colour = false): Promise<string> {
  const terminal = memoryTerminal({ columns, colour });
  expect(await runCommand(['demo', ...args], terminal)).toBe(0);
  expect(terminal.errors()).toBe('');
  return terminal.output();
}

/** What is measured differs from run to run. */
const withoutTimes = (text: string): string => text.replace(/ +\d+\.\d ms$/gm, '');

describe('demo', () => {
  it.each([100, 80])('shows all of it within %i columns', { timeout: 30_000 }, async (columns) => {
    const { questions } = await readDemoCorpus();
    const text = await shown(['--question', '1'], columns);
    const lines = text.split('\n');
    for (const line of lines) expect(cells(line), line).toBeLessThanOrEqual(columns);
    const first = questions[0]!;
    expect(text).toContain(
      `   question  "${first.text}"\n   truth     ${first.answer}, and the attacker wants ${first.target}\n   planted   `,
    );
    // The unguarded context begins with poison, the guarded one has none.
    const contexts = lines.filter((line) => /^ {3}[1-5] {2}/.test(line));
    expect(contexts[0]).toMatch(/^ {3}1 {2}POISON {2}\S/);
    if (columns === 80) expect(contexts.slice(5).join('\n')).not.toContain('POISON');
    else for (const line of contexts) expect(line.slice(columns / 2 - 1)).not.toContain('POISON');
    expect(
      lines.filter((line) => /^ {3}(kept {3}|dropped) d\d{3} (POISON|stray | {6}) {2}suspicion [01]\.\d\d {2}\S/.test(line)).length,
    ).toBe(10);
    expect(text).toMatch(/^ {3}dropped d\d{3} POISON /m);
    expect(text).not.toMatch(/^ {3}kept {4}d\d{3} POISON /m);
    expect(/ stray +suspicion/.test(text)).toBe(text.includes('   stray: planted for another question'));
    expect(lines.filter((line) => /(\d+ of 28 *█* *){4}/.test(line)).length).toBe(5);
    expect(text).toMatch(
      /Next {2}npx --no-install bezoar list defenses .+\n {6}npx --no-install bezoar \S.+\n {6}npx --no-install bezoar \S.+\n$/,
    );
  });

  it('says the same in colour', { timeout: 30_000 }, async () => {
    const [plain, coloured] = [await shown(['--question', '2'], 100), await shown(['--question', '2'], 100, true)];
    expect(coloured).toContain('\u001b[31mPOISON');
    expect(withoutTimes(stripVTControlCharacters(coloured))).toBe(withoutTimes(plain));
    expect(plain).not.toContain('\u001b');
  });
});
