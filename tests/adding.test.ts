import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * A defense, an attack, a metric and a reporter are added in a copy of the workspace, each as one file; what is generated from the folders is
 * generated anew; and the bench runs with all four. Nothing else is touched.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const workspace = mkdtempSync(join(tmpdir(), 'bezoar-adding-'));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const ADDED: Readonly<Record<string, string>> = {
  'packages/core/src/defenses/drop-shouting.ts': `
import { defineDefense } from '../core/define-defense.ts';

export const dropShouting = defineDefense({
  name: 'drop-shouting',
  summary: 'Drops passages without lower-case letters.',
  kind: 'filter',
  source: null,
  setLevel: false,
  options: {},
  reasons: { shouts: { meaning: 'has no lower-case letter' } },
  needs: () => [],
  run: ({ texts }) => ({
    judgements: texts.map((text) => {
      const shouts = text === text.toUpperCase();
      return { action: shouts ? 'drop' : 'keep', score: null, suspicion: shouts ? 1 : 0, reason: shouts ? 'shouts' : 'kept' };
    }),
  }),
});
`,
  'packages/redteam/src/attacks/shouting.ts': `
import { defineAttack } from '../define-attack.ts';

export const shouting = defineAttack({
  name: 'shouting',
  summary: 'The question and the target answer in capitals.',
  source: null,
  needs: () => ['target-answer'],
  options: {},
  run: ({ query, targetAnswer }, _options, { count }) => ({
    texts: Array.from({ length: count }, (_, index) => {
      const text = \`\${query.text} \${targetAnswer} \${index}\`.toUpperCase();
      return { text, spans: { retrieval: [], payload: [{ start: 0, end: text.length }], trigger: [] } };
    }),
    targetAnswer,
  }),
});
`,
  'packages/bench/src/metrics/context-size.ts': `
import { defineMetric } from '../define-metric.ts';

export const contextSize = defineMetric({
  name: 'contextSize',
  title: 'context size',
  summary: 'Mean number of passages that go on.',
  unit: 'passages',
  better: null,
  kind: 'ratio',
  observe: ({ context }) => [context.length, 1],
});
`,
  'packages/bench/src/reporters/names.ts': `
import { defineReporter } from '../define-reporter.ts';

export const names = defineReporter({
  name: 'names',
  summary: 'A line a cell: defense, attack, context size, share of questions with poison in the context.',
  *render({ cells }) {
    for (const { defense, attack, metrics } of cells) yield \`\${defense} \${attack} \${metrics.contextSize!.value} \${metrics.poisonInContext!.value}\\n\`;
  },
});
`,
};

const GENERATED = [
  'packages/bench/src/registry.generated.ts',
  'packages/core/schema/policy.schema.json',
  'packages/core/src/registry.generated.ts',
  'packages/redteam/src/registry.generated.ts',
];

/** Contents of all sources of the copy, by path. */
function sources(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(workspace, { recursive: true, encoding: 'utf8' })) {
    const parts = path.split('/');
    if (parts.includes('node_modules') || parts.includes('assets') || parts.includes('dist')) continue;
    if (statSync(join(workspace, path)).isFile()) found.set(path, readFileSync(join(workspace, path), 'utf8'));
  }
  return found;
}

const tsx = (...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), ...args], {
    cwd: workspace,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function writeDataset(path: string): void {
  mkdirSync(join(path, 'qrels'), { recursive: true });
  const put = (name: string, rows: readonly unknown[]): void =>
    writeFileSync(join(path, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const questions = ['Who wrote the letter?', 'Where is the bridge?'];
  put(
    'queries.jsonl',
    questions.map((text, q) => ({ _id: `q${q}`, text, metadata: { answers: ['Ann'], target: 'Bob' } })),
  );
  put(
    'corpus.jsonl',
    questions.flatMap((_, q) =>
      Array.from({ length: 6 }, (_unused, p) => ({ _id: `q${q}p${p}`, title: '', text: `Passage ${p} says that Ann ${p}.` })),
    ),
  );
  put(
    'candidates.jsonl',
    questions.map((_, q) => ({ query_id: `q${q}`, passage_ids: Array.from({ length: 6 }, (_unused, p) => `q${q}p${p}`) })),
  );
  writeFileSync(join(path, 'qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq0\tq0p1\t1\nq1\tq1p1\t1\n');
}

let before: Map<string, string>;
let printed = '';

beforeAll(() => {
  for (const path of ['packages', 'scripts', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, path), join(workspace, path), {
      recursive: true,
      filter: (source) => !/\/(node_modules|dist|\.stryker-tmp)(\/|$)/.test(source),
    });
  }
  // Sources of the copy stand in for the packages; everything else comes from where it is installed.
  mkdirSync(join(workspace, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@bezoar' && name !== 'bezoar') symlinkSync(join(root, 'node_modules', name), join(workspace, 'node_modules', name));
  before = sources();
  for (const [path, content] of Object.entries(ADDED)) writeFileSync(join(workspace, path), content.trimStart());
  tsx('scripts/generate-registry.ts');
  writeDataset(join(workspace, 'data'));
  printed = tsx(
    'packages/cli/src/main.ts',
    'bench',
    '--dataset',
    'data',
    '--attack',
    'shouting',
    '--defense',
    'none,drop-shouting',
    '--pool',
    '5',
    '--placement',
    'slot',
    '--format',
    'names',
    '--no-cache',
  );
}, 60_000);

describe('a defense, an attack, a metric and a reporter', () => {
  it('are each one file: nothing else of the workspace changes but what is generated', () => {
    const after = sources();
    const changed = [...after].filter(([path, content]) => before.get(path) !== content && !path.startsWith('data/')).map(([path]) => path);
    expect(changed.sort()).toEqual([...Object.keys(ADDED), ...GENERATED].sort());
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
  });

  it('are found by the bench and work together', () => {
    expect(printed).toBe('none shouting 5 1\ndrop-shouting shouting 4 0\n');
  });
});
