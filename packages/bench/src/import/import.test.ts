import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import { openDataset } from '../dataset/open-dataset.ts';
import type { Dataset } from '../types.ts';
import { importBeir } from './import-beir.ts';
import { importPoisonedrag } from './import-poisonedrag.ts';
import { readPoisonedragTargets } from './read-poisonedrag-targets.ts';
import { writeNewFolder } from './write-new-folder.ts';

type Files = Readonly<Record<string, string>>;

/** A folder to work in, with the files in its folder `beir`. */
function workIn(files: Files): { readonly source: string; readonly out: string; readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), 'bezoar-import-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'beir', name)), { recursive: true });
    writeFileSync(join(root, 'beir', name), content);
  }
  return { root, source: join(root, 'beir'), out: join(root, 'out') };
}

const jsonLines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const DOWNLOAD: Files = {
  'corpus.jsonl': jsonLines(
    { _id: 'a', title: 'T', text: 'one', metadata: { url: 'u' } },
    { _id: 'b', text: 'two' },
    { _id: 'c', title: 'é', text: 'three\u2028' },
  ),
  'queries.jsonl': jsonLines(
    { _id: 'q1', text: 'who?', metadata: { answer: 'x', level: 'hard' } },
    { _id: 'q2', text: 'what?' },
    { _id: 'q3', text: 'when?', metadata: { answers: ['y'], target: 'z' } },
    { _id: 'q4', text: 'where?', metadata: {} },
  ),
  'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq3\tc\t2\nq1\ta\t1\nq1\tb\t1\nq4\ta\t0\n',
  'qrels/dev.tsv': 'query-id\tcorpus-id\tscore\nq2\tb\t1\n',
};

async function opened<T>(folder: string, look: (dataset: Dataset) => Promise<T> | T): Promise<T> {
  const dataset = await openDataset(folder);
  try {
    return await look(dataset);
  } finally {
    await dataset.close();
  }
}

const texts = (folder: string): Promise<string[]> =>
  opened(folder, async (dataset) =>
    (await dataset.passages(Array.from({ length: dataset.passageCount }, (_, place) => place))).map(({ text }) => text),
  );

