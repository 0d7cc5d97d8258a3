import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import type { Dataset } from '../types.ts';
import { openDataset } from './open-dataset.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

const ROOT = mkdtempSync(join(tmpdir(), 'bezoar-dataset-'));
let made = 0;

/** A new folder with these files. */
function folderWith(files: Files): string {
  made += 1;
  const folder = join(ROOT, String(made), 'beir');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const opened: Dataset[] = [];
afterAll(() => Promise.all(opened.map((dataset) => dataset.close())));

async function open(files: Files, options: Parameters<typeof openDataset>[1] = {}): Promise<Dataset> {
  const dataset = await openDataset(folderWith(files), options);
  opened.push(dataset);
  return dataset;
}

const CORPUS = '{"_id": "a", "title": "T", "text": "one"}\n{"_id": "b", "title": "", "text": "two"}\n{"_id": "c", "text": "three"}\n';
const QUERIES =
  '{"_id": "q1", "text": "who?", "metadata": {"answers": ["x", "y"], "target": "z"}}\n{"_id": "q2", "text": "what?", "metadata": {}}\n';
const QRELS = 'query-id\tcorpus-id\tscore\nq1\tb\t1\nq1\ta\t2\nq2\tc\t0\n';
const CANDIDATES = '{"query_id": "q2", "passage_ids": ["c", "a"]}\n';
const WRONG =
  '{"_id": "w1", "query_id": "q2", "text": "no"}\n{"_id": "w2", "query_id": "q1", "text": "first", "target": "other"}\n{"_id": "w3", "query_id": "q2", "text": "second", "target": "v"}\n';
const WHOLE = {
  'corpus.jsonl': CORPUS,
  'queries.jsonl': QUERIES,
  'qrels/test.tsv': QRELS,
  'candidates.jsonl': CANDIDATES,
  'misinformation.jsonl': WRONG,
};

describe('openDataset', () => {
  it('reads all that a folder holds', async () => {
    const dataset = await open(WHOLE);
    expect(dataset).toMatchObject({ name: 'beir', passageCount: 3, hasCandidates: true, hasWrongTexts: true });
    expect(dataset.queries).toEqual([
      {
        id: 'q1',
        text: 'who?',
        answers: ['x', 'y'],
        targetAnswer: 'z',
        wrongTexts: ['first'],
        candidates: null,
        gold: new Map([
          [1, 1],
          [0, 2],
        ]),
      },
      { id: 'q2', text: 'what?', answers: [], targetAnswer: 'v', wrongTexts: ['no', 'second'], candidates: [2, 0], gold: new Map() },
    ]);
    expect(await dataset.passages([2, 0, 2, 1])).toEqual([
      { id: 'c', text: 'three' },
      { id: 'a', title: 'T', text: 'one' },
      { id: 'c', text: 'three' },
      { id: 'b', text: 'two' },
    ]);
    expect(await dataset.passages([])).toEqual([]);
  });

  it('needs no more than passages and questions; an empty target is none', async () => {
    const dataset = await open({
      'corpus.jsonl': '{"_id":"a","title":null,"text":""}',
      'queries.jsonl': '\ufeff{"_id":"q","text":"","metadata":{"target":""}}\r\n',
    });
    expect(dataset).toMatchObject({ passageCount: 1, hasCandidates: false, hasWrongTexts: false });
    expect(dataset.queries).toEqual([
      { id: 'q', text: '', answers: [], targetAnswer: null, wrongTexts: [], candidates: null, gold: new Map() },
    ]);
    expect(await dataset.passages([0])).toEqual([{ id: 'a', text: '' }]);
  });

  it('streams batches in file order, and again, and may be left early', async () => {
    const dataset = await open(WHOLE);
    const sizes = async (size: number): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const { first, passages } of dataset.batches(size)) found.push([first, ...passages.map(({ id }) => id)]);
      return found;
    };
    expect(await sizes(2)).toEqual([
      [0, 'a', 'b'],
      [2, 'c'],
    ]);
    expect(await sizes(3)).toEqual([[0, 'a', 'b', 'c']]);
    for await (const _ of dataset.batches(1)) break;
    expect(await sizes(1)).toEqual([
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ]);
    await expect(sizes(0)).rejects.toThrow('the size of a batch is 0, expected a whole number of at least 1');
  });

  it('gives the passages asked for, near or far from each other, of any length and script', async () => {
    const text = (place: number): string => `${['é', '東', '👩‍👩‍👧', 'x'][place % 4]}${'y'.repeat(place % 7 === 0 ? 40_000 : place)}`;
    const lines = Array.from({ length: 100 }, (_, place) => `${JSON.stringify({ _id: `${place}`, text: text(place) })}\r\n\n`);
    const dataset = await open({ 'corpus.jsonl': `\ufeff${lines.join('')}`, 'queries.jsonl': QUERIES });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 99 })), async (places) => {
        const [found, again] = await Promise.all([dataset.passages(places), dataset.passages(places.toReversed())]);
        expect(found).toEqual(places.map((place) => ({ id: `${place}`, text: text(place) })));
        expect(again.toReversed()).toEqual(found);
      }),
      { numRuns: 60 },
    );
  });

  it.each([[-1], [3], [0.5], [Number.NaN]])('has no place %d', async (place) => {
    const dataset = await open(WHOLE);
    await expect(dataset.passages([0, place])).rejects.toThrow(`has no place ${place}, expected a whole number from 0 to 2`);
  });

  it('says so when the corpus changes under it', async () => {
    const folder = folderWith(WHOLE);
    const dataset = await openDataset(folder);
    opened.push(dataset);
    const all = async (): Promise<void> => {
      for await (const _ of dataset.batches(10));
    };
    appendFileSync(join(folder, 'corpus.jsonl'), '{"_id": "d", "text": "four"}\n');
    await expect(all()).rejects.toThrow('corpus.jsonl changed since it was opened');
    truncateSync(join(folder, 'corpus.jsonl'), 50);
    await expect(dataset.passages([2])).rejects.toThrow('corpus.jsonl changed since it was opened');
    expect((await dataset.passages([0]))[0]?.id).toBe('a');
  });

  it('fingerprints what sha256sum says of the files it read, and nothing else', async () => {
    const sha = (content: string): string => createHash('sha256').update(content).digest('hex');
    const lines = Object.entries(WHOLE).map(([name, content]) => `${sha(content)}  ${name}\n`);
    expect((await open(WHOLE)).fingerprint).toBe(sha(lines.join('')));
    expect((await open({ ...WHOLE, 'notes.txt': 'x', 'qrels/train.tsv': 'x' })).fingerprint).toBe(sha(lines.join('')));
    const prints = await Promise.all(
      Object.keys(WHOLE).map(async (name) => (await open({ ...WHOLE, [name]: `${WHOLE[name as keyof typeof WHOLE]}\n` })).fingerprint),
    );
    expect(new Set([...prints, sha(lines.join(''))]).size).toBe(6);
  });

  it('closes more than once, and is of no use then', async () => {
    const dataset = await openDataset(folderWith(WHOLE));
    await dataset.close();
    await dataset.close();
    await expect(dataset.passages([0])).rejects.toThrow();
  });

  it('tells how far it is, in bytes of all its files', async () => {
    const heard: [number, number][] = [];
    await open(WHOLE, { progress: (done, total) => heard.push([done, total]) });
    const total = Object.values(WHOLE).reduce((sum, content) => sum + content.length, 0);
    expect(heard.at(-1)).toEqual([total, total]);
    expect(heard.map(([done]) => done)).toEqual(heard.map(([done]) => done).toSorted((a, b) => a - b));
  });

  it('stops when it is told to', async () => {
    await expect(openDataset(folderWith(WHOLE), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    const controller = new AbortController();
    const running = openDataset(folderWith(WHOLE), { signal: controller.signal, progress: () => controller.abort() });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('takes qrels with or without a head, with line ends of Windows and blank lines', async () => {
    for (const qrels of ['q1\ta\t1\n', 'query-id\tcorpus-id\tscore\r\n\r\nq1\ta\t1.0\r\n', '\ufeffq1\ta\t1', 'q1\ta\t1\nq1\ta\t1\n']) {
      const { queries } = await open({ ...WHOLE, 'qrels/test.tsv': qrels });
      expect(queries[0]!.gold).toEqual(new Map([[0, 1]]));
    }
  });

  it('reads test.tsv, else the only qrels there are, else those of the split that is named', async () => {
    const gold = async (files: Files, split?: string): Promise<number[]> =>
      (await open({ ...WHOLE, ...files }, split === undefined ? {} : { split })).queries.flatMap((query) => [...query.gold.keys()]);
    const { 'qrels/test.tsv': _, ...none } = WHOLE;
    expect(await gold({ 'qrels/dev.tsv': 'q1\tc\t1\n' })).toEqual([1, 0]);
    expect(await gold({ 'qrels/dev.tsv': 'q1\tc\t1\n' }, 'dev')).toEqual([2]);
    const { queries } = await open({ ...none, 'qrels/dev.tsv': 'q1\tc\t1\n', 'qrels/notes.txt': '' });
    expect(queries[0]!.gold).toEqual(new Map([[2, 1]]));
  });

  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => JSON.stringify({ _id: `q${index}`, text: 'who?' })).join('\n');
  const judged = (count: number): string => Array.from({ length: count }, (_, index) => `q${index}\ta\t1\n`).join('');

  const dev = { 'qrels/dev.tsv': '' };

  it.each([
    ['nine of ten have qrels', 10, 9, dev, 10],
    ['fewer have', 10, 8, dev, 8],
    ['none has', 10, 0, dev, 10],
    ['candidates mention one more', 10, 8, { ...dev, 'candidates.jsonl': '{"query_id": "q9", "passage_ids": []}' }, 10],
    ['wrong texts mention one of three', 10, 7, { ...dev, 'misinformation.jsonl': '{"_id": "w", "query_id": "q9", "text": "x"}' }, 8],
    ['there are no other qrels', 10, 1, {}, 10],
    ['a thousand have none, and there are no other qrels', 1001, 1, {}, 1001],
    ['more have none', 1002, 1, {}, 1],
  ])('keeps questions of other splits out: %s', async (_, count, gold, more, kept) => {
    const { queries } = await open({ 'corpus.jsonl': CORPUS, 'queries.jsonl': many(count), 'qrels/test.tsv': judged(gold), ...more });
    expect(queries.length).toBe(kept);
  });

  it('counts a grade of 0 as a word about the question', async () => {
    const qrels = { ...dev, 'qrels/test.tsv': 'q1\ta\t0\nq2\tb\t-1\n' };
    const { queries } = await open({ 'corpus.jsonl': CORPUS, 'queries.jsonl': many(4), ...qrels });
    expect(queries.map(({ id, gold }) => [id, gold.size])).toEqual([
      ['q1', 0],
      ['q2', 0],
    ]);
  });
});

describe('openDataset, when something is wrong', () => {
  const ESCAPE = '\\u001b[31m\\u202e';
  const without = (name: keyof typeof WHOLE): Files => Object.fromEntries(Object.entries(WHOLE).filter(([key]) => key !== name));
  const line = (name: string, content: string): Files => ({ ...WHOLE, [name]: content });
  const cases: readonly (readonly [string, Files, string, string, string])[] = [
    [
      'no corpus',
      without('corpus.jsonl'),
      'NOT_FOUND',
      'corpus.jsonl',
      ' does not exist; a BEIR folder holds corpus.jsonl, one {"_id", "title", "text"} a line',
    ],
    [
      'no questions',
      without('queries.jsonl'),
      'NOT_FOUND',
      'queries.jsonl',
      ' does not exist; a BEIR folder holds queries.jsonl, one {"_id", "text", "metadata"} a line',
    ],
    ['not JSON', line('corpus.jsonl', `${CORPUS}{"_id"\n`), 'BAD_INPUT', 'corpus.jsonl', ' line 4 is not JSON: '],
    [
      'no object',
      line('corpus.jsonl', '["a"]\n'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 1: the line is not an object; write one {...} a line',
    ],
    [
      'no object among the questions',
      line('queries.jsonl', `${QUERIES}null`),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 3: the line is not an object; write one {...} a line',
    ],
    [
      'a passage without id',
      line('corpus.jsonl', '{"text": "one"}'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 1: _id is missing, expected text',
    ],
    [
      'a number for an id',
      line('corpus.jsonl', `${CORPUS}\n{"_id": 4, "text": "x"}`),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 5: _id is a number, expected text',
    ],
    [
      'a passage without text',
      line('corpus.jsonl', '{"_id": "a", "title": "T"}'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 1: text is missing, expected text',
    ],
    [
      'null for a text',
      line('corpus.jsonl', '{"_id": "a", "text": null}'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 1: text is null, expected text',
    ],
    [
      'a number for a title',
      line('corpus.jsonl', '{"_id": "a", "text": "", "title": 0}'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 1: title is a number, expected text',
    ],
    [
      'a passage twice',
      line('corpus.jsonl', `${CORPUS}{"_id": "b", "text": "x"}`),
      'DUPLICATE_ID',
      'corpus.jsonl',
      " line 4: _id is the same as an earlier passage's; ids must be unique",
    ],
    [
      'no passage',
      line('corpus.jsonl', '\n \n'),
      'BAD_INPUT',
      'corpus.jsonl',
      ' holds no passage; write one {"_id", "title", "text"} a line',
    ],
    [
      'not UTF-8',
      { ...WHOLE, 'corpus.jsonl': Buffer.from(CORPUS.replace('two', 'caf\u00e9'), 'latin1') },
      'BAD_INPUT',
      'corpus.jsonl',
      ' line 2 is not UTF-8 text; save the file as UTF-8',
    ],
    [
      'no question',
      line('queries.jsonl', ''),
      'BAD_INPUT',
      'queries.jsonl',
      ' holds no question; write one {"_id", "text", "metadata"} a line',
    ],
    [
      'a question without id',
      line('queries.jsonl', '{"text": "who?"}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: _id is missing, expected text',
    ],
    [
      'a question without text',
      line('queries.jsonl', '{"_id": "q1"}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: text is missing, expected text',
    ],
    [
      'a question twice',
      line('queries.jsonl', QUERIES + QUERIES),
      'DUPLICATE_ID',
      'queries.jsonl',
      " line 3: _id is the same as an earlier question's; ids must be unique",
    ],
    [
      'metadata that is text',
      line('queries.jsonl', '{"_id": "q1", "text": "", "metadata": "x"}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: metadata is not an object; write {"answers": [...], "target": "..."} or leave it out',
    ],
    [
      'answers that are text',
      line('queries.jsonl', '{"_id": "q1", "text": "", "metadata": {"answers": "x"}}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: metadata.answers is not a list of texts; write ["answer", ...]',
    ],
    [
      'answers that are numbers',
      line('queries.jsonl', '{"_id": "q1", "text": "", "metadata": {"answers": ["x", 4]}}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: metadata.answers is not a list of texts; write ["answer", ...]',
    ],
    [
      'a target that is a number',
      line('queries.jsonl', '{"_id": "q1", "text": "", "metadata": {"target": 4}}'),
      'BAD_INPUT',
      'queries.jsonl',
      ' line 1: metadata.target is a number, expected text',
    ],
    [
      'qrels with too few columns',
      line('qrels/test.tsv', `${QRELS}q1\ta\n`),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 5: has 2 columns, expected 3: query id, passage id and grade, with a tab between',
    ],
    [
      'qrels with spaces between',
      line('qrels/test.tsv', 'q1 a 1\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: has 1 column, expected 3: query id, passage id and grade, with a tab between',
    ],
    [
      'qrels of TREC',
      line('qrels/test.tsv', 'q1\t0\ta\t1\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: has 4 columns, expected 3: query id, passage id and grade, with a tab between',
    ],
    [
      'a grade that is no number',
      line('qrels/test.tsv', 'q1\ta\thigh\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: score is "high", expected a number; 0 or less is not gold',
    ],
    [
      'a grade that is missing',
      line('qrels/test.tsv', `${QRELS}q1\ta\t\n`),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 5: score is "", expected a number; 0 or less is not gold',
    ],
    [
      'a second head',
      line('qrels/test.tsv', QRELS + QRELS),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 5: score is "score", expected a number; 0 or less is not gold',
    ],
    [
      'qrels of no question',
      line('qrels/test.tsv', 'q9\ta\t1\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: query-id is "q9", which queries.jsonl does not have; add the question or remove the line',
    ],
    [
      'qrels of no passage',
      line('qrels/test.tsv', 'q1\td\t1\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: corpus-id is "d", which corpus.jsonl does not have; add the passage or remove the line',
    ],
    [
      'grades that contradict',
      line('qrels/test.tsv', 'q1\ta\t1\nq1\ta\t2\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 2: score is 2, but 1 on an earlier line for the same question and passage; remove one',
    ],
    [
      'candidates of no question',
      line('candidates.jsonl', '{"query_id": "q9", "passage_ids": []}'),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: query_id is "q9", which queries.jsonl does not have; add the question or remove the line',
    ],
    [
      'candidates that are no list',
      line('candidates.jsonl', '{"query_id": "q1", "passage_ids": "a"}'),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: passage_ids is not a list of ids; write ["id", ...]',
    ],
    [
      'a candidate that is a number',
      line('candidates.jsonl', '{"query_id": "q1", "passage_ids": [1]}'),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: passage_ids[0] is a number, expected text',
    ],
    [
      'a candidate that is nowhere',
      line('candidates.jsonl', '{"query_id": "q1", "passage_ids": ["a", "d"]}'),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: passage_ids[1] is "d", which corpus.jsonl does not have; add the passage or remove the id',
    ],
    [
      'a candidate twice',
      line('candidates.jsonl', '{"query_id": "q1", "passage_ids": ["a", "b", "a"]}'),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: passage_ids[2] is "a" for the second time; name a passage once',
    ],
    [
      'candidates twice',
      line('candidates.jsonl', CANDIDATES + CANDIDATES),
      'DUPLICATE_ID',
      'candidates.jsonl',
      " line 2: query_id is the same as an earlier line's; ids must be unique",
    ],
    [
      'a wrong text of no question',
      line('misinformation.jsonl', '{"_id": "w", "query_id": "q9", "text": "x"}'),
      'BAD_INPUT',
      'misinformation.jsonl',
      ' line 1: query_id is "q9", which queries.jsonl does not have; add the question or remove the line',
    ],
    [
      'a wrong text without words',
      line('misinformation.jsonl', '{"_id": "w", "query_id": "q1", "text": " "}'),
      'BAD_INPUT',
      'misinformation.jsonl',
      ' line 1: text is empty, expected a text that argues for the target; remove the line',
    ],
    [
      'a wrong text without id',
      line('misinformation.jsonl', '{"query_id": "q1", "text": "x"}'),
      'BAD_INPUT',
      'misinformation.jsonl',
      ' line 1: _id is missing, expected text',
    ],
    [
      'a wrong text twice',
      line('misinformation.jsonl', WRONG + WRONG),
      'DUPLICATE_ID',
      'misinformation.jsonl',
      " line 4: _id is the same as an earlier text's; ids must be unique",
    ],
    [
      'a target of a wrong text that is a list',
      line('misinformation.jsonl', '{"_id": "w", "query_id": "q1", "text": "x", "target": []}'),
      'BAD_INPUT',
      'misinformation.jsonl',
      ' line 1: target is a object, expected text',
    ],
    [
      'several qrels',
      { ...without('qrels/test.tsv'), 'qrels/train.tsv': '', 'qrels/dev.tsv': '' },
      'BAD_INPUT',
      'qrels',
      ' holds dev.tsv, train.tsv and no test.tsv; keep one of them, or name it test.tsv',
    ],
    [
      'a file for the folder of qrels',
      { ...without('qrels/test.tsv'), qrels: QRELS },
      'BAD_INPUT',
      'qrels',
      ' is a file, expected a folder with test.tsv; move it to ',
    ],
    [
      'hostile text',
      line('qrels/test.tsv', 'q1\t\u001b[31m\u202e\t1\n'),
      'BAD_INPUT',
      'qrels/test.tsv',
      ' line 1: corpus-id is " [31m ", which corpus.jsonl does not have',
    ],
    [
      'hostile text in JSON',
      line('candidates.jsonl', `{"query_id": "${ESCAPE}", "passage_ids": []}`),
      'BAD_INPUT',
      'candidates.jsonl',
      ' line 1: query_id is " [31m ", which queries.jsonl',
    ],
    [
      'long text',
      line('candidates.jsonl', `{"query_id": "${'x'.repeat(1000)}", "passage_ids": []}`),
      'BAD_INPUT',
      'candidates.jsonl',
      ` line 1: query_id is "${'x'.repeat(60)}…", which queries.jsonl`,
    ],
  ];

  it.each(cases)('%s', async (_, files, code, file, said) => {
    const folder = folderWith(files);
    const error = await openDataset(folder).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!BezoarError.is(error)) throw new Error(`expected a BezoarError, got ${String(error)}`);
    expect(error.message.slice(0, (join(folder, file) + said).length)).toBe(join(folder, file) + said);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^[^\p{Cc}\p{Cf}]*$/u);
  });

  it('a folder that is a file, one that is not there, a corpus that is a folder, and a split that is not there', async () => {
    const folder = folderWith(WHOLE);
    await expect(openDataset(join(folder, 'corpus.jsonl'))).rejects.toThrow(
      `${join(folder, 'corpus.jsonl')} is a file, expected a BEIR folder with corpus.jsonl and queries.jsonl; name the folder`,
    );
    await expect(openDataset(join(folder, 'nope'))).rejects.toThrow(`${join(folder, 'nope')} does not exist; check the path`);
    await expect(openDataset(folder, { split: 'dev' })).rejects.toThrow(
      `${join(folder, 'qrels/dev.tsv')} does not exist; there is test.tsv`,
    );
    const other = folderWith({ 'corpus.jsonl/x': '', 'queries.jsonl': QUERIES });
    await expect(openDataset(other)).rejects.toThrow(`${join(other, 'corpus.jsonl')} is a folder; name a file`);
    await expect(openDataset(folderWith({ 'corpus.jsonl': CORPUS, 'queries.jsonl': QUERIES }), { split: 'dev' })).rejects.toThrow(
      'dev.tsv does not exist; there are no qrels',
    );
  });
});

describe.skipIf(!hasShared)('openDataset on real data', () => {
  it.each([
    ['realtimeqa', 100, 4734, 1187, 500, true],
    ['simpleqa', 250, 4303, 717, 1250, true],
    ['ramdocs', 250, 966, 718, 155, true],
    ['hotpotqa', 50, 500, 100, 0, false],
  ])('%s has what its README says', async (name, queries, passages, gold, wrongTexts, hasWrongTexts) => {
    const dataset = await openDataset(sharedPath(`data/${name}`));
    const sum = (count: (query: Dataset['queries'][number]) => number): number =>
      dataset.queries.reduce((total, query) => total + count(query), 0);
    expect(dataset).toMatchObject({ name, passageCount: passages, hasCandidates: true, hasWrongTexts });
    expect([dataset.queries.length, sum((query) => query.gold.size), sum((query) => query.wrongTexts.length)]).toEqual([
      queries,
      gold,
      wrongTexts,
    ]);
    expect(dataset.queries.every((query) => query.candidates !== null)).toBe(true);
    await dataset.close();
  });
});
