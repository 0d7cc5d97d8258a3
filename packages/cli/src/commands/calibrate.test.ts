import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { tinyOnnxFolder } from '../../../../tests/tiny-onnx-model.ts';
import { runCommand } from '../run-command.ts';

const DEMO = fileURLToPath(new URL('../../assets/demo', import.meta.url));

async function calibrate(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<MemoryTerminal & { code: number }> {
  const terminal = memoryTerminal();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(terminal.cwd, name), content);
  return Object.assign(terminal, { code: await runCommand(['calibrate', ...args], terminal) });
}

/** Passages about a number of things each, without questions. */
const corpus = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `${JSON.stringify({ _id: String(index), text: `${['iron', 'river', 'music', 'bread'][index % 4]} number ${index * 37}` })}\n`,
  ).join('');

describe('calibrate', () => {
  it('measures the same with the same seed, and a lower density for a lower quantile', async () => {
    const measured = async (...args: string[]): Promise<{ density: number; quantile: number; pools: number }> => {
      const { code, output } = await calibrate([DEMO, '--out', '-', ...args]);
      expect(code).toBe(0);
      return JSON.parse(output());
    };
    const usual = await measured();
    expect(usual.density).toBeGreaterThan(0);
    expect(usual.density).toBeLessThan(1);
    expect(usual.pools).toBeGreaterThanOrEqual(20);
    expect(await measured('--seed', '0')).toEqual(usual);
    expect((await measured('--quantile', '0.5')).density).toBeLessThan(usual.density);
  });

  it('takes a file of passages without questions', async () => {
    const { code, output, cwd } = await calibrate(['some.jsonl', '--out', 'c.json', '--pool', '5'], { 'some.jsonl': corpus(60) });
    expect(code).toBe(0);
    expect(output()).toMatch(/^density -?\d\.\d{4}: 95 % of 60 clean pools of 5 stay below\nwritten to c\.json\n$/);
    expect(JSON.parse(readFileSync(join(cwd, 'c.json'), 'utf8'))).toMatchObject({
      pools: 60,
      corpus: 'some.jsonl',
      command: 'bezoar calibrate some.jsonl --encoder static --pool 5',
    });
  });

  it('refuses a corpus that makes too few pools', async () => {
    const { code, errors, cwd } = await calibrate(['some.jsonl', '--out', 'c.json'], { 'some.jsonl': corpus(15) });
    expect([code, errors()]).toEqual([
      2,
      'bezoar: some.jsonl makes 15 pools of 10 distinct passages, expected at least 20; give a larger corpus or a smaller --pool\n',
    ]);
    expect(readdirSync(cwd)).toEqual(['some.jsonl']);
  });

  it('adds to what lies beside an encoder, and leaves it alone where it cannot be read', async () => {
    const files = { 'some.jsonl': corpus(60) };
    const dir = tinyOnnxFolder({}, { 'bezoar.json': { pooling: 'cls' } });
    const args = ['some.jsonl', '--encoder', `onnx:${dir}`, '--pool', '3'];
    const good = await calibrate(args, files);
    expect([good.code, good.errors()]).toEqual([0, '']);
    const record = JSON.parse(readFileSync(join(dir, 'bezoar.json'), 'utf8')) as Record<string, unknown>;
    expect(record).toEqual({ pooling: 'cls', calibration: expect.objectContaining({ pools: 60, corpus: 'some.jsonl' }) });
    writeFileSync(join(dir, 'bezoar.json'), '{broken');
    const bad = await calibrate(args, files);
    expect(bad.code).toBe(2);
    expect(bad.errors()).toMatch(/^bezoar: [^\n]*bezoar\.json[^\n]*\n$/);
    expect(readFileSync(join(dir, 'bezoar.json'), 'utf8')).toBe('{broken');
  });

  it('makes an n-gram model, and asks where to put it', async () => {
    const made = await calibrate([DEMO, '--ngram', '--out', 'model.bin']);
    expect([made.code, made.errors()]).toEqual([0, '']);
    expect(made.output()).toMatch(
      /^threshold \d+\.\d{3} nats a token, from \d+ passages\nwritten to model\.bin; use it with defend --likelihood model\.bin\n$/,
    );
    const nowhere = await calibrate([DEMO, '--ngram']);
    expect([nowhere.code, nowhere.errors()]).toEqual([2, 'bezoar: --ngram needs --out FILE, where the model goes\n']);
  });
});
