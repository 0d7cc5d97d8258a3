import { describe, expect, it, test } from 'vitest';
import { composeText } from '../compose-text.ts';
import { type CraftOutcome, defineAttack } from '../define-attack.ts';
import type { Attack, AttackContext, AttackNeed, AttackTarget, CraftedPoison, Uncraftable } from '../types.ts';
import { type AttackProperty, type AttackSuite, testAttack } from './test-attack.ts';

/** The properties that an attack fails, with the message of each. */
async function failures(create: () => Attack, more: Partial<AttackSuite> = {}): Promise<Map<string, string>> {
  const runs: [string, () => Promise<void>][] = [];
  testAttack({ test: (name, run) => void runs.push([name, run]), create, ...more });
  const failed = new Map<string, string>();
  for (const [name, run] of runs) await run().catch((error: unknown) => failed.set(name, String(error)));
  return failed;
}

type Run = (target: AttackTarget, context: AttackContext & { readonly random: { next(): number } }) => CraftOutcome | Uncraftable;

const sealed =
  (run: Run, needs: readonly AttackNeed[] = []): (() => Attack) =>
  () =>
    defineAttack({
      name: 'planted',
      summary: 'For tests.',
      source: null,
      options: {},
      needs: () => needs,
      run: (target, _, context) => run(target, context),
    })();

/** As many texts as asked for, each of a number. */
const each =
  (text: (index: number, target: AttackTarget) => string, targetAnswer: string | null = null): Run =>
  (target, { count }) => ({
    texts: Array.from({ length: count }, (_, index) => composeText([[text(index, target), 'payload']])),
    targetAnswer,
  });

const numbered = each((index) => `text ${index}`);

/** As a careless author without `defineAttack` would write it: no seal around it. */
const unsealed =
  (change: (crafted: CraftedPoison, context: AttackContext, target: AttackTarget) => CraftedPoison | Uncraftable): (() => Attack) =>
  () => {
    const inner = sealed(numbered)();
    return Object.freeze({
      ...inner,
      craft: async (target: AttackTarget, context: AttackContext) => {
        const crafted = await inner.craft(target, context);
        return typeof crafted === 'string' ? crafted : change(structuredClone(crafted) as CraftedPoison, context, target);
      },
    });
  };

describe('a good attack passes', () => {
  testAttack({ test, create: sealed(numbered) });

  it.each<[string, Run, AttackNeed[]]>([
    ['one that draws from the seed', (target, context) => each((index) => `${index} ${context.random.next()}`)(target, context), []],
    [
      'one that takes wrong texts',
      ({ wrongTexts, targetAnswer }, { count }) => ({
        texts: wrongTexts.slice(0, count).map((text) => composeText([[text, 'payload']])),
        targetAnswer,
      }),
      ['wrong-texts'],
    ],
  ])('%s', async (_, run, needs) => {
    expect(Object.fromEntries(await failures(sealed(run, needs)))).toEqual({});
  });
});

