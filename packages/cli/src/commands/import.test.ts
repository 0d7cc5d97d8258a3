import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { runCommand } from '../run-command.ts';

const FILES: Readonly<Record<string, string>> = {
  'nq/corpus.jsonl': '{"_id": "a", "title": "T", "text": "one"}\n{"_id": "b", "text": "two"}\n',
  'nq/queries.jsonl': '{"_id": "q1", "text": "who?"}\n{"_id": "q2", "text": "what?"}\n',
  'nq/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n',
  'bare/corpus.jsonl': '{"_id": "a", "text": "one"}\n',
  'targets.json': JSON.stringify({
    q2: { id: 'q2', question: 'what?', 'correct answer': 'x', 'incorrect answer': 'y', adv_texts: ['y it is', 'surely y'] },
  }),
};

type Ran = MemoryTerminal & { readonly code: number };

async function run(args: readonly string[], given: Parameters<typeof memoryTerminal>[0] = {}): Promise<Ran> {
  const terminal = memoryTerminal(given);
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(join(terminal.cwd, name, '..'), { recursive: true });
    writeFileSync(join(terminal.cwd, name), content);
  }
  return Object.assign(terminal, { code: await runCommand(['import', ...args], terminal) });
}

describe('import', () => {
  it('makes a dataset of a BEIR download, and says what is in it and what to do with it', async () => {
    const { code, output, errors, cwd } = await run(['beir', 'nq', '--out', 'made']);
    expect([code, output(), errors()]).toEqual([
      0,
      'made: 2 questions, 2 passages, 2 gold labels\nwritten to made\n',
      'bezoar: measure on it with: bezoar bench --dataset made\n',
    ]);
    expect(readdirSync(join(cwd, 'made')).toSorted()).toEqual(['corpus.jsonl', 'qrels', 'queries.jsonl']);
    expect((await run(['beir', 'nq', '--out', 'made', '--limit', '1', '--quiet'])).output()).toMatch(
      /^made: 1 question, 2 passages, 1 gold label\n/,
    );
  });

  it('makes one of PoisonedRAG’s targets and the corpus they were made for', async () => {
    const targets = ['poisonedrag', 'targets.json', '--out', 'made', '--quiet', '--corpus'];
    expect((await run([...targets, 'nq'])).output()).toMatch(/^made: 1 question, 2 passages, 1 gold label, 2 wrong texts\n/);
    expect((await run([...targets, 'nq', '--passages', '0'])).output()).toMatch(/^made: 1 question, 1 passage, 1 gold label, 2/);
  });

  it('says what cannot be measured without qrels', async () => {
    const { code, errors } = await run(['poisonedrag', 'targets.json', '--out', 'made', '--corpus', 'bare']);
    expect(code).toBe(0);
    expect(errors()).toContain('bezoar: no passage is known to be gold, so no metric of utility can be assessed\n');
  });

  it.each([
    [['beir', 'nope', '--out', 'made'], 'nope does not exist; check the path'],
    [['beir', 'nq', '--out', 'nq'], 'nq exists already; name a folder that does not'],
    [['beir', 'nq', '--out', 'made', '--split', 'dev'], 'dev.tsv does not exist; there is test.tsv'],
    [['beir', 'nq', '--out', 'made', '--corpus', 'nq'], '--corpus and --passages are for bezoar import poisonedrag'],
    [['beir', 'nq', '--out', 'made', '--passages', '3'], '--corpus and --passages are for bezoar import poisonedrag'],
    [['poisonedrag', 'targets.json', '--out', 'made'], 'name the BEIR folder it was made for with --corpus FOLDER'],
    [['poisonedrag', 'nq/corpus.jsonl', '--out', 'made', '--corpus', 'nq'], 'corpus.jsonl line 1: question is missing, expected text'],
    [['trec', 'nq', '--out', 'made'], 'beir, poisonedrag'],
    [['beir', 'nq'], "required option '-o, --out <folder>' not specified"],
  ])('%j: one sentence, code 2, and nothing left behind', async (args, said) => {
    const { code, output, errors, cwd } = await run(args);
    expect([code, output()]).toEqual([2, '']);
    expect(errors()).toContain(said);
    expect(readdirSync(cwd).toSorted()).toEqual(['bare', 'nq', 'targets.json']);
  });

  it('shows how far it is only where somebody looks, and cleans the line up', async () => {
    const seen = await run(['beir', 'nq', '--out', 'made'], { interactiveError: true });
    expect(seen.errors()).toMatch(/^\r\[[#.]+\] +\d+ % +checking .*\r +\rbezoar: measure on it/s);
    expect((await run(['beir', 'nq', '--out', 'made', '--quiet'], { interactiveError: true })).errors()).toBe('');
  });
});
