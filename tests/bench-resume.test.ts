import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@bezoar/core/kernels/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The built command, killed without warning and started again. `npm test` builds first. */

const BEZOAR = fileURLToPath(new URL('../packages/cli/bin/bezoar.js', import.meta.url));
const KILLS = 20;
const QUESTIONS = 16;

const folder = mkdtempSync(join(tmpdir(), 'bezoar-resume-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORDS = 'river harbour copper violin winter senate ladder orchard granite meadow signal theatre anchor lantern compass valley'.split(
  ' ',
);

/** A dataset of made sentences: sixteen questions with a dozen candidates each, one of them gold, and three wrong texts. */
function writeDataset(path: string): void {
  const random = createRandom(1);
  const word = (): string => WORDS[random.integer(WORDS.length)]!;
  const sentence = (start: string): string => `${start} ${Array.from({ length: 14 }, word).join(' ')}.`;
  const queries: string[] = [];
  const corpus: string[] = [];
  const qrels = ['query-id\tcorpus-id\tscore'];
  const candidates: string[] = [];
  const wrong: string[] = [];
  for (let q = 0; q < QUESTIONS; q++) {
    const subject = `${word()} number ${q}`;
    const ids = Array.from({ length: 12 }, (_, p) => `q${q}-p${p}`);
    queries.push(
      JSON.stringify({ _id: `q${q}`, text: `what is the colour of the ${subject}?`, metadata: { answers: ['blue'], target: 'red' } }),
    );
    for (const [p, id] of ids.entries())
      corpus.push(JSON.stringify({ _id: id, title: word(), text: sentence(p === 1 ? `the ${subject} is blue` : `the ${subject}`) }));
    qrels.push(`q${q}\tq${q}-p1\t1`);
    candidates.push(JSON.stringify({ query_id: `q${q}`, passage_ids: ids }));
    for (let x = 0; x < 3; x++)
      wrong.push(JSON.stringify({ _id: `q${q}-x${x}`, query_id: `q${q}`, text: sentence(`the ${subject} is red`), target: 'red' }));
  }
  mkdirSync(join(path, 'qrels'), { recursive: true });
  const put = (name: string, lines: readonly string[]): void => writeFileSync(join(path, name), `${lines.join('\n')}\n`);
  put('queries.jsonl', queries);
  put('corpus.jsonl', corpus);
  put('qrels/test.tsv', qrels);
  put('candidates.jsonl', candidates);
  put('misinformation.jsonl', wrong);
}

const ARGS = [
  ...['bench', '--dataset', 'made', '--attack', 'poisonedrag,misinformation,corruptrag-as,query-as-poison', '--poisons', '1,3'],
  ...['--defense', 'none,grada,trustrag-filter,pra-rag?samples=40,lexical-anomaly', '--diagnose'],
  ...['--repeats', '2', '--seed', '5', '--no-cache', '--workers', '2', '--quiet'],
];

/** Runs the command; kills it after so many milliseconds where given. Resolves to its exit code, null when killed. */
function run(out: string, killAfter: number | null = null): Promise<number | null> {
  const child = spawn(process.execPath, [BEZOAR, ...ARGS, '--out', out], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const timer = killAfter === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    }),
  );
}

/** A result's bytes without when it started and how long things took. */
const timeless = (name: string): string =>
  readFileSync(join(folder, name), 'utf8')
    .replace(/"startedAt":"[^"]*"/, '"startedAt":""')
    .replace(/"latencyMsP\d+":\{[^}]*\}/g, '"latency":{}');

let whole = '';
let duration = 0;

beforeAll(async () => {
  writeDataset(join(folder, 'made'));
  const started = performance.now();
  expect(await run('whole.json')).toBe(0);
  duration = performance.now() - started;
  whole = timeless('whole.json');
}, 120_000);

describe('a bench that is killed', () => {
  it(`resumes, after ${KILLS} kills at random moments, to the same bytes`, { timeout: 280_000 }, async () => {
    const random = createRandom(20);
    let kills = 0;
    let resumed = 0;
    while (kills < KILLS) {
      const partial = join(folder, 'killed.json.partial');
      if (existsSync(partial) && readFileSync(partial, 'utf8').split('\n').length > 2) resumed += 1;
      const code = await run('killed.json', random.next() * duration);
      if (code === null) {
        kills += 1;
        // A kill between the last rename and the end leaves a result, and then a whole one.
        if (existsSync(join(folder, 'killed.json'))) expect(timeless('killed.json')).toBe(whole);
        rmSync(join(folder, 'killed.json'), { force: true });
        continue;
      }
      expect(code).toBe(0);
      expect(timeless('killed.json')).toBe(whole);
      rmSync(join(folder, 'killed.json'));
    }
    expect(await run('killed.json')).toBe(0);
    expect(timeless('killed.json')).toBe(whole);
    expect(existsSync(join(folder, 'killed.json.partial'))).toBe(false);
    // Kills that all came before any work was done would show nothing.
    expect(resumed).toBeGreaterThan(KILLS / 4);
  });

  it('gives the same with one worker as with two', { timeout: 120_000 }, async () => {
    const alone = spawn(
      process.execPath,
      [BEZOAR, ...ARGS.map((arg, index) => (ARGS[index - 1] === '--workers' ? '1' : arg)), '--out', 'alone.json'],
      { cwd: folder, stdio: 'inherit' },
    );
    expect(await new Promise((resolve) => alone.on('close', resolve))).toBe(0);
    expect(timeless('alone.json')).toBe(whole);
  });

  it('does not go on with what another run left', { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, 'other.json.partial'), '{"type":"bezoar-bench-journal","version":1,"run":"0"}\n');
    const child = spawn(process.execPath, [BEZOAR, ...ARGS, '--out', 'other.json'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
    expect(said).toContain('other.json.partial is left from a run with other settings, data or version; remove it');
  });
});