describe('importBeir', () => {
  it('writes the questions of the split that have gold, all passages, and reads back as it was', async () => {
    const { source, out } = workIn(DOWNLOAD);
    expect(await importBeir(source, { out })).toEqual({ queries: 2, passages: 3, gold: 3, wrongTexts: 0 });
    await opened(out, (dataset) => {
      expect(dataset.queries.map(({ id, text, answers, targetAnswer, gold }) => [id, text, answers, targetAnswer, [...gold]])).toEqual([
        [
          'q1',
          'who?',
          ['x'],
          null,
          [
            [0, 1],
            [1, 1],
          ],
        ],
        ['q3', 'when?', ['y'], 'z', [[2, 2]]],
      ]);
    });
    expect(await texts(out)).toEqual(['one', 'two', 'three\u2028']);
    const [first] = readFileSync(join(out, 'corpus.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first!)).toEqual({ _id: 'a', title: 'T', text: 'one', metadata: { url: 'u' } });
    expect(JSON.parse(readFileSync(join(out, 'queries.jsonl'), 'utf8').split('\n')[0]!).metadata).toEqual({
      answer: 'x',
      level: 'hard',
      answers: ['x'],
    });
    expect(readdirSync(out).toSorted()).toEqual(['corpus.jsonl', 'qrels', 'queries.jsonl']);
  });

  it('takes another split, and the first questions only', async () => {
    const { source, root } = workIn(DOWNLOAD);
    await importBeir(source, { out: join(root, 'dev'), split: 'dev' });
    expect(await opened(join(root, 'dev'), ({ queries }) => queries.map(({ id }) => id))).toEqual(['q2']);
    expect(readdirSync(join(root, 'dev', 'qrels'))).toEqual(['test.tsv']);
    expect(await importBeir(source, { out: join(root, 'one'), limit: 1 })).toEqual({ queries: 1, passages: 3, gold: 2, wrongTexts: 0 });
  });

  it('brings candidates and wrong texts of the questions it keeps', async () => {
    const { source, out } = workIn({
      ...DOWNLOAD,
      'candidates.jsonl': jsonLines({ query_id: 'q2', passage_ids: ['a'] }, { query_id: 'q3', passage_ids: ['b', 'c'] }),
      'misinformation.jsonl': jsonLines({ _id: 'w', query_id: 'q4', text: 'no' }, { _id: 'v', query_id: 'q1', text: 'yes', target: 't' }),
    });
    expect((await importBeir(source, { out })).wrongTexts).toBe(1);
    await opened(out, ({ queries }) => {
      expect(queries.map(({ candidates, wrongTexts, targetAnswer }) => [candidates, wrongTexts, targetAnswer])).toEqual([
        [null, ['yes'], 't'],
        [[1, 2], [], 'z'],
      ]);
    });
  });

  it('tells how far it is', async () => {
    const { source, out } = workIn(DOWNLOAD);
    const heard: [string, number][] = [];
    await importBeir(source, { out, progress: (done, total, what) => heard.push([what, done / total]) });
    expect(heard.filter(([what]) => what === 'checking').at(-1)).toEqual(['checking', 1]);
    expect(heard.at(-1)).toEqual(['writing', 1]);
    expect(heard.every(([, share]) => share >= 0 && share <= 1)).toBe(true);
  });

  it.each([
    ['a split that is not there', DOWNLOAD, { split: 'train' }, 'train.tsv does not exist; there is dev.tsv, test.tsv'],
    [
      'a split without gold',
      { ...DOWNLOAD, 'qrels/test.tsv': 'q1\ta\t0\n' },
      {},
      'test.tsv names no gold passage of any question; take another split',
    ],
    ['a fault in the download', { ...DOWNLOAD, 'corpus.jsonl': '{"_id": 1}' }, {}, 'corpus.jsonl line 1: _id is a number, expected text'],
    ['an abort', DOWNLOAD, { signal: AbortSignal.abort() }, 'aborted'],
  ])('leaves nothing behind after %s', async (_, files, settings, said) => {
    const { source, out, root } = workIn(files);
    await expect(importBeir(source, { out, ...settings })).rejects.toThrow(said);
    expect(readdirSync(root)).toEqual(['beir']);
  });

  it('stops in the middle of writing, and leaves nothing behind', async () => {
    const { source, out, root } = workIn(DOWNLOAD);
    const controller = new AbortController();
    const progress = (_done: number, _total: number, what: string): void => {
      if (what === 'writing') controller.abort();
    };
    await expect(importBeir(source, { out, signal: controller.signal, progress })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(readdirSync(root)).toEqual(['beir']);
  });
});

describe('writeNewFolder', () => {
  it('never writes over what is there, and shows nothing before all is written', async () => {
    const { source, root, out } = workIn(DOWNLOAD);
    await expect(importBeir(source, { out: source })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: `${source} exists already; name a folder that does not`,
    });
    await writeNewFolder(out, async (writeLines) => {
      expect(await writeLines('deep/x', ['1', '2'])).toBe(2);
      expect(readdirSync(root)).not.toContain('out');
    });
    expect(readFileSync(join(out, 'deep', 'x'), 'utf8')).toBe('1\n2\n');
    expect(readdirSync(root).toSorted()).toEqual(['beir', 'out']);
  });

  it('says which folder is missing above it', async () => {
    const { root } = workIn(DOWNLOAD);
    await expect(writeNewFolder(join(root, 'no', 'out'), async () => undefined)).rejects.toThrow(
      `${join(root, 'no')} does not exist; check the path`,
    );
  });

  it('writes long files whole', async () => {
    const { out } = workIn(DOWNLOAD);
    const line = 'é'.repeat(300_000);
    await writeNewFolder(out, (writeLines) => writeLines('x', new Array(10).fill(line)));
    expect(readFileSync(join(out, 'x'), 'utf8')).toBe(`${line}\n`.repeat(10));
  });
});

const RELEASED = {
  test1: { id: 'q1', question: 'who?', 'correct answer': 'x', 'incorrect answer': 24, adv_texts: ['w1', 'w2'] },
  q3: { question: 'when?', 'correct answer': ['y', 'Y'], 'incorrect answer': 'v', adv_texts: ['w3'] },
};
const AS_LINES = jsonLines(
  { _id: 'q1', question: 'who?', answer: 'x', target: '24', texts: ['w1', 'w2'] },
  { _id: 'q3', question: 'when?', answer: ['y', 'Y'], target: 'v', texts: ['w3'] },
);

describe('importPoisonedrag', () => {
  it.each([
    ['the released form', JSON.stringify(RELEASED, null, 4)],
    ['the released form on one line', JSON.stringify(RELEASED)],
    ['JSON lines', AS_LINES],
    ['JSON lines after a mark and a blank line', `\ufeff\n${AS_LINES}`],
  ])('reads %s', async (_, content) => {
    const { source, out } = workIn({ ...DOWNLOAD, 'targets.json': content });
    expect(await importPoisonedrag(join(source, 'targets.json'), { out, corpus: source, seed: 0 })).toEqual({
      queries: 2,
      passages: 3,
      gold: 3,
      wrongTexts: 3,
    });
    await opened(out, (dataset) => {
      expect(dataset.queries).toEqual([
        {
          id: 'q1',
          text: 'who?',
          answers: ['x'],
          targetAnswer: '24',
          wrongTexts: ['w1', 'w2'],
          candidates: null,
          gold: new Map([
            [0, 1],
            [1, 1],
          ]),
        },
        { id: 'q3', text: 'when?', answers: ['y', 'Y'], targetAnswer: 'v', wrongTexts: ['w3'], candidates: null, gold: new Map([[2, 2]]) },
      ]);
    });
  });

  it('keeps the gold passages and a seeded sample of others, in file order', async () => {
    const count = 200;
    const { source, root } = workIn({
      'corpus.jsonl': jsonLines(...Array.from({ length: count }, (_, place) => ({ _id: `p${place}`, text: String(place) }))),
      'queries.jsonl': DOWNLOAD['queries.jsonl']!,
      'qrels/test.tsv': 'q1\tp150\t1\nq3\tp3\t1\n',
      'targets.json': AS_LINES,
    });
    const drawn = async (name: string, passages: number, seed: number): Promise<number[]> => {
      const out = join(root, name);
      await importPoisonedrag(join(source, 'targets.json'), { out, corpus: source, passages, seed });
      expect(await opened(out, async ({ queries, passages: read }) => (await read([...queries[0]!.gold.keys()]))[0]!.id)).toBe('p150');
      return (await texts(out)).map(Number);
    };
    const ten = await drawn('ten', 10, 1);
    expect(ten).toHaveLength(12);
    expect(ten).toEqual(ten.toSorted((a, b) => a - b));
    expect(ten).toEqual(expect.arrayContaining([3, 150]));
    expect(await drawn('again', 10, 1)).toEqual(ten);
    expect(await drawn('other', 10, 2)).not.toEqual(ten);
    expect(await drawn('none', 0, 1)).toEqual([3, 150]);
    expect(await drawn('all', 1000, 1)).toHaveLength(count);
  });

  it('goes without qrels where the corpus has no questions, and takes the first targets only', async () => {
    const { source, out } = workIn({ 'corpus.jsonl': DOWNLOAD['corpus.jsonl']!, 'targets.jsonl': AS_LINES });
    expect(await importPoisonedrag(join(source, 'targets.jsonl'), { out, corpus: source, limit: 1, seed: 0 })).toEqual({
      queries: 1,
      passages: 3,
      gold: 0,
      wrongTexts: 2,
    });
    expect(readdirSync(out).toSorted()).toEqual(['corpus.jsonl', 'misinformation.jsonl', 'queries.jsonl']);
    expect(await opened(out, ({ queries }) => queries.map(({ id, wrongTexts }) => [id, wrongTexts.length]))).toEqual([['q1', 2]]);
  });

  it('tells how far it is, and stops when it is told to, without questions too', async () => {
    const { source, out, root } = workIn({ 'corpus.jsonl': DOWNLOAD['corpus.jsonl']!, 'targets.jsonl': AS_LINES });
    const settings = { out, corpus: source, seed: 0 };
    const heard: string[] = [];
    const progress = (done: number, total: number, what: string): void => void heard.push(`${what} ${done / total}`);
    await importPoisonedrag(join(source, 'targets.jsonl'), { ...settings, progress });
    expect(heard).toEqual(['checking 1', 'writing 0', 'writing 1']);
    const signal = AbortSignal.abort();
    await expect(importPoisonedrag(join(source, 'targets.jsonl'), { ...settings, out: join(root, 'b'), signal })).rejects.toThrow(
      'aborted',
    );
    expect(readdirSync(root).toSorted()).toEqual(['beir', 'out']);
  });

  it.each([
    [
      'of another corpus',
      jsonLines({ _id: 'q9\u001b', question: 'x', answer: 'x', target: 'y', texts: ['z'] }),
      'the target "q9 " is not among the questions of ',
    ],
    ['not JSON', '{"test1": {', "targets.json is not JSON; give one of PoisonedRAG's target files, or JSON lines"],
    ['empty', '', 'targets.json is not JSON'],
    ['without targets', '{}', "targets.json holds no target; give one of PoisonedRAG's target files"],
    ['a list', '[1]', 'targets.json line 1: the line is not an object'],
    ['of another shape', '{"a\\u001b": 1}', 'targets.json "a ": the line is not an object'],
    ['without question', JSON.stringify({ t: { id: 'q1' } }), 'targets.json "t": question is missing, expected text'],
    ['without answer', jsonLines({ _id: 'q1', question: 'x' }), 'targets.json line 1: answer is missing, expected text'],
    [
      'with an empty target',
      jsonLines({ _id: 'q1', question: 'x', answer: 'x', target: '' }),
      'targets.json line 1: target is empty, expected text',
    ],
    [
      'without texts',
      jsonLines({ _id: 'q1', question: 'x', answer: 'x', target: 'y', texts: [] }),
      'targets.json line 1: texts is not a list of texts',
    ],
    [
      'with a text that is none',
      jsonLines({ _id: 'q1', question: 'x', answer: 'x', target: 'y', texts: ['z', null] }),
      'targets.json line 1: texts[1] is not a text, expected text',
    ],
    ['that repeat', AS_LINES + AS_LINES, "targets.json line 3: _id is the same as an earlier target's; ids must be unique"],
  ])('refuses targets %s, and leaves nothing behind', async (_, content, said) => {
    const { source, out, root } = workIn({ ...DOWNLOAD, 'targets.json': content });
    await expect(importPoisonedrag(join(source, 'targets.json'), { out, corpus: source, seed: 0 })).rejects.toThrow(said);
    expect(readdirSync(root)).toEqual(['beir']);
  });

  it('says so when a file is not there', async () => {
    const { source, out, root } = workIn(DOWNLOAD);
    await expect(importPoisonedrag(join(root, 'no.json'), { out, corpus: source, seed: 0 })).rejects.toThrow(
      'no.json does not exist; check the path',
    );
    await expect(importPoisonedrag(source, { out, corpus: source, seed: 0 })).rejects.toThrow('beir is a folder; name a file');
    writeFileSync(join(source, 't.jsonl'), AS_LINES);
    await expect(importPoisonedrag(join(source, 't.jsonl'), { out, corpus: join(root, 'no'), seed: 0 })).rejects.toThrow(
      'no does not exist; check the path',
    );
  });
});

describe.skipIf(!hasShared)('on real data', () => {
  it('reads the released targets of Natural Questions', async () => {
    const targets = await readPoisonedragTargets(sharedPath('data/poisonedrag-targets/nq.jsonl'));
    expect(targets.length).toBe(100);
    expect(targets.every((target) => target.texts.length === 5 && target.answers.length === 1)).toBe(true);
  });

  it.each(['realtimeqa', 'simpleqa', 'ramdocs', 'hotpotqa'])(
    '%s comes through an import unchanged, but for questions without gold',
    async (name) => {
      const { root } = workIn(DOWNLOAD);
      const out = join(root, name);
      await importBeir(sharedPath(`data/${name}`), { out });
      const before = await opened(sharedPath(`data/${name}`), ({ queries }) => queries.filter(({ gold }) => gold.size > 0));
      expect(await opened(out, ({ queries }) => queries)).toEqual(before);
      expect(await texts(out)).toEqual(await texts(sharedPath(`data/${name}`)));
    },
  );
});