describe('a broken attack is caught', () => {
  let counter = 0;
  const swallow = (code: string, otherwise: CraftedPoison): (() => Attack) => {
    const inner = sealed(numbered)();
    return () =>
      Object.freeze({
        ...inner,
        craft: (target: AttackTarget, context: AttackContext) =>
          inner.craft(target, context).catch((error: { code?: string }) => {
            if (error.code !== code) throw error;
            return otherwise;
          }),
      });
  };
  const nothing: CraftedPoison = Object.freeze({
    texts: Object.freeze([]),
    targetAnswer: null,
    cost: Object.freeze({ modelCalls: 0, encodedTexts: 0 }),
  });

  const cases: [string, () => Attack, AttackProperty, RegExp][] = [
    [
      'makes one text too few',
      unsealed((crafted) => ({ ...crafted, texts: crafted.texts.slice(1) })),
      'makes as many texts as asked for',
      /texts: 0, expected 1/,
    ],
    [
      'makes a text too many where the dataset has few',
      () => {
        const inner = sealed(numbered)();
        return { ...inner, needs: ['wrong-texts'] };
      },
      'makes fewer where the dataset has fewer, and only where that will do',
      /three of two wrong texts: 3, expected "too-few-wrong-texts"/,
    ],
    [
      'makes up for missing passages that it needs',
      sealed(numbered, ['passages']),
      'makes fewer where the dataset has fewer, and only where that will do',
      /three of two passages: 3/,
    ],
    ['plants copies', sealed(each(() => 'text')), 'makes texts that differ from each other', /different texts of five: 1/],
    [
      'marks beyond the text, without a seal',
      unsealed((crafted) => ({
        ...crafted,
        texts: crafted.texts.map((text) => ({ ...text, spans: { ...text.spans, trigger: [{ start: 0, end: 99 }] } })),
      })),
      'marks spans that lie in the text',
      /trigger from 0 to 99 of 6 characters/,
    ],
    [
      'marks nothing',
      sealed((_, { count }) => ({
        texts: Array.from({ length: count }, (__, index) => composeText([[`text ${index}`]])),
        targetAnswer: null,
      })),
      'marks spans that lie in the text',
      /nothing is marked/,
    ],
    [
      'names an answer and never says it',
      sealed(each((index) => `text ${index}`, '1974')),
      'names the answer it argues for',
      /in no payload/,
    ],
    ['argues for the correct answer', sealed(each((index) => `1961 ${index}`, '1961')), 'names the answer it argues for', /a correct one/],
    ['names a blank answer', sealed(each((index) => `text ${index}`, ' ')), 'names the answer it argues for', /blank/],
    [
      'needs a target answer and argues for none',
      sealed(numbered, ['target-answer']),
      'names the answer it argues for',
      /needs a target answer and argues for none/,
    ],
    [
      'does not say what is missing',
      () => ({ ...sealed(numbered)(), needs: ['target-answer'] }),
      'says what a target is missing',
      /without a target answer: 2, expected "no-target-answer"/,
    ],
    [
      'wants what it does not say it needs',
      sealed(({ correctAnswers }, { count }) =>
        correctAnswers.length === 0
          ? 'no-target-answer'
          : (each((index) => `${index}`)({} as AttackTarget, { count } as never) as CraftOutcome),
      ),
      'says what a target is missing',
      /without correct answers: "no-target-answer"/,
    ],
    [
      'changes the target, without a seal',
      unsealed((crafted, _, target) => {
        (target.wrongTexts as string[]).pop();
        return crafted;
      }),
      'leaves the target as it was',
      /the target: /,
    ],
    ['gives a result that can be changed', unsealed((crafted) => crafted), 'gives frozen results', /is not frozen/],
    ['is not frozen itself', () => ({ ...sealed(numbered)() }), 'gives frozen results', /the attack is not frozen/],
    ['counts its runs', sealed(each(() => `text ${counter++}`)), 'gives the same result for the same seed', /two runs/],
    ['draws from nowhere', sealed(each(() => `text ${Math.random()}`)), 'gives the same result for the same seed', /two runs/],
    [
      'gives a cost of NaN',
      sealed((target, context) => ({
        ...(numbered(target, context) as CraftOutcome),
        cost: { modelCalls: Number.NaN, encodedTexts: 0 },
      })),
      'gives values that survive JSON',
      /modelCalls of cost of the result is NaN/,
    ],
    [
      'gives half a cost',
      sealed((target, context) => ({ ...(numbered(target, context) as CraftOutcome), cost: { modelCalls: 0.5, encodedTexts: 0 } })),
      'gives values that survive JSON',
      /a cost of 0.5/,
    ],
    [
      'plants nothing for an empty question',
      sealed(each((index, { query }) => (query.text === '' ? '' : `text ${index}`))),
      'takes questions of every form',
      /STAGE_BROKE_CONTRACT|blank/,
    ],
    [
      'throws on hostile text',
      sealed(each((index, { query }) => `${index} ${encodeURIComponent(query.text)}`)),
      'takes hostile texts',
      /URIError/,
    ],
    ['swallows the count', swallow('INVALID_OPTION', nothing), 'refuses a count that is none', /got a result/],
    ['swallows the signal', swallow('ABORTED', nothing), 'stops when the signal has fired', /got a result/],
  ];
  it.each(cases)('that %s', async (_, create, property, message) => {
    expect((await failures(create)).get(property)).toMatch(message);
  });

  it('with every property by some case', () => {
    const covered = new Set(cases.map(([, , property]) => property));
    const all: string[] = [];
    testAttack({ test: (name) => void all.push(name), create: sealed(numbered) });
    expect(all.filter((name) => !covered.has(name as AttackProperty))).toEqual([]);
  });
});

describe('the suite itself', () => {
  it('registers every property once, and names the reason of what is skipped', () => {
    const [run, skipped]: [string[], string[]] = [[], []];
    testAttack({
      test: (name) => void run.push(name),
      skipTest: (name) => void skipped.push(name),
      create: sealed(numbered),
      skip: { 'makes texts that differ from each other': 'plants copies' },
    });
    expect(new Set(run).size).toBe(run.length);
    expect(run).toHaveLength(13);
    expect(skipped).toEqual(['makes texts that differ from each other (plants copies)']);
  });

  it('makes no attack before a test runs', () => {
    const create = (): Attack => {
      throw new Error('too early');
    };
    expect(() => testAttack({ test: () => undefined, create })).not.toThrow();
  });
});
