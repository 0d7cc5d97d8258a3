import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../tests/memory-terminal.ts';
import { runCommand } from './run-command.ts';
import type { Terminal } from './terminal.ts';

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
  readonly terminal: MemoryTerminal;
}

async function run(args: string, settings: Parameters<typeof memoryTerminal>[0] = {}): Promise<Ran> {
  const terminal = memoryTerminal(settings);
  const code = await runCommand(
    args.split(' ').filter((arg) => arg !== ''),
    terminal,
  );
  return { code, output: terminal.output(), errors: terminal.errors(), terminal };
}

const LINE = JSON.stringify({
  query: { id: 'q', text: 'what is it?' },
  passages: ['one thing', 'another thing', 'a third thing'].map((text, index) => ({ id: `p${index}`, text })),
});
const COMMANDS = ['demo', 'defend', 'list', 'validate', 'encode', 'calibrate'];
const HINT = '(bezoar --help lists the commands, bezoar COMMAND --help its options)\n';

describe('help', () => {
  it('lists every command on standard output, with code 0', async () => {
    for (const args of ['--help', '-h', 'help']) {
      const { code, output, errors } = await run(args);
      expect([code, errors]).toEqual([0, '']);
      for (const command of COMMANDS) expect(output).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    }
  });

  it('says the options every command has, and never passes the width of the terminal', async () => {
    for (const columns of [80, 100]) {
      for (const command of ['', ...COMMANDS]) {
        const { code, output } = await run(`${command} --help`, { columns });
        expect(code).toBe(0);
        for (const line of output.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
        if (command !== '')
          for (const option of ['--seed <n>', '--quiet', '--log-level <level>', '--help']) expect(output).toContain(option);
      }
    }
  });

  it('goes to the other stream with code 2 where no command is given', async () => {
    const { code, output, errors } = await run('');
    expect([code, output]).toEqual([2, '']);
    expect(errors).toContain('Commands:');
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
    for (const args of ['--version', '-V']) expect(await run(args)).toMatchObject({ code: 0, output: `${version}\n` });
  });
});

describe('a command line that cannot be meant', () => {
  it.each([
    ['defnd', "bezoar: unknown command 'defnd'\n(Did you mean defend?)\n"],
    ['xyzzyx', "bezoar: unknown command 'xyzzyx'\n"],
    ['defend --kep 3', "bezoar: unknown option '--kep'\n(Did you mean --keep?)\n"],
    ['list --format xml', "bezoar: option '--format <format>' argument 'xml' is invalid. Allowed choices are table, json.\n"],
    [
      'defend --passage-text title',
      "bezoar: option '--passage-text <what>' argument 'title' is invalid. Allowed choices are title-and-text, text.\n",
    ],
    ['defend --log-level loud', "bezoar: option '--log-level <level>' argument 'loud' is invalid."],
    ['defend --keep 0', "bezoar: option '-k, --keep <n>' argument '0' is invalid. Expected a whole number from 1 to 10000.\n"],
    ['defend --keep 1.5', "bezoar: option '-k, --keep <n>' argument '1.5' is invalid."],
    ['defend --keep 1e3', "bezoar: option '-k, --keep <n>' argument '1e3' is invalid."],
    ['defend --keep 10001', "bezoar: option '-k, --keep <n>' argument '10001' is invalid."],
    ['defend --seed -1', "bezoar: option '--seed <n>' argument '-1' is invalid. Expected a whole number from 0 to 4294967295.\n"],
    ['defend --seed 4294967296', "bezoar: option '--seed <n>' argument '4294967296' is invalid."],
    ['defend --seed x', "bezoar: option '--seed <n>' argument 'x' is invalid."],
    ['demo --question 0', "bezoar: option '--question <n>' argument '0' is invalid. Expected a whole number from 1.\n"],
    ['calibrate x --quantile 1', "bezoar: option '--quantile <q>' argument '1' is invalid. Expected a number between 0 and 1.\n"],
    ['calibrate x --quantile 0', "bezoar: option '--quantile <q>' argument '0' is invalid."],
    ['calibrate x --pool 2', "bezoar: option '--pool <n>' argument '2' is invalid. Expected a whole number from 3 to 100.\n"],
    ['calibrate', "bezoar: missing required argument 'corpus'\n"],
    ['defend --keep', "bezoar: option '-k, --keep <n>' argument missing\n"],
    ['validate a b', "bezoar: too many arguments for 'validate'."],
  ])('%s: code 2, what is wrong and where to look', async (args, said) => {
    const { code, output, errors } = await run(args);
    expect([code, output]).toEqual([2, '']);
    expect(errors.slice(0, said.length)).toBe(said);
    expect(errors.endsWith(HINT)).toBe(true);
  });

  it.each([
    ['defend --defense grda', 'no defense, recipe or policy is called "grda"; did you mean grada?'],
    ['defend --defense grada?alpa=1', 'grada: unknown option "alpa"; did you mean alpha?'],
    ['defend --defense grada?keep=x', 'grada: keep is "x", expected whole number from 1 to 10000'],
    ['defend --defense standard?keep=3', "standard: a named policy's settings are fixed; use its stages to change them"],
    [
      'defend --defense none --policy standard',
      '--defense and --policy are both given; put the stages into the policy file, or leave one out',
    ],
    ['defend --policy standrad', 'there is no policy file standrad; did you mean the policy standard?'],
    ['defend --policy grada?keep=3', 'there is no policy file grada?keep=3; it is a defense: --defense grada?keep=3'],
    ['defend --policy nope.yaml', 'nope.yaml does not exist; check the path'],
    ['defend --in nope.jsonl', 'nope.jsonl does not exist; check the path'],
    ['defend', 'standard input holds no retrieval; write one object a line (bezoar defend --help shows its form)'],
    ['defend --defense pra-rag --encoder statc', 'no encoder is called "statc"; did you mean static?'],
    ['defend --defense lexical-anomaly --likelihood nope', 'nope does not exist; check the path'],
    ['defend --corpus nope', 'nope does not exist; check the path'],
    ['encode', 'standard input holds nothing to encode; write one object a line'],
    ['encode --encoder static?x=1', 'static: unknown option "x"; it takes none'],
    ['encode --encoder onnx', '"onnx": write onnx:DIR'],
    ['list defences', 'there is no "defences" among the roles; did you mean defenses?'],
    ['list defenses grad', 'there is no "grad" among the defenses; did you mean grada?'],
    ['list attacks poisonrag', 'there is no "poisonrag" among the attacks; did you mean poisonedrag?'],
    ['list suites paper-grado', 'there is no "paper-grado" among the suites; did you mean paper-grada?'],
    ['validate', 'there is no bezoar.config.yaml in this folder; name a file: bezoar validate FILE'],
    ['calibrate nope', 'nope does not exist; check the path'],
    ['demo --question 1000', '--question is 1000, expected a whole number from 1 to 28'],
  ])('%s: code 2 and one sentence', async (args, said) => {
    const { code, output, errors } = await run(args);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/^bezoar: [^\n]+\n$/);
    expect(errors.slice('bezoar: '.length, 'bezoar: '.length + said.length)).toBe(said);
  });
});

