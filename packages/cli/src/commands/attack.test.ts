import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { runCommand } from '../run-command.ts';

const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const CORPUS = Array.from({ length: 6 }, (_, index) => ({
  _id: `p${index}`,
  title: index % 2 ? `T${index}` : '',
  text: `passage ${index}`,
}));
const QUERIES = [
  { _id: 'q1', text: 'Who won?', metadata: { answers: ['Ann'], target: 'Bob' } },
  { _id: 'q2', text: 'Where?', metadata: { answers: ['Here'] } },
  { _id: 'q3', text: 'When?', metadata: { answers: ['1961'], target: '1974' } },
];
const WRONG = [
  { _id: 'x1', query_id: 'q1', text: 'Bob won.', target: 'Bob' },
  { _id: 'x2', query_id: 'q1', text: 'It was Bob.', target: 'Bob' },
  { _id: 'x3', query_id: 'q3', text: 'In 1974.', target: '1974' },
];

type Ran = MemoryTerminal & { readonly code: number };

async function attack(args: readonly string[], wrong: readonly unknown[] | null = WRONG, given = {}): Promise<Ran> {
  const terminal = memoryTerminal(given);
  const folder = join(terminal.cwd, 'data');
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  writeFileSync(join(folder, 'corpus.jsonl'), jsonLines(CORPUS));
  writeFileSync(join(folder, 'queries.jsonl'), jsonLines(QUERIES));
  writeFileSync(join(folder, 'qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq1\tp0\t1\nq2\tp1\t1\nq3\tp2\t1\n');
  if (wrong) writeFileSync(join(folder, 'misinformation.jsonl'), jsonLines(wrong));
  return Object.assign(terminal, { code: await runCommand(['attack', '--dataset', 'data', ...args], terminal) });
}

const linesOf = (ran: Ran, file: string): Record<string, unknown>[] =>
  readFileSync(join(ran.cwd, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const COMMON = ['--out', 'poison.jsonl'];

describe('attack', () => {
  it('writes passages for a corpus, and the labels in a file of their own', async () => {
    const ran = await attack(['--attack', 'poisonedrag', ...COMMON]);
    expect(ran.code).toBe(0);
    expect(ran.output()).toBe('');
    const passages = linesOf(ran, 'poison.jsonl');
    const id = expect.stringMatching(/^[0-9a-f]{24}$/);
    expect(passages).toEqual([
      { _id: id, title: '', text: 'Who won?.Bob won.', metadata: {} },
      { _id: id, title: '', text: 'When?.In 1974.', metadata: {} },
    ]);
    expect(linesOf(ran, 'poison.labels.jsonl')).toEqual([
      {
        _id: passages[0]!._id,
        query_id: 'q1',
        attack: 'poisonedrag',
        target: 'Bob',
        spans: { retrieval: [{ start: 0, end: 8 }], payload: [{ start: 9, end: 17 }], trigger: [] },
      },
      {
        _id: passages[1]!._id,
        query_id: 'q3',
        attack: 'poisonedrag',
        target: '1974',
        spans: { retrieval: [{ start: 0, end: 5 }], payload: [{ start: 6, end: 14 }], trigger: [] },
      },
    ]);
    expect(ran.errors()).toBe(
      'bezoar: 1 of 3 questions could not be attacked: 1 with no wrong text (too-few-wrong-texts)\n' +
        'bezoar: 2 poisoned passages for 2 questions in poison.jsonl, labels in poison.labels.jsonl\n' +
        'bezoar: append them to a copy of the corpus, never to one that others read\n',
    );
  });

  it('makes a corpus that can be read when its lines are appended', async () => {
    const ran = await attack(['--attack', 'query-as-poison', '--poisons', '2', ...COMMON]);
    const corpus = readFileSync(join(ran.cwd, 'data/corpus.jsonl'), 'utf8') + readFileSync(join(ran.cwd, 'poison.jsonl'), 'utf8');
    writeFileSync(join(ran.cwd, 'data/corpus.jsonl'), corpus);
    const again = Object.assign(ran, { code: await runCommand(['attack', '-d', 'data', '-a', 'misinformation', '-o', 'more.jsonl'], ran) });
    expect(again.code).toBe(0);
    expect(corpus.trimEnd().split('\n')).toHaveLength(12);
  });

  it('keeps the titles of passages that it took, and names no target where there is none', async () => {
    const ran = await attack(['--attack', 'query-as-poison?position=suffix', '--poisons', '5', ...COMMON]);
    const passages = linesOf(ran, 'poison.jsonl');
    expect(passages).toHaveLength(15);
    // The gold passage of q1, p0, is left alone; the five others are taken.
    expect(
      passages
        .slice(0, 5)
        .map(({ title, text }) => `${title}|${text}`)
        .sort(),
    ).toEqual(
      CORPUS.slice(1)
        .map(({ title, text }) => `${title}|${text} Who won?`)
        .sort(),
    );
    expect(linesOf(ran, 'poison.labels.jsonl')[0]).toMatchObject({ attack: 'query-as-poison?position=suffix', target: null });
  });

  it('writes the same bytes for the same seed, and others for another', async () => {
    const digest = async (...args: string[]): Promise<string> => {
      const ran = await attack(['--attack', 'query-as-poison?position=random', ...COMMON, ...args]);
      const hash = createHash('sha256');
      for (const file of ['poison.jsonl', 'poison.labels.jsonl']) hash.update(readFileSync(join(ran.cwd, file)));
      return hash.digest('hex');
    };
    expect(await digest()).toBe(await digest('--seed', '0'));
    expect(await digest()).not.toBe(await digest('--seed', '1'));
  });

  it('takes the first questions only, where told to', async () => {
    const ran = await attack(['--attack', 'misinformation', '--limit', '1', ...COMMON]);
    expect(linesOf(ran, 'poison.jsonl').map(({ text }) => text)).toEqual(['Bob won.']);
    expect(ran.errors()).not.toContain('could not be attacked');
  });

  it('says that wrong texts were made where the dataset has none, unless the attack takes none', async () => {
    const said = 'target answers and wrong texts are made from templates';
    const ran = await attack(['--attack', 'misinformation', '--poisons', '2', ...COMMON], null);
    expect([ran.code, linesOf(ran, 'poison.jsonl').length]).toEqual([0, 6]);
    expect(ran.errors()).toContain(said);
    expect((await attack(['--attack', 'query-as-poison', ...COMMON], null)).errors()).not.toContain(said);
    expect((await attack(['--attack', 'misinformation', ...COMMON])).errors()).not.toContain(said);
  });

  it('writes no file and ends with 2 where no question can be attacked', async () => {
    const ran = await attack(['--attack', 'poisonedrag', '--poisons', '3', ...COMMON]);
    expect(ran.code).toBe(2);
    expect(ran.errors()).toBe('bezoar: no question can be attacked: 3 with fewer than 3 wrong texts (too-few-wrong-texts)\n');
    expect(readdirSync(ran.cwd)).toEqual(['data']);
  });

  it('says nothing but results with --quiet', async () => {
    const ran = await attack(['--attack', 'poisonedrag', '--quiet', ...COMMON]);
    expect([ran.code, ran.errors(), ran.output()]).toEqual([0, '', '']);
    expect(existsSync(join(ran.cwd, 'poison.labels.jsonl'))).toBe(true);
  });

  it('shows progress on a terminal and takes it away', async () => {
    const ran = await attack(['--attack', 'poisonedrag', ...COMMON], WRONG, { interactiveError: true });
    expect(ran.errors()).toContain('crafting');
    expect(ran.errors()).toMatch(/\r {99}\r(bezoar: [^\n]+\n){3}$/);
  });

  it.each<[readonly string[], string]>([
    [['--attack', 'poisonrag', ...COMMON], 'bezoar: no attack is called "poisonrag"; did you mean poisonedrag?\n'],
    [['--attack', 'poisonedrag', '--out', '-'], 'bezoar: --out: labels are written beside it, so it must be a file\n'],
    [['--attack', 'poisonedrag', '--out', 'data/corpus.jsonl'], "bezoar: --out: corpus.jsonl is the dataset's own; name another file\n"],
    [['--attack', 'poisonedrag', ...COMMON, '--dataset', 'nowhere'], 'bezoar: '],
  ])('refuses %j', async (args, said) => {
    const ran = await attack(args);
    expect(ran.code).toBe(2);
    expect(ran.errors().slice(0, said.length)).toBe(said);
    expect(ran.errors().trimEnd()).not.toContain('\n');
    expect(readdirSync(ran.cwd)).toEqual(['data']);
    expect(readFileSync(join(ran.cwd, 'data/corpus.jsonl'), 'utf8')).toBe(jsonLines(CORPUS));
  });

  it.each(['--attack', '--out'])('asks for %s', async (missing) => {
    const args = ['--attack', 'poisonedrag', ...COMMON];
    args.splice(args.indexOf(missing), 2);
    const ran = await attack(args);
    expect(ran.code).toBe(2);
    expect(ran.errors()).toContain(`required option '-${missing[2]}, ${missing}`);
  });

  it('puts hostile texts into lines that do nothing to a terminal', async () => {
    const hostile = 'red \u001b[31m \u202e \u2028 end';
    const ran = await attack(['--attack', 'misinformation', ...COMMON], [{ _id: 'x', query_id: 'q1', text: hostile, target: hostile }]);
    const written = readFileSync(join(ran.cwd, 'poison.jsonl'), 'utf8') + readFileSync(join(ran.cwd, 'poison.labels.jsonl'), 'utf8');
    expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
    expect(linesOf(ran, 'poison.jsonl')[0]!.text).toBe(hostile);
  });
});
