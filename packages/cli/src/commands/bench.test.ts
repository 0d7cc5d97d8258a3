import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MemoryTerminal, memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { runCommand } from '../run-command.ts';

type Ran = MemoryTerminal & { readonly code: number };

const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Three candidates and two wrong texts a question. */
async function bench(...args: readonly string[]): Promise<Ran> {
  const terminal = memoryTerminal();
  const folder = join(terminal.cwd, 'data');
  mkdirSync(join(folder, 'qrels'), { recursive: true });
  mkdirSync(join(terminal.cwd, 'taken'));
  const ids = ['q1', 'q2'];
  const put = (name: string, lines: readonly unknown[]): void => writeFileSync(join(folder, name), jsonLines(lines));
  put(
    'corpus.jsonl',
    ids.flatMap((id) => [0, 1, 2].map((place) => ({ _id: `${id}-p${place}`, text: `passage ${place} on ${id}` }))),
  );
  put(
    'queries.jsonl',
    ids.map((id) => ({ _id: id, text: `what of ${id}?`, metadata: { answers: ['this'], target: 'that' } })),
  );
  put(
    'candidates.jsonl',
    ids.map((id) => ({ query_id: id, passage_ids: [0, 1, 2].map((place) => `${id}-p${place}`) })),
  );
  put(
    'misinformation.jsonl',
    ids.flatMap((id) => [0, 1].map((place) => ({ _id: `${id}-x${place}`, query_id: id, text: `that is ${id} ${place}`, target: 'that' }))),
  );
  writeFileSync(join(folder, 'qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq1\tq1-p0\t1\n');
  const common = ['--dataset', 'data', '--pool', '3', '--keep', '2', '--placement', 'slot', '--no-cache', '--workers', '1'];
  return Object.assign(terminal, { code: await runCommand(['bench', ...common, ...args], terminal) });
}

describe('bench', () => {
  it('repeats SPECs as they were given, counts what is not assessed, and leaves no journal', async () => {
    const specs = ['poisonedrag?question=off', 'none'];
    const { code, cwd, output, errors } = await bench('--attack', specs.join(), '--defense', 'none?keep=1,none', '--out', 'r.json');
    expect([code, output(), errors()]).toEqual([0, '', '']);
    expect(readdirSync(cwd).sort()).toEqual(['data', 'r.json', 'taken']);
    const { cells } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'));
    const told = cells.map(({ attack, defense, keep, metrics: { poisonInContext, successRate } }: Record<string, never>) => [
      ...[attack, defense, keep],
      ...[poisonInContext, successRate].map(({ value, n, notAssessed }: Record<string, unknown>) => [value, n, notAssessed]),
    ]);
    // The poison takes the first place; q2 has no gold passage.
    expect(told).toEqual([
      [specs[0], 'none?keep=1', 1, [1, 2, 0], [0, 1, 1]],
      [specs[0], 'none', 2, [1, 2, 0], [1, 1, 1]],
      ['none', 'none?keep=1', 1, [null, 0, 2], [1, 1, 1]],
      ['none', 'none', 2, [null, 0, 2], [1, 1, 1]],
    ]);
  });

  it('writes nothing but the result to standard output, and says with code 2 that nothing could be assessed', async () => {
    const { code, output, errors } = await bench('--pool', '9', '--format', 'json', '--defense', 'none');
    expect([code, JSON.parse(output()).cells[0].outcomes]).toEqual([2, { breached: 0, resisted: 0, notAssessed: 2 }]);
    expect(errors()).toBe(
      'bezoar: nothing could be assessed (too-few-candidates 2 times); bezoar bench --help names what a dataset needs\n',
    );
  });

  it.each([
    ['a folder in the place of the result, before anything is measured', ['--out', 'taken'], 'taken is a folder; name a file'],
    ['no defense', ['--defense', ','], 'defenses is an empty list: name at least one'],
    ['a format', ['--format', 'htm'], 'no report format is called "htm"; did you mean html?'],
    ['a folder that is not there', ['--out', 'no/r.json'], 'no/r.json.partial does not exist; check the path'],
  ])('refuses %s', async (_, args, message) => {
    const { code, cwd, output, errors } = await bench(...args);
    expect([code, output(), errors().replaceAll(`${cwd}/`, '')]).toEqual([2, '', `bezoar: ${message}\n`]);
    expect(readdirSync(cwd).sort()).toEqual(['data', 'taken']);
  });
});