describe('what an attacker may write', () => {
  const hostile = '\u001b[2J\u009b31m\u202e\u2028\r\nforged';

  it.each([
    ['an unknown command', [hostile]],
    ['an unknown option', ['defend', `--${hostile}`]],
    ['a number', ['defend', '--keep', hostile]],
    ['a SPEC', ['defend', '--defense', hostile]],
    ['an option of a SPEC', ['defend', '--defense', `grada?${hostile}=${hostile}`]],
    ['an encoder', ['encode', '--encoder', hostile]],
    ['a file', ['defend', '--in', hostile]],
    ['a policy', ['validate', hostile]],
    ['a role', ['list', hostile]],
    ['a name', ['list', 'defenses', hostile]],
    ['a corpus', ['calibrate', hostile]],
  ])('%s with escapes does not act on the terminal', async (_, args) => {
    const terminal = memoryTerminal();
    expect(await runCommand(args, terminal)).toBe(2);
    expect(terminal.output()).toBe('');
    expect(terminal.errors()).toMatch(/^bezoar: [^\n]+/);
    expect(terminal.errors().replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
    expect(terminal.errors()).not.toMatch(/^forged/m);
  });

  it('does not act through a policy file that is valid', async () => {
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'p.yaml'), 'version: 1\nstages: []\nencoder: "\\e[31mred\\u202e\\nforged: valid"\n');
    expect(await runCommand(['validate', 'p.yaml'], terminal)).toBe(0);
    expect(terminal.output()).toBe(
      'p.yaml: valid\n  no stages, everything goes through\n  keep 5, on error degrade, enforce, encoder  [31mred forged: valid\n',
    );
  });

  it('does not act through ids in JSON', async () => {
    const line = JSON.stringify({ query: { id: hostile, text: hostile }, passages: [{ id: hostile, text: hostile, title: hostile }] });
    for (const command of ['defend', 'encode']) {
      const { code, output } = await run(command, { input: [line] });
      expect(code).toBe(0);
      expect(output).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]*\n$/u);
      expect(output).toContain('forged');
    }
  });
});

