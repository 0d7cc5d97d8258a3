import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toyEncoder } from '@bezoar/core/testing';
import { type Attack, type AttackContext, type AttackTarget, attackFromSpec, plantPoison } from '@bezoar/redteam';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../tests/memory-dataset.ts';
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { openDataset } from './dataset/open-dataset.ts';
import { targetsOf } from './dataset/targets-of.ts';
import { poisonCount } from './place-poison.ts';
import { type PoolModels, preparePools } from './prepare-pools.ts';
import { type Dataset, PLACEMENTS, type PoolPassage, type PoolSettings, type PreparedQuestion, RETRIEVERS } from './types.ts';

/** Plants a question's wrong texts as they are. */
const attack: Attack = {
  name: 'plain',
  spec: 'plain',
  source: null,
  needs: ['wrong-texts'],
  craft: async ({ targetAnswer, wrongTexts }, { count, allowFewer }) => {
    if (wrongTexts.length < (allowFewer ? 1 : count)) return 'too-few-wrong-texts';
    const texts = wrongTexts.slice(0, count).map((text) => ({ text, spans: { retrieval: [], payload: [], trigger: [] } }));
    return { texts, targetAnswer, cost: { modelCalls: 0, encodedTexts: 0 } };
  },
};

const SETTINGS: PoolSettings = {
  retriever: 'candidates',
  pool: 4,
  poisons: 2,
  placement: 'slot',
  passageText: 'title-and-text',
  shortPools: false,
  keepDuplicates: false,
  isolated: false,
  limit: null,
  seed: 7,
};

/** What the questions say, and nothing made. */
const targetsIn = (dataset: Dataset): ReadonlyMap<string, AttackTarget> => targetsOf({ ...dataset, hasWrongTexts: true }, 0).targets;

const prepare = (
  dataset: Dataset,
  more: Partial<PoolSettings> = {},
  given: Attack | null = attack,
  models: Partial<PoolModels> = {},
): Promise<PreparedQuestion[]> =>
  preparePools(
    dataset,
    given,
    { ...SETTINGS, ...more },
    { encoder: toyEncoder(4096), cacheDir: null, targets: targetsIn(dataset), ...models },
  );

/** Clean passages by id, poisoned ones by their text. */
const show = (pool: readonly PoolPassage[]): string[] => pool.map(({ id, label, text }) => (label === 'clean' ? id : `${label}: ${text}`));

const WRONG = ['wrong one', 'wrong two', 'wrong three'];
const CORPUS = ['red fox', 'blue dog', 'home late', 'fox ran', 'dog sat', 'wrong one'];

