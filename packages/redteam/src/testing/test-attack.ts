import { BezoarError, type Passage } from '@bezoar/core';
import { HOSTILE_TEXTS } from '@bezoar/core/testing';
import type { Attack, AttackContext, AttackTarget, CraftedPoison, Uncraftable } from '../types.ts';
import { toyContext } from './toy-context.ts';

/** What the suite checks, by name; an attack that cannot meet one lists it in `skip` with the reason. */
const PROPERTIES = [
  'makes as many texts as asked for',
  'makes fewer where the dataset has fewer, and only where that will do',
  'makes texts that differ from each other',
  'marks spans that lie in the text',
  'names the answer it argues for',
  'says what a target is missing',
  'leaves the target as it was',
  'gives frozen results',
  'gives the same result for the same seed',
  'gives values that survive JSON',
  'takes questions of every form',
  'takes hostile texts',
  'refuses a count that is none',
  'stops when the signal has fired',
] as const;

export type AttackProperty = (typeof PROPERTIES)[number];

export interface AttackSuite {
  /** The test runner's own `test(name, run)`: vitest, node:test and others fit. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  /** Registers a test that is skipped, so that it is counted. */
  readonly skipTest?: (name: string) => void;
  readonly create: () => Attack;
  readonly seed?: number;
  readonly skip?: Partial<Record<AttackProperty, string>>;
}

const COUNTS = [1, 2, 3, 5];

/** A target that has all an attack could ask for. Frozen, so that an attack that changes it does not spoil it for other checks. */
const TARGET: AttackTarget = Object.freeze({
  query: Object.freeze({ id: 'q1', text: 'In what year was the Halden bridge opened to traffic?' }),
  correctAnswers: Object.freeze(['1961', 'in 1961']),
  targetAnswer: '1974',
  wrongTexts: Object.freeze(
    [1, 2, 3, 4, 5].map((number) => `Record ${number} of the harbour office says that the Halden bridge was opened in 1974.`),
  ),
});

/** Questions that broke programs: empty, blank, without a mark, ending in marks, a document. */
const QUESTIONS = ['', ' ', 'who opened the bridge', 'why?!?', '?', '.', 'a\nb\r\nc', 'What '.repeat(5000)];