describe('a line that only a stage can refuse', () => {
  const passages = Array.from({ length: 21 }, (_, index) => ({ id: `p${index}`, text: `text ${index}`, embedding: [1, index] }));
  it.each([
    ['passages that are too many to combine', 'pra-rag?subset=5', 21, '21 passages have 20349 combinations of 5, '],
    ['a query that the encoder gives another width', 'grada?similarity=embedding', 2, "the query's embedding has 256 numbers, "],
  ])('is named with its place: %s', async (_, defense, count, sentence) => {
    const line = JSON.stringify({ query: { id: 'q', text: 'who?' }, passages: passages.slice(0, count) });
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'in.jsonl'), `\n${line}\n`);
    expect(await runCommand(['defend', '--in', 'in.jsonl', '--out', 'out.jsonl', '--defense', defense], terminal)).toBe(2);
    expect(terminal.errors().startsWith(`bezoar: in.jsonl line 2: ${sentence}`), terminal.errors()).toBe(true);
    expect(readdirSync(terminal.cwd)).toEqual(['in.jsonl']);
  });
});

describe('streams', () => {
  it('says what went wrong in red only where people look', async () => {
    const seen = async (colour: boolean, interactiveError: boolean): Promise<string> =>
      (await run('validate nope', { colour, interactiveError })).errors;
    expect(await seen(true, true)).toBe('\u001b[31mbezoar:\u001b[39m nope does not exist; check the path\n');
    for (const [colour, interactive] of [
      [false, true],
      [true, false],
    ] as const)
      expect(await seen(colour, interactive)).toBe('bezoar: nope does not exist; check the path\n');
  });

  it('ends without complaint when nobody reads any longer', async () => {
    let asked = 0;
    const write: Terminal['write'] = async () => {
      asked += 1;
      return false;
    };
    expect(await run('defend', { write, input: [`${LINE}\n`.repeat(5)] })).toMatchObject({ code: 0, errors: '' });
    expect(asked).toBe(1);
  });

  it('says so when standard output cannot be written', async () => {
    const write: Terminal['write'] = () => Promise.reject(new Error('broken'));
    for (const args of ['list defenses', '--help']) {
      const { code, errors } = await run(args, { write });
      expect(code).toBe(2);
      expect(errors).toMatch(/^bezoar: an error of Bezoar's own, please report it: Error: broken\n/);
    }
  });

  it('tells who types that it waits, and nobody else', async () => {
    const waiting = 'bezoar: reading what you type; end it with Ctrl-D, or name a file with --in\n';
    expect((await run('defend', { input: [LINE], interactiveInput: true })).errors).toBe(waiting);
    expect((await run('defend --quiet', { input: [LINE], interactiveInput: true })).errors).toBe('');
    expect((await run('defend --log-level warn', { input: [LINE], interactiveInput: true })).errors).toBe('');
    expect((await run('defend', { input: [LINE] })).errors).toBe('');
  });

  it('warns of an encoder that no stage uses', async () => {
    const { code, errors } = await run('defend --defense none --encoder onnx:DIR', { input: [LINE] });
    expect([code, errors]).toEqual([0, 'bezoar: --encoder onnx:DIR is not used: no stage of the policy asks for embeddings\n']);
  });

  it('warns of degraded results, and says where to read why', async () => {
    const terminal = memoryTerminal({ input: [LINE] });
    writeFileSync(join(terminal.cwd, 'bezoar.config.yaml'), 'version: 1\nstages: [grada]\nbudgetMs: 0\n');
    expect(await runCommand(['defend'], terminal)).toBe(0);
    expect(terminal.errors()).toBe(
      'bezoar: policy from bezoar.config.yaml\nbezoar: 1 of 1 results are degraded: a stage failed or overran its budget; stages[].error says why\n',
    );
  });
});

describe('list', () => {
  const ROLES = ['defenses', 'recipes', 'policies', 'attacks', 'metrics', 'reports', 'suites', 'encoders', 'reasons', 'errors'];

  it.each(ROLES)('%s: a table for people and the same in JSON', async (role) => {
    const [people, programs] = [await run(`list ${role}`, { columns: 80 }), await run(`list ${role} --format json`)];
    const records = JSON.parse(programs.output) as Record<string, string>[];
    expect([people.code, people.errors, programs.code, programs.errors]).toEqual([0, '', 0, '']);
    expect(records.length).toBeGreaterThan(0);
    const lines = people.output.split('\n');
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const record of records) expect(lines.some((line) => line.startsWith(Object.values(record)[0]!))).toBe(true);
  });

  it('names the roles where none is given', async () => {
    expect((await run('list')).output).toBe(`bezoar list ${ROLES.join(' | ')}\n`);
    expect(JSON.parse((await run('list --format json')).output)).toEqual(ROLES);
  });

  it('shows the options of every defense within 80 columns, with defaults as people write them', async () => {
    const names = (JSON.parse((await run('list defenses --format json')).output) as { name: string }[]).map(({ name }) => name);
    for (const name of names) {
      const { code, output } = await run(`list defenses ${name}`, { columns: 80 });
      expect(code).toBe(0);
      for (const line of output.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
    const options = JSON.parse((await run('list defenses grada --format json')).output) as {
      option: string;
      default: string;
      takes: string;
    }[];
    const grada = new Map(options.map((option) => [option.option, option]));
    expect(grada.get('weights')).toMatchObject({ default: 'hybrid', takes: 'hybrid | embedding | bm25' });
    expect(grada.get('collapseDuplicates')).toMatchObject({ default: 'on', takes: 'on | off' });
    expect(grada.get('keep')).toMatchObject({ default: "the policy's", takes: 'whole number from 1 to 10000' });
  });

  it('shows the stages of a policy and of a recipe, and one row of any other role', async () => {
    const specs = async (args: string): Promise<string[]> =>
      (JSON.parse((await run(`${args} --format json`)).output) as { spec: string }[]).map(({ spec }) => spec);
    expect((await specs('list policies standard')).at(-1)).toBe('grada');
    expect(await specs('list recipes grada-bm25-zheng-2025')).toEqual([expect.stringMatching(/^grada\?/)]);
    expect((await run('list encoders static')).output).toMatch(/^spec +what it is\nstatic /);
  });

  it('shows the options of an attack, the row of one that has none, and the parts of a suite', async () => {
    const listed = async (args: string): Promise<unknown[]> => JSON.parse((await run(`list ${args} --format json`)).output) as unknown[];
    expect(await listed('attacks poisonedrag')).toEqual([
      expect.objectContaining({ option: 'question', default: 'on', takes: 'on | off' }),
    ]);
    expect(await listed('attacks misinformation')).toEqual([expect.objectContaining({ name: 'misinformation' })]);
    const parts = await listed('suites paper-trustrag');
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]).toEqual({ part: '1', title: expect.stringMatching(/Tables 2 and 4 to 6/) });
    expect(await listed('suites')).toContainEqual(expect.objectContaining({ name: 'paper-trustrag', parts: String(parts.length) }));
    expect(await listed('metrics pad')).toEqual([expect.objectContaining({ name: 'pad', unit: 'radians', better: 'lower' })]);
    expect(await listed('reports')).toContainEqual(expect.objectContaining({ name: 'html' }));
  });
});
