/**
 * `npm run mutate [-- KERNEL ...]`: mutation score of each kernel under the test beside it and no other, then of all; ends with 1 below 80 %.
 * One kernel at a time: its mutants meet only its own test, and code instrumented for coverage would be a hundred times slower.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FLOOR = 0.8;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}packages/core/src/kernels/`;
const named = process.argv.slice(2);
const kernels = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -3))
  .filter((kernel) => named.length === 0 || named.includes(kernel));

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

const rows: string[] = [];
let allKilled = 0;
let allTried = 0;
for (const kernel of kernels) {
  process.stderr.write(`${kernel}\n`);
  const { status, stdout } = spawnSync('npx', ['stryker', 'run', '--mutate', `packages/core/src/kernels/${kernel}.ts`], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, BEZOAR_KERNEL: kernel },
    maxBuffer: 1 << 28,
  });
  if (status !== 0) {
    console.error(`stryker ended with ${status} on ${kernel}:\n${stdout.slice(-2000)}`);
    process.exit(1);
  }
  const report = JSON.parse(readFileSync(`${root}reports/mutation/mutation.json`, 'utf8')) as Report;
  mkdirSync(`${root}reports/mutation/kernels`, { recursive: true });
  writeFileSync(`${root}reports/mutation/kernels/${kernel}.json`, JSON.stringify(report));
  const states = Object.values(report.files).flatMap(({ mutants }) => mutants.map((mutant) => mutant.status));
  const killed = states.filter((state) => state === 'Killed' || state === 'Timeout').length;
  const tried = killed + states.filter((state) => state === 'Survived' || state === 'NoCoverage').length;
  rows.push(`| \`${kernel}\` | ${killed} of ${tried} | ${tried === 0 ? '–' : `${((100 * killed) / tried).toFixed(0)} %`} |`);
  console.log(rows.at(-1));
  allKilled += killed;
  allTried += tried;
}
const score = allTried === 0 ? 0 : allKilled / allTried;
console.log(
  `\n| kernel | mutants killed | score |\n|---|---|---|\n${rows.join('\n')}\n| all | ${allKilled} of ${allTried} | ${(100 * score).toFixed(1)} % |`,
);
if (score < FLOOR) process.exitCode = 1;
