import { readdirSync } from 'node:fs';
import { loadStaticEncoder } from '@bezoar/models';
import { describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../../tests/memory-terminal.ts';
import { runCommand } from '../run-command.ts';

const jsonLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

async function encode(values: readonly unknown[], ...args: string[]): Promise<{ code: number; records: unknown[]; errors: string }> {
  const terminal = memoryTerminal({ input: [jsonLines(values)] });
  const code = await runCommand(['encode', ...args], terminal);
  const records = terminal
    .output()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { code, records, errors: terminal.errors() };
}

async function vector(text: string, role: 'query' | 'passage' = 'passage'): Promise<Float32Array> {
  return (await (await loadStaticEncoder()).encode([text], { role })).vectors[0]!;
}

const stored = (record: unknown): Float32Array => Float32Array.from((record as { embedding: number[] }).embedding);

describe('encode', () => {
  it('adds an embedding to passages and leaves all else as it is, with every digit that a 32-bit float has', async () => {
    const passages = [
      { _id: 'a', title: 'Tower', text: 'built of iron', metadata: { year: 1889, more: [null] } },
      { id: 'b', text: 'no title', embedding: [1, 2], extra: 'kept' },
    ];
    const { code, records, errors } = await encode(passages);
    expect([code, errors]).toEqual([0, '']);
    expect(records).toEqual(passages.map((passage) => ({ ...passage, embedding: expect.any(Array) })));
    expect(stored(records[0])).toEqual(await vector('Tower\nbuilt of iron'));
    expect(stored(records[1])).toEqual(await vector('no title'));
    expect(stored((await encode(passages, '--passage-text', 'text')).records[0])).toEqual(await vector('built of iron'));
  });

  it('adds embeddings to the question and the passages of a retrieval', async () => {
    const retrieval = { query: { id: 'q', text: 'which tower?' }, passages: [{ id: 'a', title: 'T', text: 'one' }], note: 1 };
    const { records } = await encode([retrieval, { query: { id: 'r', text: 'x' }, passages: [] }]);
    const [first, second] = records as { query: object; passages: object[]; note: number }[];
    expect([first!.note, second!.passages]).toEqual([1, []]);
    expect(stored(first!.query)).toEqual(await vector('which tower?', 'query'));
    expect(stored(first!.passages[0])).toEqual(await vector('T\none'));
  });

  it('makes no embedding of a text that is empty, and takes a title of null for none', async () => {
    const retrieval = { query: { id: 'q', text: '' }, passages: [{ id: 'a', title: 'T', text: ' ' }] };
    const { code, records } = await encode([{ id: 'a', text: '\n', embedding: [1] }, { id: 'b', text: 'x', title: null }, retrieval]);
    expect(code).toBe(0);
    expect(records[0]).toEqual({ id: 'a', text: '\n', embedding: null });
    expect(stored(records[1])).toEqual(await vector('x'));
    expect(records[2]).toEqual({
      query: { ...retrieval.query, embedding: null },
      passages: [{ ...retrieval.passages[0], embedding: null }],
    });
  });

  it('keeps the order of many lines', async () => {
    const passages = Array.from({ length: 150 }, (_, index) => ({ id: `p${index}`, text: `number ${index}` }));
    const { records } = await encode(passages);
    expect(records.map((record) => (record as { id: string }).id)).toEqual(passages.map(({ id }) => id));
    expect(stored(records[149])).toEqual(await vector('number 149'));
  });

  it('stops when nobody reads any longer', async () => {
    const terminal = memoryTerminal({
      input: [jsonLines(Array.from({ length: 200 }, () => ({ text: 'x' }))), '{broken'],
      write: async () => false,
    });
    expect(await runCommand(['encode'], terminal)).toBe(0);
    expect(terminal.errors()).toBe('');
  });

  it('shows progress on a terminal, and none with --quiet', async () => {
    const seen = async (...args: string[]): Promise<string> => {
      const terminal = memoryTerminal({ interactiveError: true, input: ['{"text": "x"}\n{"text": "y"}'] });
      expect(await runCommand(['encode', ...args], terminal)).toBe(0);
      return terminal.errors();
    };
    expect(await seen()).toBe('\r2 lines encoded\n');
    expect(await seen('--quiet')).toBe('');
  });

  const where = 'bezoar: standard input line 1: ';
  it.each([
    ['[1]', `${where}the line is not an object, expected a passage {"_id", "text"} or a retrieval {"query", "passages"}`],
    ['{"id": "a"}', `${where}text is missing, expected text`],
    ['{"text": 5}', `${where}text is a number, expected text`],
    ['{"text": "x", "title": 5}', `${where}title is a number, expected text`],
    ['{"query": {"id": "q", "text": "x"}}', `${where}passages is missing, expected a list of passages`],
    ['{"passages": []}', `${where}query is missing, expected {"id", "text"}`],
    [`{"text": "x", "deep": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'bezoar: standard input line 1 is nested too deeply'],
  ])('refuses %.40s in a sentence and writes no file', async (line, said) => {
    const terminal = memoryTerminal({ input: [line] });
    expect(await runCommand(['encode', '--out', 'out.jsonl'], terminal)).toBe(2);
    expect(terminal.errors().slice(0, said.length)).toBe(said);
    expect(terminal.errors()).toMatch(/^[^\n]+\n$/);
    expect(readdirSync(terminal.cwd)).toEqual([]);
  });
});
