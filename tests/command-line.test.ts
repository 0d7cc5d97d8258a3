import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Certificate, StageTrace, Verdict } from '@bezoar/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './memory-terminal.ts';
import { hasShared, sharedPath } from './shared-data.ts';

/** The contracts of the built command, in processes as other tools start it. `npm test` builds first. */

const BEZOAR = fileURLToPath(new URL('../packages/cli/bin/bezoar.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../packages/cli/assets/demo', import.meta.url));
const ESCAPE = '\u001b';

interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface Settings {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const folder = temporaryFolder();
const file = (name: string): string => join(folder, name);
const write = (name: string, content: string): string => {
  writeFileSync(file(name), content);
  return name;
};

/** Starts the command in the test's folder, with an environment that says nothing of colours or keys. */
function start(command: string, args: readonly string[], env: Settings['env'] = {}): ChildProcess {
  return spawn(command, args, { cwd: folder, env: { PATH: process.env.PATH, ...env } });
}

async function ended(child: ChildProcess, input = ''): Promise<Ran> {
  const text = { output: '', errors: '' };
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text.output += chunk;
  });
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    text.errors += chunk;
  });
  // A command that does not read its input may be gone before it is written.
  child.stdin!.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...text };
}

const bezoar = (args: readonly string[], { input, env }: Settings = {}): Promise<Ran> =>
  ended(start(process.execPath, [BEZOAR, ...args], env), input);

/** `$0` in a script is node, `$1` the command. */
const shell = (script: string): Promise<Ran> => ended(start('sh', ['-c', script, process.execPath, BEZOAR]));

interface Line {
  readonly queryId: string;
  readonly kept: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly stages: readonly StageTrace[];
  readonly certificate: Certificate | null;
  readonly degraded: boolean;
}

const linesOf = (text: string): Line[] => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));

/** Runs `defend`, which must go well and say nothing beside its results. */
async function defend(...args: string[]): Promise<Line[]> {
  const { code, output, errors } = await bezoar(['defend', ...args]);
  expect([code, errors]).toEqual([0, '']);
  return linesOf(output);
}

const withoutTimes = (lines: readonly Line[]): unknown =>
  lines.map((line) => ({ ...line, stages: line.stages.map((stage) => ({ ...stage, ms: 0 })) }));

async function listed(role: string): Promise<Record<string, string>[]> {
  return JSON.parse((await bezoar(['list', ...role.split(' '), '--format', 'json'])).output) as Record<string, string>[];
}

interface Input {
  readonly query: { readonly id: string; readonly text: string };
  readonly passages: readonly { readonly id: string; readonly title?: string; readonly text: string }[];
}

