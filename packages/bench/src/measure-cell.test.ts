import { type Defense, defineDefense, type StageInput, type StageOutcome } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { benchPolicy } from './bench-settings.ts';
import { type MeasureSettings, measureCell } from './measure-cell.ts';
import type { NotAssessed, PoolPassage, PreparedQuestion } from './types.ts';

const clean = (id: string, grade = 0): PoolPassage => ({
  id,
  text: `clean ${id}`,
  title: `title ${id}`,
  relevance: null,
  label: 'clean',
  grade,
});
const poison = (id: string): PoolPassage => ({ id, text: `wrong ${id}`, relevance: null, label: 'poisoned', grade: 0 });

function question(index: number, poisonRank: number | null = 1, notAssessed: NotAssessed | null = null): PreparedQuestion {
  const cleanPool = Array.from({ length: 6 }, (_, place) => clean(`q${index}-p${place}`, place === 1 ? 1 : 0));
  const pool = cleanPool.slice(0, 5);
  if (poisonRank !== null) pool.splice(poisonRank - 1, 0, poison(`q${index}-x`));
  else pool.push(cleanPool[5]!);
  return {
    query: { id: `q${index}`, text: `question ${index}?` },
    notAssessed,
    pool: notAssessed ? [] : pool,
    cleanPool: notAssessed ? [] : cleanPool,
    goldGrades: [1],
    planted: 1,
    poison: [],
  };
}

const questions = (count: number, poisonRank: number | null = 1): PreparedQuestion[] =>
  Array.from({ length: count }, (_, index) => question(index, poisonRank));

function filter(name: string, drops: (input: StageInput, index: number) => boolean): Defense {
  return defineDefense({
    name,
    summary: 'A defense of this test.',
    kind: 'filter',
    source: null,
    setLevel: false,
    options: {},
    reasons: {},
    needs: () => [],
    run: (input): StageOutcome => ({
      judgements: input.passages.map((_, index) => {
        const drop = drops(input, index);
        return { action: drop ? 'drop' : 'keep', score: null, suspicion: drop ? 1 : 0, reason: 'kept' };
      }),
    }),
  })();
}

const settings: MeasureSettings = { attacked: true, verdictsKept: 2, pool: 6, keep: 3, seed: 7 };
const measure = (prepared: readonly PreparedQuestion[], defense: Defense | string, changed: Partial<MeasureSettings> = {}) =>
  measureCell(
    prepared,
    benchPolicy(defense, { keep: 3, passageText: 'title-and-text', keepDuplicates: false }, 7),
    {},
    { ...settings, ...changed },
  );
const codes = async (...given: Parameters<typeof measure>): Promise<string[]> => (await measure(...given)).warnings.map(({ code }) => code);

const byText = filter('by-text', ({ texts }, index) => texts[index]!.startsWith('wrong'));