describe('preparePools', () => {
  it('puts poison where the placement says, and looks at no similarity', async () => {
    const dataset = memoryDataset(CORPUS, [{ text: 'fox', candidates: [2, 0, 1, 3, 4], wrongTexts: WRONG }]);
    const pool = async (more: Partial<PoolSettings>): Promise<string[]> =>
      show((await prepare(dataset, more, attack, { encoder: null }))[0]!.pool);
    const [one, two, three] = WRONG.map((text) => `poisoned: ${text}`);
    expect(await pool({})).toEqual([one, two, 'c2', 'c0']);
    expect(await pool({ placement: 'slot-middle' })).toEqual(['c2', one, two, 'c0']);
    expect(await pool({ placement: 'slot-last' })).toEqual(['c2', 'c0', one, two]);
    expect(await pool({ placement: 'ratio', poisons: 0.8 })).toEqual([one, two, three, 'c2']);
    expect(await pool({ placement: 'ratio', poisons: 0.2 })).toEqual(['c2', 'c0', 'c1', 'c3']);
    const [{ cleanPool, pool: shown, planted }] = (await prepare(dataset, {}, attack, { encoder: null })) as [PreparedQuestion];
    expect(show(cleanPool)).toEqual(['c2', 'c0', 'c1', 'c3']);
    expect([...shown, ...cleanPool].map(({ relevance }) => relevance)).toEqual(new Array(8).fill(null));
    expect(planted).toBe(2);
  });

  it('sorts candidates and their poison by similarity where they compete', async () => {
    const dataset = memoryDataset(CORPUS, [
      { text: 'wrong fox', candidates: [2, 0, 1, 3, 4], wrongTexts: ['wrong fox', 'unrelated'] },
      { text: 'wrong fox', candidates: [0, 2, 1, 3], wrongTexts: ['foreign fox', 'wrong'] },
    ]);
    const [first, second] = (await prepare(dataset, { placement: 'retrieval' })) as [PreparedQuestion, PreparedQuestion];
    // c4 is not among the first four; of equal ones the earlier candidate is first.
    expect(show(first.pool)).toEqual(['poisoned: wrong fox', 'c0', 'c3', 'c2']);
    expect(show(first.cleanPool)).toEqual(['c0', 'c3', 'c2', 'c1']);
    expect(first.pool[0]!.relevance).toBeCloseTo(1, 12);
    expect(first.pool[1]!.relevance).toBeCloseTo(0.5, 12);
    expect(show(second.pool)).toEqual(['poisoned: wrong', 'c0', 'c3', 'poisoned: foreign fox']);
    const [none] = (await prepare(dataset, { placement: 'retrieval', limit: 1 }, null, { encoder: null })) as [PreparedQuestion];
    expect(show(none.pool)).toEqual(['c2', 'c0', 'c1', 'c3']);
    await expect(prepare(dataset, { placement: 'retrieval' }, attack, { encoder: null })).rejects.toMatchObject({
      code: 'NEEDS_EMBEDDINGS',
    });
  });

  it('retrieves from a corpus in which all poison lies, or the own alone', async () => {
    const dataset = memoryDataset(CORPUS, [
      { text: 'wrong one', wrongTexts: ['wrong one fox', 'wrong'] },
      { text: 'wrong dog', wrongTexts: ['wrong one', 'dog wrong'] },
    ]);
    const pools = async (more: Partial<PoolSettings>): Promise<string[][]> =>
      (await prepare(dataset, { retriever: 'dense', placement: 'retrieval', pool: 3, ...more })).map(({ pool }) => show(pool));
    // A clean passage with the text of a poisoned one stays clean, and is first of the two.
    expect(await pools({})).toEqual([
      ['c5', 'foreign: wrong one', 'poisoned: wrong one fox'],
      ['poisoned: dog wrong', 'foreign: wrong', 'c1'],
    ]);
    expect(await pools({ isolated: true })).toEqual([
      ['c5', 'poisoned: wrong one fox', 'poisoned: wrong'],
      ['poisoned: dog wrong', 'c1', 'c4'],
    ]);
    // `wrong` is rarer than `dog`.
    expect(await pools({ retriever: 'lexical', isolated: true })).toEqual([
      ['c5', 'poisoned: wrong one fox', 'poisoned: wrong'],
      ['poisoned: dog wrong', 'c5', 'poisoned: wrong one'],
    ]);
    // Slots: never foreign.
    expect(await pools({ placement: 'slot' })).toEqual([
      ['poisoned: wrong one fox', 'poisoned: wrong', 'c5'],
      ['poisoned: wrong one', 'poisoned: dog wrong', 'c1'],
    ]);
  });

  it('says why a question is not assessed', async () => {
    const dataset = memoryDataset(CORPUS, [
      { text: 'fox', candidates: [0, 1], wrongTexts: WRONG },
      { text: 'fox', candidates: [0], wrongTexts: WRONG },
      { text: 'fox', candidates: [0, 1], wrongTexts: ['one'] },
      { text: 'fox', candidates: [0, 1] },
      { text: 'fox', candidates: null, wrongTexts: WRONG },
      { text: 'fox', candidates: [], wrongTexts: WRONG },
    ]);
    const questions = await prepare(dataset);
    expect(questions.map(({ notAssessed }) => notAssessed)).toEqual([
      null,
      'too-few-candidates',
      'too-few-wrong-texts',
      'too-few-wrong-texts',
      'no-candidates',
      'no-candidates',
    ]);
    expect(questions.map(({ pool, cleanPool }) => [pool.length, cleanPool.length])).toEqual([
      [4, 2],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(questions.map(({ planted }) => planted)).toEqual([2, 2, 0, 0, 2, 2]);
    const short = await prepare(dataset, { shortPools: true });
    expect(short.map(({ notAssessed }) => notAssessed)).toEqual([
      null,
      null,
      null,
      'too-few-wrong-texts',
      'no-candidates',
      'no-candidates',
    ]);
    expect(short.map(({ pool, cleanPool }) => [pool.length, cleanPool.length])).toEqual([
      [4, 2],
      [3, 1],
      [3, 2],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    // Without an attack there is no poison to fill the pool.
    expect((await prepare(dataset, { placement: 'retrieval' }, null)).map(({ notAssessed }) => notAssessed).slice(0, 4)).toEqual(
      new Array(4).fill('too-few-candidates'),
    );
    const full = await prepare(dataset, { poisons: 3, pool: 3 });
    expect(full[0]).toMatchObject({ notAssessed: null, pool: [{}, {}, {}], cleanPool: [{}, {}] });
  });

  it('counts copies once, whitespace aside, and not those that are only poison', async () => {
    const corpus = [
      { id: 'a', title: 'Fox', text: 'red' },
      { id: 'b', text: 'Fox  red' },
      { id: 'c', title: 'Dog', text: 'red' },
      { id: 'd', text: 'cat' },
    ];
    const dataset = memoryDataset(corpus, [{ text: 'fox', candidates: [0, 1, 2, 3], wrongTexts: ['copy', 'copy', 'cat'] }]);
    const clean = async (more: Partial<PoolSettings>): Promise<string[]> =>
      show((await prepare(dataset, { shortPools: true, ...more }))[0]!.cleanPool);
    expect(await clean({})).toEqual(['a', 'c', 'd']);
    expect(await clean({ keepDuplicates: true })).toEqual(['a', 'b', 'c', 'd']);
    expect(await clean({ passageText: 'text' })).toEqual(['a', 'b', 'd']);
    expect(await clean({ retriever: 'lexical' })).toEqual(['a']);
    expect(show((await prepare(dataset, { poisons: 3 }))[0]!.pool)).toEqual(['poisoned: copy', 'poisoned: copy', 'poisoned: cat', 'a']);
    expect(show((await prepare(dataset, { poisons: 3, placement: 'slot-last', pool: 6, shortPools: true }))[0]!.pool)).toEqual([
      'a',
      'c',
      'd',
      'poisoned: copy',
      'poisoned: copy',
      'poisoned: cat',
    ]);
  });

  it('tells grades by place, and all of them', async () => {
    const gold = new Map([
      [3, 1],
      [0, 2],
      [5, 1],
    ]);
    const dataset = memoryDataset(CORPUS, [{ text: 'fox', candidates: [0, 1, 3], gold, wrongTexts: ['wrong one', CORPUS[0]!] }]);
    const [{ pool, goldGrades, query }] = (await prepare(dataset)) as [PreparedQuestion];
    expect(pool.map(({ grade }) => grade)).toEqual([0, 0, 2, 0]);
    expect(goldGrades).toEqual([2, 1, 1]);
    expect(query).toEqual({ id: 'q0', text: 'fox' });
  });

  it('gives planted passages the ids of plantPoison, and shows title and text as they are', async () => {
    const crafted = {
      texts: [{ title: 'T', text: 'wrong', spans: { retrieval: [], payload: [], trigger: [] } }],
      targetAnswer: null,
      cost: { modelCalls: 0, encodedTexts: 0 },
    };
    const titled: Attack = { ...attack, spec: 'plain?titled=on', craft: async () => crafted };
    const dataset = memoryDataset([{ id: 'a', title: 'Fox', text: 'red' }, 'dog'], [{ text: 'fox', candidates: [0, 1] }]);
    const [{ pool }] = (await prepare(dataset, { pool: 3, poisons: 1 }, titled)) as [PreparedQuestion];
    const { passages } = plantPoison(crafted, { queryId: 'q0', attack: 'plain?titled=on', seed: 7 });
    expect(pool).toEqual([
      { ...passages[0], relevance: null, label: 'poisoned', grade: 0 },
      { id: 'a', title: 'Fox', text: 'red', relevance: null, label: 'clean', grade: 0 },
      { id: 'c1', text: 'dog', relevance: null, label: 'clean', grade: 0 },
    ]);
    expect(pool[0]!.title).toBe('T');
  });

  it('tells the attack what it may know', async () => {
    const told: [AttackTarget, AttackContext][] = [];
    const curious: Attack = {
      ...attack,
      craft: async (target, context) => {
        told.push([target, context]);
        return attack.craft(target, context);
      },
    };
    const encoder = toyEncoder();
    const { signal } = new AbortController();
    const dataset = memoryDataset(CORPUS, [{ text: 'fox', candidates: [0, 1], gold: new Map([[2, 1]]), wrongTexts: WRONG }]);
    const targets = targetsIn(dataset);
    await prepare(dataset, { placement: 'ratio', poisons: 0.8, shortPools: true }, curious, { encoder, signal, targets });
    expect(told[0]![0]).toBe(targets.get('q0'));
    expect(told[0]![1]).toMatchObject({ seed: 7, count: 3, allowFewer: true });
    expect(told[0]![1].encoder).toBe(encoder);
    expect(told[0]![1].signal).toBe(signal);
    expect((await told[0]![1].drawPassages(9)).map(({ id }) => id).toSorted()).toEqual(['c3', 'c4', 'c5']);
    told.length = 0;
    await prepare(dataset, { placement: 'ratio', poisons: 0.1 }, curious);
    expect(told).toEqual([]);
  });

  it('stops on abort, and says how far it is', async () => {
    const dataset = memoryDataset(CORPUS, [{ text: 'fox', candidates: [0, 1], wrongTexts: WRONG }]);
    await expect(prepare(dataset, {}, attack, { signal: AbortSignal.abort('why') })).rejects.toMatchObject({
      code: 'ABORTED',
      cause: 'why',
    });
    const said: unknown[] = [];
    await prepare(dataset, { retriever: 'dense', shortPools: true }, attack, { progress: (...told) => said.push(told) });
    expect(said).toEqual([
      [1, 1, 'crafting plain'],
      [6, 6, 'searching memory'],
    ]);
  });

  it('has nothing for no questions and no passages', async () => {
    for (const retriever of RETRIEVERS) {
      expect(await prepare(memoryDataset(CORPUS, []), { retriever })).toEqual([]);
      const [question] = await prepare(memoryDataset([], [{ text: '', wrongTexts: WRONG }]), { retriever, placement: 'retrieval' });
      expect(question).toMatchObject({ notAssessed: 'no-candidates', pool: [], cleanPool: [] });
    }
  });
});

const TEXT = fc
  .array(fc.constantFrom('red', 'fox', 'ran', 'home', 'late', 'wrong'), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));
const CASE = fc
  .record({
    corpus: fc.array(TEXT, { minLength: 1, maxLength: 25 }),
    queries: fc.array(fc.record({ text: TEXT, wrongTexts: fc.array(TEXT, { maxLength: 3 }) }), { minLength: 1, maxLength: 4 }),
  })
  .chain(({ corpus, queries }) =>
    fc.record({
      corpus: fc.constant(corpus),
      queries: fc.tuple(
        ...queries.map((query, index) =>
          fc.shuffledSubarray([...corpus.keys()]).map((candidates) => ({ id: `q${index}`, ...query, candidates, gold: new Map([[0, 1]]) })),
        ),
      ),
    }),
  );
const CHOICE = fc.record({
  retriever: fc.constantFrom(...RETRIEVERS),
  placement: fc.constantFrom(...PLACEMENTS),
  pool: fc.integer({ min: 1, max: 8 }),
  shortPools: fc.boolean(),
  keepDuplicates: fc.boolean(),
  isolated: fc.boolean(),
});
const withPoisons = (choice: Pick<PoolSettings, 'placement' | 'pool'>, poisons: number): number =>
  choice.placement === 'ratio' ? poisons / 4 : Math.min(poisons, choice.pool);

describe('pools of any dataset', () => {
  it('have the size, the labels and the order that the settings promise', async () => {
    await fc.assert(
      fc.asyncProperty(CASE, CHOICE, fc.integer({ min: 1, max: 3 }), async ({ corpus, queries }, choice, given) => {
        const settings = { ...choice, poisons: withPoisons(choice, given) };
        const count = poisonCount(settings);
        const questions = await prepare(memoryDataset(corpus, queries), settings);
        expect(questions.map(({ query }) => query.id)).toEqual(queries.map(({ id }) => id));
        for (const { notAssessed, pool, cleanPool, planted } of questions) {
          if (notAssessed !== null) {
            expect([pool, cleanPool]).toEqual([[], []]);
            continue;
          }
          const own = pool.filter(({ label }) => label === 'poisoned');
          const clean = pool.filter(({ label }) => label === 'clean');
          expect(pool.length).toBeLessThanOrEqual(choice.pool);
          expect(new Set(pool.map(({ id }) => id)).size).toBe(pool.length);
          expect(cleanPool.every(({ label }) => label === 'clean')).toBe(true);
          // What is clean in the pool is the beginning of the clean pool, in its order; but ranks among poison are other ranks.
          if (choice.retriever !== 'hybrid') expect(clean).toEqual(cleanPool.slice(0, clean.length));
          if (!choice.shortPools) expect(planted).toBe(count);
          if (!choice.shortPools) expect(cleanPool.length).toBeGreaterThanOrEqual(choice.pool - count);
          if (choice.placement === 'retrieval') {
            const numbers = pool.map(({ relevance }) => relevance!);
            for (const [index, number] of numbers.slice(1).entries()) expect(number).toBeLessThanOrEqual(numbers[index]! + 1e-11);
            expect(own.length).toBeLessThanOrEqual(planted);
            if (choice.isolated || choice.retriever === 'candidates') expect(own.length + clean.length).toBe(pool.length);
          } else {
            // A number that only the clean ones have would give the others away.
            expect([...pool, ...cleanPool].every(({ relevance }) => relevance === null)).toBe(true);
            expect(own.length).toBe(Math.min(planted, choice.pool));
            expect(own.length + clean.length).toBe(pool.length);
            expect(pool.length).toBe(Math.min(choice.pool, own.length + cleanPool.length));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on the other questions where poison is isolated', async () => {
    await fc.assert(
      fc.asyncProperty(CASE, CHOICE, fc.integer({ min: 1, max: 3 }), async ({ corpus, queries }, choice, given) => {
        const settings = { ...choice, isolated: true, poisons: withPoisons(choice, given) };
        const together = await prepare(memoryDataset(corpus, queries), settings);
        const turned = await prepare(memoryDataset(corpus, queries.toReversed()), settings);
        expect(turned.toReversed()).toEqual(together);
        expect(await prepare(memoryDataset(corpus, queries), { ...settings, limit: 1 })).toEqual(together.slice(0, 1));
      }),
    );
  });

  it('are those of a corpus that holds the poison of all questions', async () => {
    await fc.assert(
      fc.asyncProperty(CASE, fc.integer({ min: 1, max: 8 }), async ({ corpus, queries }, pool) => {
        const settings = { retriever: 'dense', placement: 'retrieval', pool, poisons: 1, shortPools: true, keepDuplicates: true } as const;
        const found = await prepare(memoryDataset(corpus, queries), settings);
        const poison = queries.flatMap(({ wrongTexts }, owner) =>
          wrongTexts.slice(0, 1).map((text) => ({ id: `planted for ${owner}`, text })),
        );
        const clean = corpus.map((text, place) => ({ id: `c${place}`, text }));
        const again = await prepare(memoryDataset([...clean, ...poison], queries), settings, null);
        for (const [index, question] of found.entries()) {
          if (question.notAssessed !== null) continue;
          const labelled = again[index]!.pool.map(({ id, text }) =>
            id.startsWith('planted') ? `${id === `planted for ${index}` ? 'poisoned' : 'foreign'}: ${text}` : id,
          );
          expect(show(question.pool)).toEqual(labelled);
        }
      }),
    );
  });
});

describe.skipIf(!hasShared)('pools of real questions', () => {
  it.each(RETRIEVERS)('are the same from the cache: %s', async (retriever) => {
    const dataset = await openDataset(sharedPath('data/realtimeqa'));
    const cacheDir = await mkdtemp(join(tmpdir(), 'bezoar-prepare-'));
    try {
      const given = attackFromSpec('poisonedrag');
      const run = (): Promise<PreparedQuestion[]> =>
        prepare(dataset, { retriever, placement: 'retrieval', pool: 10, limit: 20 }, given, { cacheDir });
      const cold = await run();
      expect(await run()).toEqual(cold);
      expect(cold.length).toBe(20);
      expect(cold.filter(({ notAssessed }) => notAssessed === null).length).toBeGreaterThan(0);
      for (const { notAssessed, pool, cleanPool } of cold)
        if (notAssessed === null) expect([pool.length, cleanPool.length]).toEqual([10, 10]);
    } finally {
      await dataset.close();
      await rm(cacheDir, { recursive: true });
    }
  });

  it("are the first candidates, whose order is the search engine's", async () => {
    const dataset = await openDataset(sharedPath('data/realtimeqa'));
    try {
      const questions = await prepare(
        dataset,
        { pool: 10, poisons: 1, keepDuplicates: true, passageText: 'title-and-text' },
        attackFromSpec('poisonedrag'),
        { encoder: null },
      );
      expect(questions.length).toBe(100);
      for (const [index, { pool, query }] of questions.entries()) {
        const { candidates, wrongTexts } = dataset.queries[index]!;
        const first = await dataset.passages(candidates!.slice(0, 9));
        expect(pool.map(({ label }) => label)).toEqual(['poisoned', ...new Array(9).fill('clean')]);
        expect(pool.slice(1).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
        expect(pool[0]!.text).toBe(`${query.text}.${wrongTexts[0]}`);
      }
    } finally {
      await dataset.close();
    }
  });
});