/** The first questions of the demo corpus with what a retriever gave for them, and a passage that carries the question. */
function retrievals(): Input[] {
  const read = <T>(name: string): T[] =>
    readFileSync(join(DEMO, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  const corpus = new Map(read<{ _id: string; title: string; text: string }>('corpus.jsonl').map((passage) => [passage._id, passage]));
  const texts = new Map(read<{ _id: string; text: string }>('queries.jsonl').map(({ _id, text }) => [_id, text]));
  return read<{ query_id: string; passage_ids: string[] }>('candidates.jsonl')
    .slice(1, 4)
    .map(({ query_id, passage_ids }) => ({
      query: { id: query_id, text: texts.get(query_id)! },
      passages: [
        { id: 'planted', text: `${texts.get(query_id)!} The answer is seven.` },
        ...passage_ids.slice(0, 7).map((id) => ({ id, title: corpus.get(id)!.title, text: corpus.get(id)!.text })),
      ],
    }));
}

const inputs = retrievals();
const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Everything section 5 of the design promises of a line, whatever the stages are. */
function expectContract(line: Line, input: Input, stages: readonly string[]): void {
  const ids = input.passages.map(({ id }) => id);
  const places = new Map(line.kept.map((id, index) => [id, index + 1]));
  expect(Object.keys(line).filter((key) => key !== 'rewritten')).toEqual([
    'queryId',
    'kept',
    'verdicts',
    'stages',
    'certificate',
    'degraded',
  ]);
  expect(line.queryId).toBe(input.query.id);
  expect(places.size).toBe(line.kept.length);
  expect(ids).toEqual(expect.arrayContaining([...line.kept]));
  expect(line.verdicts.map(({ passageId }) => passageId)).toEqual(ids);
  for (const [index, verdict] of line.verdicts.entries()) {
    expect(
      Object.keys(verdict)
        .filter((key) => key !== 'evidence')
        .toSorted(),
    ).toEqual(['action', 'passageId', 'rankAfter', 'rankBefore', 'reason', 'score', 'suspicion']);
    expect(verdict.rankBefore).toBe(index + 1);
    expect(verdict.rankAfter).toBe(places.get(verdict.passageId) ?? null);
    expect(verdict.action === 'drop').toBe(verdict.rankAfter === null);
    expect(['keep', 'drop', 'rewrite']).toContain(verdict.action);
    expect(verdict.score === null || Number.isFinite(verdict.score)).toBe(true);
    expect(verdict.suspicion).toBeGreaterThanOrEqual(0);
    expect(verdict.suspicion).toBeLessThanOrEqual(1);
    expect(verdict.reason).toMatch(/^[a-z]+(-[a-z]+)*$/);
  }
  expect(line.stages.map(({ name }) => name)).toEqual(stages);
  for (const stage of line.stages) {
    expect(Object.keys(stage)).toEqual(['name', 'ms', 'verdicts']);
    expect(stage.ms).toBeGreaterThanOrEqual(0);
  }
  // The first stage judges every passage, a later one those that were left.
  let left = ids;
  for (const stage of line.stages) {
    expect(stage.verdicts.map(({ passageId }) => passageId)).toEqual(left);
    left = stage.verdicts
      .filter(({ action }) => action !== 'drop')
      .toSorted((a, b) => a.rankAfter! - b.rankAfter!)
      .map(({ passageId }) => passageId);
  }
  expect(line.kept).toEqual(left);
  expect(line.certificate === null || Object.keys(line.certificate).toSorted()).toEqual(
    line.certificate === null || ['corruption', 'holds', 'mechanism', 'pad', 'padTight', 'radius', 'reason'],
  );
  expect(line.degraded).toBe(false);
}

beforeAll(async () => {
  write('plain.jsonl', jsonLines(inputs));
  const { code, output, errors } = await bezoar(['encode', '--in', 'plain.jsonl', '--out', 'in.jsonl']);
  expect([code, output, errors]).toEqual([0, '', '']);
}, 60_000);

describe('defend', () => {
  it('keeps its contract with every defense', { timeout: 120_000 }, async () => {
    const defenses = await listed('defenses');
    expect(defenses.map(({ name }) => name)).toEqual(expect.arrayContaining(['none', 'grada', 'trustrag-filter', 'pra-rag', 'sanitize']));
    const times: number[] = [];
    for (const { name, kind } of defenses) {
      const [all, some] = await Promise.all([
        defend('--defense', name!, '--in', 'in.jsonl'),
        defend('-d', name!, '-k', '2', '-i', 'in.jsonl'),
      ]);
      expect(all.length).toBe(inputs.length);
      for (const [index, line] of all.entries()) {
        expectContract(line, inputs[index]!, [name!]);
        expectContract(some[index]!, inputs[index]!, [name!]);
        // `--keep` is how many a reranker lets go on; a filter lets go on what survives it.
        if (kind === 'rerank') expect([line.kept.length, some[index]!.kept.length], name).toEqual([5, 2]);
        else expect(some[index]!.kept, name).toEqual(line.kept);
        times.push(line.stages[0]!.ms);
      }
    }
    // Milliseconds are not rounded.
    expect(times.some((ms) => !Number.isInteger(ms))).toBe(true);
  });

  it('gives the mechanisms’ own numbers', async () => {
    const [grada, selection] = await Promise.all([
      defend('-d', 'grada', '-i', 'in.jsonl'),
      defend('-d', 'pra-rag?subset=3', '-i', 'in.jsonl'),
    ]);
    for (const { kept, verdicts } of grada) {
      expect(verdicts.reduce((sum, { score }) => sum + score!, 0)).toBeCloseTo(1, 9);
      const scores = kept.map((id) => verdicts.find(({ passageId }) => passageId === id)!.score!);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
    for (const { kept, verdicts, certificate } of selection) {
      expect(kept.length).toBe(3);
      expect(certificate).toMatchObject({ mechanism: 'pra-rag', corruption: 1 });
      for (const { score, action } of verdicts) expect(score! > 0).toBe(action === 'keep');
    }
  });

  it('runs repeated defenses in order, recipes and policies by name, and the standard policy where nothing is named', {
    timeout: 60_000,
  }, async () => {
    const stages = ['question-echo', 'deduplicate', 'grada'];
    const repeated = await defend(...stages.flatMap((name) => ['-d', name]), '-i', 'in.jsonl');
    for (const [index, line] of repeated.entries()) {
      expectContract(line, inputs[index]!, stages);
      expect(line.verdicts[0]).toMatchObject({ passageId: 'planted', action: 'drop', reason: 'repeats-question' });
    }
    for (const { name } of [...(await listed('recipes')), ...(await listed('policies'))]) {
      const [shown, lines] = await Promise.all([listed(`policies ${name}`), defend('--policy', name!, '--in', 'in.jsonl')]);
      for (const [index, line] of lines.entries())
        expectContract(
          line,
          inputs[index]!,
          shown.map(({ spec }) => spec!.split('?')[0]!),
        );
    }
    const [named, spec, silent] = await Promise.all([
      defend('-p', 'standard', '-i', 'in.jsonl'),
      defend('-d', 'standard', '-i', 'in.jsonl'),
      defend('-i', 'in.jsonl'),
    ]);
    expect(withoutTimes(spec)).toEqual(withoutTimes(named));
    expect(withoutTimes(silent)).toEqual(withoutTimes(named));
  });

  it('leaves the title out with --passage-text text', async () => {
    write(
      'untitled.jsonl',
      jsonLines(inputs.map(({ query, passages }) => ({ query, passages: passages.map(({ id, text }) => ({ id, text })) }))),
    );
    const spec = ['-d', 'grada?weights=bm25'];
    const [without, untitled, withTitle] = await Promise.all([
      defend(...spec, '--passage-text', 'text', '-i', 'plain.jsonl'),
      defend(...spec, '-i', 'untitled.jsonl'),
      defend(...spec, '-i', 'plain.jsonl'),
    ]);
    expect(withoutTimes(without)).toEqual(withoutTimes(untitled));
    expect(withoutTimes(without)).not.toEqual(withoutTimes(withTitle));
  });

  it('makes the same of embeddings that encode made as of those it makes itself', async () => {
    const spec = ['-d', 'trustrag-filter?gate=off', '-d', 'pra-rag', '-d', 'grada?weights=embedding'];
    const [own, given, piped] = await Promise.all([
      defend(...spec, '-i', 'plain.jsonl'),
      defend(...spec, '-i', 'in.jsonl'),
      shell(`"$0" "$1" encode < plain.jsonl | "$0" "$1" defend ${spec.map((part) => `'${part}'`).join(' ')} --in /dev/stdin`),
    ]);
    expect(own.some(({ verdicts }) => verdicts.some(({ score }) => score !== null))).toBe(true);
    expect(withoutTimes(given)).toEqual(withoutTimes(own));
    expect([piped.code, piped.errors]).toEqual([0, '']);
    expect(withoutTimes(linesOf(piped.output))).toEqual(withoutTimes(own));
  });

  it('gives the rewritten texts beside the verdicts', async () => {
    const hidden = {
      query: { id: 'q', text: 'what?' },
      passages: [
        { id: 'a', text: 'plain' },
        { id: 'b', text: 'hid\u200bden' },
      ],
    };
    const { output } = await bezoar(['defend', '-d', 'sanitize'], { input: jsonLines([hidden]) });
    expect(JSON.parse(output)).toMatchObject({ kept: ['a', 'b'], rewritten: [{ id: 'b', text: 'hidden' }] });
  });
});

describe('policies', () => {
  it('come from a file, or from the folder’s bezoar.config.yaml; --keep wins over them', async () => {
    write('mine.yaml', 'version: 1\nstages: [question-echo, none]\nkeep: 3\nmode: monitor\n');
    const place = join(folder, 'project');
    mkdirSync(place);
    writeFileSync(join(place, 'bezoar.config.yaml'), 'version: 1\nstages: [none]\nkeep: ${KEEP:2}\n');
    const inProject = (args: string): Promise<Ran> => shell(`cd project && "$0" "$1" defend ${args} --in ../in.jsonl`);
    const [monitored, found, fewer, quiet] = await Promise.all([
      defend('--policy', 'mine.yaml', '--in', 'in.jsonl'),
      inProject(''),
      inProject('--keep 1'),
      inProject('--quiet'),
    ]);
    for (const [index, { kept, verdicts, degraded }] of monitored.entries()) {
      // Every verdict is there, and every passage goes through.
      expect(kept).toEqual(inputs[index]!.passages.map(({ id }) => id));
      expect(verdicts[0]).toMatchObject({ passageId: 'planted', action: 'drop', rankAfter: null });
      expect(verdicts.filter(({ action }) => action === 'keep').length).toBe(3);
      expect(degraded).toBe(false);
    }
    expect([found.code, found.errors, quiet.errors]).toEqual([0, 'bezoar: policy from bezoar.config.yaml\n', '']);
    for (const line of linesOf(found.output)) expect(line.kept.length).toBe(2);
    for (const line of linesOf(fewer.output)) expect(line.kept.length).toBe(1);
  });

  it.each(['pass', 'refuse', 'degrade'])('say so when a stage overruns, onError: %s', async (onError) => {
    const policy = write(`${onError}.yaml`, `version: 1\nstages: [question-echo, none]\nkeep: 2\nbudgetMs: 0\nonError: ${onError}\n`);
    const { code, output, errors } = await bezoar(['defend', '--policy', policy, '--in', 'in.jsonl']);
    expect(code).toBe(0);
    expect(errors).toBe('bezoar: 3 of 3 results are degraded: a stage failed or overran its budget; stages[].error says why\n');
    for (const [index, line] of linesOf(output).entries()) {
      const ids = inputs[index]!.passages.map(({ id }) => id);
      expect(line).toMatchObject({
        kept: { pass: ids, refuse: [], degrade: ids.slice(0, 2) }[onError]!,
        certificate: null,
        degraded: true,
        stages: Array.from({ length: onError === 'degrade' ? 2 : 1 }, () => ({ error: { code: 'BUDGET_EXCEEDED' } })),
      });
      expect(line.verdicts.length).toBe(ids.length);
    }
  });

  it('are checked by validate', async () => {
    write('wrong.yaml', 'version: 1\nstages:\n  - name: grada\n    weigths: bm25\n');
    const [right, wrong] = await Promise.all([bezoar(['validate', 'mine.yaml']), bezoar(['validate', 'wrong.yaml'])]);
    expect(right).toEqual({
      code: 0,
      output: 'mine.yaml: valid\n  question-echo -> none\n  keep 3, on error degrade, monitor\n',
      errors: '',
    });
    expect(wrong).toEqual({
      code: 2,
      output: '',
      errors: 'bezoar: wrong.yaml line 4: stages[0]: grada: unknown option "weigths"; did you mean weights?\n',
    });
  });
});

describe('what cannot be read', () => {
  const good = JSON.stringify(inputs[0]);
  const changed = (change: (input: { query: Record<string, unknown>; passages: Record<string, unknown>[] }) => void): string => {
    const input = JSON.parse(good) as Parameters<typeof change>[0];
    change(input);
    return JSON.stringify(input);
  };
  it.each([
    ['is not JSON', `${good}\n\n{"query": `, 'bad.jsonl line 3 is not JSON: '],
    [
      'lacks a text',
      `${good}\n${changed(({ passages }) => delete passages[3]!.text)}`,
      'bad.jsonl line 2: passages[3].text is missing, expected text',
    ],
    [
      'repeats an id',
      changed(({ passages }) => Object.assign(passages[2]!, { id: 'planted' })),
      'bad.jsonl line 1: passages[2].id is the same as passages[0].id; ',
    ],
    [
      'has vectors of two lengths',
      changed(({ passages }) => {
        for (const [index, passage] of passages.entries()) passage.embedding = index === 4 ? [1] : [1, 2];
      }),
      'bad.jsonl line 1: passages[4].embedding has 1 numbers, expected 2 as the others; ',
    ],
    ['is hostile', `{"query": {"id": "q", "text": "${ESCAPE}[31m\u009b31m\u202e"}, "passages": []}`, 'bad.jsonl line 1 is not JSON: '],
    ['is not there', '', 'bad.jsonl holds no retrieval; '],
  ])('a line that %s: one sentence with its place and a remedy, code 2, nothing half-written', async (_, content, said) => {
    write('bad.jsonl', content);
    const before = readdirSync(folder);
    const { code, output, errors } = await bezoar(['defend', '-d', 'none', '--in', 'bad.jsonl', '--out', 'result.jsonl']);
    expect([code, output]).toEqual([2, '']);
    expect(errors.slice(0, 8 + said.length)).toBe(`bezoar: ${said}`);
    expect(errors).toMatch(/^[^\p{Cc}\p{Cf}]+\n$/u);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('a file, a model folder, an encoder, an option, a number: code 2', async () => {
    mkdirSync(file('empty-model'));
    const said = async (...args: string[]): Promise<string> => {
      const { code, output, errors } = await bezoar(['defend', '--in', 'in.jsonl', ...args]);
      expect([code, output]).toEqual([2, '']);
      return errors;
    };
    const [missing, model, empty, encoder, option, seed] = await Promise.all([
      said('--in', 'nope.jsonl'),
      said('-d', 'pra-rag', '-e', 'onnx:nope'),
      said('-d', 'pra-rag', '-e', 'onnx:empty-model'),
      said('-d', 'pra-rag', '-e', 'statik'),
      said('--kep', '3'),
      said('--seed', 'lucky'),
    ]);
    expect(missing).toBe('bezoar: nope.jsonl does not exist; check the path\n');
    for (const text of [model, empty, encoder]) expect(text).toMatch(/^bezoar: [^\n]+\n$/);
    expect(model).toContain('nope');
    expect(empty).toContain('empty-model');
    expect(encoder).toContain('did you mean static?');
    expect(option).toContain("bezoar: unknown option '--kep'\n(Did you mean --keep?)\n");
    expect(seed).toContain("argument 'lucky' is invalid. Expected a whole number from 0 to 4294967295.");
  });
});

describe.skipIf(process.platform === 'win32')('pipes and disks', () => {
  it('a reader that leaves early, or is slow, is no fault', async () => {
    // Lines longer than a pipe takes at once, so that every one has to wait.
    const passages = Array.from({ length: 300 }, (_, index) => ({ id: `p${index}`, text: 'words' }));
    write('long.jsonl', jsonLines(Array.from({ length: 40 }, (_, index) => ({ query: { id: `q${index}`, text: 'what?' }, passages }))));
    const guard = '"$0" "$1" defend -d none --in long.jsonl';
    const [left, slow] = await Promise.all([
      shell(`{ ${guard}; echo "code $?" >&2; } | head -c 10`),
      shell(`{ ${guard}; echo "code $?" >&2; } | (sleep 0.5; wc -l)`),
    ]);
    expect([left.output, left.errors]).toEqual(['{"queryId"', 'code 0\n']);
    expect([slow.output.trim(), slow.errors]).toEqual(['40', 'code 0\n']);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk is said in a sentence', async () => {
    expect(await shell('"$0" "$1" list defenses > /dev/full')).toEqual({
      code: 2,
      output: '',
      errors: 'bezoar: standard output cannot be written: the disk is full\n',
    });
  });

  it('an interrupt leaves nothing half-written', async () => {
    const child = start(process.execPath, [BEZOAR, 'defend', '-d', 'none', '--out', 'interrupted.jsonl']);
    const parts = (): string[] => readdirSync(folder).filter((name) => name.startsWith('interrupted'));
    child.stdin!.write(`${JSON.stringify(inputs[0])}\n`);
    while (parts().length === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(parts()).toEqual([expect.stringMatching(/\.part$/)]);
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))).toBe('SIGINT');
    expect(parts()).toEqual([]);
  });

  it('is coloured where it is asked to be, and plain for programs and for NO_COLOR', async () => {
    write('any.yaml', 'version: 1\nstages: []\n');
    const seen = async (env: Readonly<Record<string, string>>): Promise<boolean> =>
      (await bezoar(['validate', 'any.yaml'], { env })).output.includes(ESCAPE);
    expect(await Promise.all([seen({}), seen({ FORCE_COLOR: '1' }), seen({ FORCE_COLOR: '1', NO_COLOR: '1' })])).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('calibrate', () => {
  it('measures an encoder on a trusted corpus, for defend --calibration', { timeout: 60_000 }, async () => {
    const { code, output, errors } = await bezoar(['calibrate', DEMO, '--out', 'calibration.json']);
    expect([code, errors]).toEqual([0, expect.stringContaining('--calibration calibration.json')]);
    expect(output).toMatch(/^density \d\.\d{4}: 95 % of \d+ clean pools of 10 stay below\nwritten to calibration\.json\n$/);
    const { density, ...rest } = JSON.parse(readFileSync(file('calibration.json'), 'utf8')) as { density: number };
    expect(rest).toEqual({ quantile: 0.95, pools: expect.any(Number), corpus: 'demo', command: 'bezoar calibrate demo --encoder static' });
    const lines = await defend('-d', 'trustrag-filter?gate=off', '--calibration', 'calibration.json', '-i', 'plain.jsonl');
    expect(lines.flatMap(({ verdicts }) => verdicts).map(({ evidence }) => evidence)).toContainEqual(
      expect.objectContaining({ density, densityFrom: 'calibration' }),
    );
  });

  it('keeps standard output to JSON with --out -, and asks where to write', async () => {
    const [json, model, nowhere] = await Promise.all([
      bezoar(['calibrate', DEMO, '--out', '-', '--quantile', '0.9']),
      shell(
        `"$0" "$1" calibrate '${DEMO}' --ngram --out - > model.bin; "$0" "$1" defend -d lexical-anomaly --likelihood model.bin --in in.jsonl`,
      ),
      bezoar(['calibrate', DEMO]),
    ]);
    expect([json.code, json.errors]).toEqual([0, '']);
    expect(JSON.parse(json.output)).toMatchObject({ quantile: 0.9, command: 'bezoar calibrate demo --encoder static --quantile 0.9' });
    expect([model.code, model.errors]).toEqual([0, '']);
    expect([nowhere.code, nowhere.output]).toEqual([2, '']);
    expect(nowhere.errors).toBe(
      'bezoar: static has no folder to store a calibration in; name a file with --out, and use it with defend --calibration\n',
    );
  });

  it.skipIf(!hasShared)('is stored beside an encoder that has a folder, and used from there', { timeout: 60_000 }, async () => {
    const from = sharedPath('models/paraphrase-MiniLM-L3-v2-int8');
    mkdirSync(file('encoder'));
    for (const name of readdirSync(from)) {
      if (name === 'model.onnx') symlinkSync(join(from, name), join(folder, 'encoder', name));
      else copyFileSync(join(from, name), join(folder, 'encoder', name));
    }
    const calibrated = await bezoar(['calibrate', DEMO, '--encoder', 'onnx:encoder']);
    expect([calibrated.code, calibrated.errors]).toEqual([0, '']);
    const { calibration } = JSON.parse(readFileSync(join(folder, 'encoder', 'bezoar.json'), 'utf8')) as {
      calibration: { density: number };
    };
    expect(calibration).toMatchObject({ corpus: 'demo', command: 'bezoar calibrate demo --encoder onnx:DIR' });
    const lines = await defend('-d', 'trustrag-filter?gate=off', '-e', 'onnx:encoder', '-i', 'plain.jsonl');
    expect(lines.flatMap(({ verdicts }) => verdicts).map(({ evidence }) => evidence)).toContainEqual(
      expect.objectContaining({ density: calibration.density, densityFrom: 'calibration' }),
    );
  });
});

describe('the first minute', () => {
  it('demo shows the attack, the guard and what to do next, in under ten seconds', { timeout: 30_000 }, async () => {
    const started = performance.now();
    const { code, output, errors } = await bezoar(['demo']);
    const seconds = (performance.now() - started) / 1000;
    expect([code, errors]).toEqual([0, '']);
    expect(seconds).toBeLessThan(10);
    expect(output).not.toContain(ESCAPE);
    expect(output).toMatch(/^2 .*No guard/m);
    expect(output).toMatch(/^ +1 {2}POISON /m);
    expect(output.match(/^ {3}(dropped|kept) +d\d+/gm)?.length).toBe(10);
    expect(output).toMatch(/^ +no guard +28 of 28 /m);
    expect(output.match(/npx --no-install bezoar /g)?.length).toBe(3);
  });

  it('help imports nothing heavy: neither a model nor the whole of core', () => {
    const dist = fileURLToPath(new URL('../packages/cli/dist/', import.meta.url));
    const seen = new Set<string>();
    const foreign = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, name] of readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["']([^"']+)["'];?$/gm)) {
        if (name!.startsWith('.')) visit(join(path, '..', name!));
        // Two small files that the command line shares with the bench; not its index.
        else if (name!.startsWith('@bezoar/bench/')) visit(join(dist, '../../bench/dist', `${name!.slice('@bezoar/bench/'.length)}.mjs`));
        else foreign.add(name!);
      }
    };
    visit(join(dist, 'main.mjs'));
    expect(seen.size).toBeGreaterThan(2);
    expect([...foreign].filter((name) => !name.startsWith('node:')).toSorted()).toEqual(['@bezoar/core/errors', 'commander']);
  });
});