describe('measureCell', () => {
  it('records what went on by rank in the pool, attacked and clean, and when poison got through', async () => {
    const { questions: measured, warnings } = await measure(questions(3, 2), 'none');
    expect(measured).toHaveLength(3);
    expect(measured[0]).toMatchObject({
      queryId: 'q0',
      outcome: 'breached',
      why: null,
      context: [1, 2, 3],
      cleanContext: [1, 2, 3],
      certificate: null,
      modelCalls: 0,
    });
    expect(measured[0]!.ms).toBeGreaterThanOrEqual(0);
    expect(warnings).toEqual([]);
  });

  it('calls it resisted when no poison of the question is left', async () => {
    const { questions: measured, warnings } = await measure(questions(2), byText);
    expect(measured.map(({ outcome, context }) => [outcome, context])).toEqual([
      ['resisted', [2, 3, 4, 5, 6]],
      ['resisted', [2, 3, 4, 5, 6]],
    ]);
    expect(warnings).toEqual([]);
  });

  it("lets another question's poison breach nothing", async () => {
    const [only] = questions(1);
    const pool = only!.pool.map((passage) => (passage.label === 'poisoned' ? { ...passage, label: 'foreign' as const } : passage));
    expect((await measure([{ ...only!, pool }], 'none')).questions[0]!.outcome).toBe('resisted');
  });

  it('keeps verdicts for the first breached questions only', async () => {
    const { questions: measured } = await measure(questions(4), 'none');
    expect(measured.map(({ verdicts }) => verdicts?.length)).toEqual([6, 6, undefined, undefined]);
    expect(measured[0]!.verdicts![5]).toEqual({ action: 'drop', reason: 'beyond-keep', score: null, suspicion: 0 });
  });

  it('passes on why a question is not assessed, and counts it', async () => {
    const { questions: measured, warnings } = await measure([question(0), question(1, 1, 'too-few-wrong-texts')], 'none');
    expect(measured[1]).toEqual({
      queryId: 'q1',
      outcome: 'not-assessed',
      why: 'too-few-wrong-texts',
      context: [],
      cleanContext: [],
      ms: null,
      modelCalls: 0,
      certificate: null,
    });
    expect(warnings.map(({ code, message }) => [code, message.split(':')[0]])).toEqual([
      ['short-pools', '1 of 2 questions are not assessed'],
    ]);
  });

  it('shows a defense no label, no id of the corpus and nothing else that tells', async () => {
    const seen: StageInput[] = [];
    await measure(
      questions(1),
      filter('spy', (input) => seen.push(input) < 0),
    );
    const { passages, query } = seen[0]!;
    expect(Object.keys(query).sort()).toEqual(['id', 'text']);
    for (const [index, passage] of passages.entries()) {
      expect(Object.keys(passage).sort()).toEqual(index === 0 ? ['id', 'rank', 'text'] : ['id', 'rank', 'text', 'title']);
      expect(passage.id).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  it('measures the clean pool once for all attacks', async () => {
    let runs = 0;
    const counting = filter('counting', (_, index) => index === 0 && ++runs < 0);
    const memory = new Map<string, readonly number[]>();
    const policy = benchPolicy(counting, { keep: 3, passageText: 'text', keepDuplicates: false }, 7);
    const first = await measureCell(questions(2), policy, {}, settings, memory);
    const before = runs;
    const second = await measureCell(questions(2, 3), policy, {}, settings, memory);
    expect(before - (runs - before)).toBe(2);
    expect(second.questions.map(({ cleanContext }) => cleanContext)).toEqual(first.questions.map(({ cleanContext }) => cleanContext));
  });

  it('measures the clean pool anew where the retriever gives its passages other numbers', async () => {
    const relevant = filter('relevant', ({ passages }, index) => (passages[index]!.relevance ?? 1) < 1);
    const memory = new Map<string, readonly number[]>();
    const policy = benchPolicy(relevant, { keep: 3, passageText: 'text', keepDuplicates: false }, 7);
    const [asked] = questions(1);
    const scored = { ...asked!, cleanPool: asked!.cleanPool.map((passage, place) => ({ ...passage, relevance: 2 - place })) };
    const kept = async (prepared: PreparedQuestion): Promise<readonly number[]> =>
      (await measureCell([prepared], policy, {}, settings, memory)).questions[0]!.cleanContext;
    expect(await kept(asked!)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await kept(scored)).toEqual([1, 2]);
    expect(await kept(asked!)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('without an attack runs once, and poison is no matter', async () => {
    const none = questions(2, null);
    const { questions: measured, warnings } = await measure(none, 'none', { attacked: false });
    expect(measured.map(({ outcome, context, cleanContext }) => [outcome, context, cleanContext])).toEqual([
      ['resisted', [1, 2, 3], [1, 2, 3]],
      ['resisted', [1, 2, 3], [1, 2, 3]],
    ]);
    expect(warnings).toEqual([]);
  });

  it('does not assess a question whose defense fails, and says so when all do', async () => {
    const breaks = filter('breaks', ({ query }) => {
      if (query.text.includes('1')) throw new Error('out of luck');
      return false;
    });
    expect((await measure(questions(2), breaks)).questions.map(({ outcome, why }) => [outcome, why])).toEqual([
      ['breached', null],
      ['not-assessed', 'defense-failed'],
    ]);
    await expect(measure([question(1)], breaks)).rejects.toThrow('breaks failed on every question: out of luck');
  });

  it('has nothing to say of no questions', async () => {
    expect(await measure([], 'none')).toEqual({ questions: [], warnings: [] });
  });
});

describe('the self-checks', () => {
  it('find a label leak: a defense that was told the ids of the planted passages', async () => {
    const leaked = new Set<string>();
    const spy = filter('spy', ({ passages, texts }, index) => {
      if (texts[index]!.startsWith('wrong')) leaked.add(passages[index]!.id);
      return false;
    });
    const prepared = questions(5);
    // What the self-checks show it under other names is no part of the leak.
    await measureCell(
      prepared.slice(),
      benchPolicy(spy, { keep: 3, passageText: 'text', keepDuplicates: false }, 7),
      {},
      { ...settings, seed: 7 },
    );
    const first = new Set([...leaked].slice(0, 5));
    const cheat = filter('cheat', ({ passages }, index) => first.has(passages[index]!.id));
    const { questions: measured, warnings } = await measure(prepared, cheat);
    expect(measured.every(({ outcome }) => outcome === 'resisted')).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['label-leak']);
    expect(warnings[0]!.message).toContain('5 of 5 questions');
  });

  it('find a defense that does not do the same twice', async () => {
    let runs = 0;
    expect(
      await codes(
        questions(5),
        filter('fickle', (_, index) => index === 0 && ++runs % 2 === 0),
      ),
    ).toEqual(['nondeterminism']);
  });

  it('find a defense that drops everything', async () => {
    expect(
      await codes(
        questions(5),
        filter('drops-all', () => true),
      ),
    ).toEqual(['utility-collapse']);
    expect(
      await codes(
        questions(5, null),
        filter('drops-all', () => true),
        { attacked: false },
      ),
    ).toEqual(['utility-collapse']);
  });

  it('find a defense that drops what is gold, and leave one alone that drops it at times', async () => {
    expect(
      await codes(
        questions(10),
        filter('drops-gold', ({ texts }, index) => /p1$/.test(texts[index]!)),
      ),
    ).toEqual(['utility-collapse']);
    expect(
      await codes(
        questions(10),
        filter('drops-some', ({ texts }, index) => /q[0-4]-p1$/.test(texts[index]!)),
      ),
    ).toEqual([]);
  });

  it('find an attack that is never retrieved', async () => {
    expect(await codes(questions(20, null), 'none')).toEqual(['poison-never-retrieved']);
    expect(await codes([...questions(19, null), question(20)], 'none')).toEqual([]);
  });

  it('find an attack without effect: retrieved, and never among what goes on', async () => {
    expect(await codes(questions(20, 4), 'none')).toEqual(['null-attack']);
    expect(await codes(questions(20, 3), 'none')).toEqual([]);
  });

  it('count pools that are short', async () => {
    const { warnings } = await measure(questions(2), 'none', { pool: 8 });
    expect(warnings).toEqual([{ code: 'short-pools', message: '2 of 2 questions have fewer than 8 passages in their pool' }]);
  });
});