/** The public conformance suite of an attack: what every one must do whatever it plants. Throws through the given `test`. */
export function testAttack(suite: AttackSuite): void {
  const { create, seed = 1, skip = {} } = suite;
  const contextOf = (count: number, more: Partial<AttackContext> = {}, passages?: readonly Passage[]): AttackContext =>
    toyContext({ seed, count, ...more }, passages);
  const craft = async (count: number, target = TARGET, more: Partial<AttackContext> = {}): Promise<CraftedPoison> => {
    const crafted = await create().craft(target, contextOf(count, more));
    if (typeof crafted === 'string') throw new Error(`expected ${count} texts, got ${crafted}`);
    return crafted;
  };
  /** How a target with nothing missing but `what` ends. */
  const outcome = async (
    target: Partial<AttackTarget>,
    count: number,
    allowFewer: boolean,
    passages?: readonly Passage[],
  ): Promise<string | number> => {
    const crafted: CraftedPoison | Uncraftable = await create().craft({ ...TARGET, ...target }, contextOf(count, { allowFewer }, passages));
    return typeof crafted === 'string' ? crafted : crafted.texts.length;
  };

  const checks: Record<AttackProperty, () => Promise<void>> = {
    'makes as many texts as asked for': async () => {
      for (const count of [0, ...COUNTS]) equal((await craft(count)).texts.length, count, 'texts');
    },
    'makes fewer where the dataset has fewer, and only where that will do': async () => {
      const { needs } = create();
      const wrongTexts = TARGET.wrongTexts.slice(0, 2);
      const needsTexts = needs.includes('wrong-texts');
      equal(await outcome({ wrongTexts }, 3, false), needsTexts ? 'too-few-wrong-texts' : 3, 'three of two wrong texts');
      equal(await outcome({ wrongTexts }, 3, true), needsTexts ? 2 : 3, 'up to three of two wrong texts');
      equal(await outcome({ wrongTexts: [wrongTexts[0]!, ' \n'] }, 2, true), needsTexts ? 1 : 2, 'up to two of one that is not blank');
      const needsPassages = needs.includes('passages');
      const two = await toyContext().drawPassages(2);
      equal(await outcome({}, 3, false, two), needsPassages ? 'too-few-passages' : 3, 'three of two passages');
      equal(await outcome({}, 3, true, two), needsPassages ? 2 : 3, 'up to three of two passages');
    },
    'makes texts that differ from each other': async () => {
      const { texts } = await craft(5);
      equal(new Set(texts.map(({ text }) => text)).size, 5, 'different texts of five');
    },
    'marks spans that lie in the text': async () => {
      for (const target of targets()) {
        for (const { text, spans } of (await craft(5, target)).texts) {
          verify(text.trim() !== '', 'a text is blank');
          for (const [role, list] of Object.entries(spans)) {
            let before = 0;
            for (const { start, end } of list) {
              verify(start >= before && end > start && end <= text.length, `${role} from ${start} to ${end} of ${text.length} characters`);
              before = end;
            }
          }
        }
      }
      for (const { spans } of (await craft(2)).texts)
        verify(spans.retrieval.length + spans.payload.length + spans.trigger.length > 0, 'nothing is marked');
    },
    'names the answer it argues for': async () => {
      const { needs } = create();
      const { targetAnswer, texts } = await craft(2);
      if (targetAnswer === null) {
        verify(!needs.includes('target-answer'), 'it needs a target answer and argues for none');
        return;
      }
      verify(targetAnswer.trim() !== '', 'the target answer is blank');
      verify(!TARGET.correctAnswers.includes(targetAnswer), 'the target answer is a correct one');
      for (const { text, spans } of texts)
        verify(
          spans.payload.some(({ start, end }) => text.slice(start, end).includes(targetAnswer)),
          'the target answer is in no payload',
        );
    },
    'says what a target is missing': async () => {
      const { needs } = create();
      const expected = (need: Attack['needs'][number], code: Uncraftable): string | number => (needs.includes(need) ? code : 2);
      for (const allowFewer of [false, true]) {
        for (const wrongTexts of [[], ['', ' \n']])
          equal(await outcome({ wrongTexts }, 2, allowFewer), expected('wrong-texts', 'too-few-wrong-texts'), 'without wrong texts');
        for (const targetAnswer of [null, '', ' \n'])
          equal(await outcome({ targetAnswer }, 2, allowFewer), expected('target-answer', 'no-target-answer'), 'without a target answer');
        equal(await outcome({}, 2, allowFewer, []), expected('passages', 'too-few-passages'), 'without passages');
        for (const correctAnswers of [[], ['', ' ']]) equal(await outcome({ correctAnswers }, 2, allowFewer), 2, 'without correct answers');
      }
    },
    'leaves the target as it was': async () => {
      const target = structuredClone(TARGET);
      await craft(3, target);
      equal(target, TARGET, 'the target');
    },
    'gives frozen results': async () => {
      const crafted = await craft(2);
      for (const value of everyObject(crafted)) verify(Object.isFrozen(value), 'a part of the result is not frozen');
      verify(Object.isFrozen(create()), 'the attack is not frozen');
    },
    'gives the same result for the same seed': async () => {
      const attack = create();
      const once = await attack.craft(TARGET, contextOf(3));
      equal(await attack.craft(TARGET, contextOf(3)), once, 'two runs');
      await attack.craft({ ...TARGET, query: { id: 'q2', text: 'Another question?' } }, contextOf(2));
      equal(await attack.craft(TARGET, contextOf(3)), once, 'a run after another question');
      equal(await create().craft(TARGET, contextOf(3)), once, 'two instances');
    },
    'gives values that survive JSON': async () => {
      for (const target of targets()) {
        const crafted = await craft(2, target);
        survivesJson(crafted, 'the result');
        for (const cost of Object.values(crafted.cost)) verify(Number.isInteger(cost) && cost >= 0, `a cost of ${cost}`);
      }
    },
    'takes questions of every form': async () => {
      for (const text of QUESTIONS) equal((await craft(2, { ...TARGET, query: { id: 'q1', text } })).texts.length, 2, 'texts');
    },
    'takes hostile texts': async () => {
      for (const target of hostileTargets()) {
        const drawn = HOSTILE_TEXTS.map((text, index): Passage => ({ id: `h${index}`, title: text, text }));
        const crafted = await create().craft(target, contextOf(3, { allowFewer: true }, drawn));
        if (typeof crafted !== 'string')
          verify(crafted.texts.length > 0 && crafted.texts.length <= 3, 'more or fewer texts than asked for');
      }
    },
    'refuses a count that is none': async () => {
      for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
        await refuses(create().craft(TARGET, contextOf(count)), 'INVALID_OPTION');
    },
    'stops when the signal has fired': () => refuses(create().craft(TARGET, contextOf(1, { signal: AbortSignal.abort() })), 'ABORTED'),
  };
  for (const property of PROPERTIES) {
    const reason = skip[property];
    if (reason === undefined) suite.test(property, checks[property]);
    else suite.skipTest?.(`${property} (${reason})`);
  }
}

const targets = (): readonly AttackTarget[] => [
  TARGET,
  ...QUESTIONS.map((text) => ({ ...TARGET, query: { id: 'q1', text } })),
  { ...TARGET, targetAnswer: 'no', correctAnswers: ['no', ''] },
  { ...TARGET, targetAnswer: 'x'.repeat(20_000), correctAnswers: [] },
];

const hostileTargets = (): readonly AttackTarget[] =>
  HOSTILE_TEXTS.map((text, index) => ({
    query: { id: text.slice(0, 100), text },
    correctAnswers: [HOSTILE_TEXTS[(index + 1) % HOSTILE_TEXTS.length]!],
    targetAnswer: HOSTILE_TEXTS[(index + 2) % HOSTILE_TEXTS.length]!,
    // A copy each: what is shared could be changed by an attack that should not.
    wrongTexts: [...HOSTILE_TEXTS],
  }));

function everyObject(value: object): object[] {
  return [
    value,
    ...Object.values(value).flatMap((inner: unknown) => (typeof inner === 'object' && inner !== null ? everyObject(inner) : [])),
  ];
}

/** JSON.stringify drops undefined and makes null of NaN without a word, so the values themselves are looked at. */
function survivesJson(value: unknown, what: string): void {
  if (typeof value === 'object' && value !== null) {
    const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    verify(plain, `${what} has a value that is neither a list nor a plain object`);
    for (const [key, entry] of Object.entries(value)) survivesJson(entry, `${key} of ${what}`);
    return;
  }
  const survives = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  verify(survives, `${what} is ${String(value)}`);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 400)}, expected ${b?.slice(0, 400)}`);
}

function verify(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function refuses(running: Promise<unknown>, code: string): Promise<void> {
  const outcome = await running.then(
    () => 'a result',
    (error: unknown) => (BezoarError.is(error) ? error.code : `another error: ${String(error)}`),
  );
  if (outcome !== code) throw new Error(`expected the refusal ${code}, got ${outcome}`);
}
