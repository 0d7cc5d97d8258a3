import { BezoarError, type OptionSpecs, option } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { composeText } from './compose-text.ts';
import { type AttackDefinition, type CraftOutcome, defineAttack, MAX_POISONS } from './define-attack.ts';
import { toyContext } from './testing/toy-context.ts';
import type { Attack, AttackNeed, AttackTarget, PoisonedText, Uncraftable } from './types.ts';

const TARGET: AttackTarget = {
  query: { id: 'q', text: 'Who won?' },
  correctAnswers: ['Ann'],
  targetAnswer: 'Bob',
  wrongTexts: ['one', ' ', 'two'],
};
const text = (words: string): PoisonedText => composeText([[words, 'payload']]);

type Run = AttackDefinition<OptionSpecs>['run'];

function made(run: Run, needs: readonly AttackNeed[] = []): Attack {
  return defineAttack({ name: 'planted', summary: 'For tests.', source: null, options: {}, needs: () => needs, run })();
}

const returning = (outcome: CraftOutcome | Uncraftable, needs: readonly AttackNeed[] = []): Attack => made(() => outcome, needs);

async function faultOf(running: Promise<unknown>): Promise<[code: string, message: string]> {
  const error = await running.then(
    (value) => new Error(`returned ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  return BezoarError.is(error) ? [error.code, error.message] : ['none', String(error)];
}

describe('the options', () => {
  const factory = defineAttack({
    name: 'planted',
    summary: 'For tests.',
    source: null,
    options: {
      often: option.number(2, 'How often.', { min: 1 }),
      loud: option.flag(false, 'Loudly.'),
      word: option.text('x', 'Which.', 'text'),
    },
    needs: ({ loud }) => (loud ? ['passages'] : []),
    run: (_target, { often, loud }) => ({ texts: [text(`${loud ? 'AH' : 'ah'} `.repeat(often))], targetAnswer: null }),
  });

  it('are read, checked, and stand in the SPEC where they differ from their defaults', async () => {
    expect(factory().spec).toBe('planted');
    expect(factory({ often: 2, loud: false }).spec).toBe('planted');
    expect(factory({ loud: true, word: 'a&b,c%' }).spec).toBe('planted?loud=true&word=a%26b%2Cc%25');
    expect(await factory({ often: 1, loud: true }).craft(TARGET, toyContext())).toMatchObject({ texts: [{ text: 'AH ' }] });
    expect(() => factory({ often: 0 })).toThrow('planted: often is 0, expected number of at least 1');
    expect(() => factory({ offen: 1 } as object)).toThrow('planted: unknown option "offen"; did you mean often?');
  });

  it('decide what is needed', () => {
    expect(factory().needs).toEqual([]);
    expect(factory({ loud: true }).needs).toEqual(['passages']);
  });

  it('are carried by the factory', () => {
    expect(factory.definition.summary).toBe('For tests.');
    expect(Object.keys(factory.optionSpecs)).toEqual(['often', 'loud', 'word']);
  });
});

describe('what the author is given', () => {
  it('is a frozen copy of the target without blank wrong texts, and a context with its own generator', async () => {
    const seen: Parameters<Run>[] = [];
    const attack = made((...given) => {
      seen.push(given);
      return { texts: [text('x')], targetAnswer: null };
    });
    await attack.craft(TARGET, toyContext({ seed: 5 }));
    await attack.craft(TARGET, toyContext({ seed: 5 }));
    await attack.craft(TARGET, toyContext({ seed: 6 }));
    await attack.craft({ ...TARGET, query: { id: 'r', text: 'Who won?' } }, toyContext({ seed: 5 }));
    const [target, , context] = seen[0]!;
    expect(target).toEqual({ ...TARGET, wrongTexts: ['one', 'two'] });
    for (const part of [target, target.query, target.correctAnswers, target.wrongTexts]) expect(Object.isFrozen(part)).toBe(true);
    expect(Object.isFrozen(TARGET.query)).toBe(false);
    expect(context).toMatchObject({ seed: 5, count: 1, allowFewer: false, signal: null });
    const [a, b, c, d] = seen.map(([, , { random }]) => random.next());
    expect(a).toBe(b);
    expect(new Set([a, c, d]).size).toBe(3);
  });

  it('is a generator of its own for each attack', async () => {
    const numbers: number[] = [];
    for (const name of ['one', 'two']) {
      const run: Run = (_target, _options, { random }) => {
        numbers.push(random.next());
        return { texts: [text('x')], targetAnswer: null };
      };
      await defineAttack({ name, summary: 'For tests.', source: null, options: {}, needs: () => [], run })().craft(TARGET, toyContext());
    }
    expect(numbers[0]).not.toBe(numbers[1]);
  });

  it('is a count that the wrong texts can meet, where they are needed and fewer will do', async () => {
    const counts: number[] = [];
    const run: Run = ({ wrongTexts }, _options, { count }) => {
      counts.push(count);
      return { texts: Array.from({ length: count }, () => text(wrongTexts[0]!)), targetAnswer: null };
    };
    await made(run, ['wrong-texts']).craft(TARGET, toyContext({ count: 3, allowFewer: true }));
    await made(run, ['wrong-texts']).craft(TARGET, toyContext({ count: 1, allowFewer: true }));
    await made(run).craft(TARGET, toyContext({ count: 3, allowFewer: true }));
    expect(counts).toEqual([2, 1, 3]);
  });
});

describe('what is missing', () => {
  const never: Run = () => {
    throw new Error('the author was asked');
  };

  it.each<[AttackNeed, Partial<AttackTarget>, object, Uncraftable]>([
    ['wrong-texts', {}, { count: 3 }, 'too-few-wrong-texts'],
    ['wrong-texts', { wrongTexts: [' '] }, { allowFewer: true }, 'too-few-wrong-texts'],
    ['target-answer', { targetAnswer: null }, { allowFewer: true }, 'no-target-answer'],
    ['target-answer', { targetAnswer: ' \n' }, {}, 'no-target-answer'],
  ])('is said before the author is asked: %s of %j with %j', async (need, target, context, code) => {
    expect(await made(never, [need]).craft({ ...TARGET, ...target }, toyContext(context))).toBe(code);
  });

  it('may be said by the author', async () => {
    expect(await returning('no-target-answer').craft(TARGET, toyContext())).toBe('no-target-answer');
  });

  it('is an encoder where the attack needs one', async () => {
    expect(await faultOf(made(never, ['embeddings']).craft(TARGET, toyContext({ encoder: null })))).toEqual([
      'NEEDS_EMBEDDINGS',
      'planted needs an encoder; pass one as encoder',
    ]);
    expect(await returning({ texts: [text('x')], targetAnswer: null }, ['embeddings']).craft(TARGET, toyContext())).toHaveProperty('texts');
  });

  it('is passages where fewer texts came back and passages are needed', async () => {
    const attack = returning({ texts: [text('x')], targetAnswer: null }, ['passages']);
    expect(await attack.craft(TARGET, toyContext({ count: 2 }))).toBe('too-few-passages');
    expect(await attack.craft(TARGET, toyContext({ count: 2, allowFewer: true }))).toMatchObject({ texts: [{ text: 'x' }] });
    const none = returning({ texts: [], targetAnswer: null }, ['passages']);
    expect(await none.craft(TARGET, toyContext({ count: 2, allowFewer: true }))).toBe('too-few-passages');
  });

  it('is nothing where no text is asked for', async () => {
    const needs: AttackNeed[] = ['wrong-texts', 'target-answer', 'passages', 'embeddings'];
    const target = { ...TARGET, wrongTexts: [], targetAnswer: null };
    expect(await made(never, needs).craft(target, toyContext({ count: 0, encoder: null }))).toEqual({
      texts: [],
      targetAnswer: null,
      cost: { modelCalls: 0, encodedTexts: 0 },
    });
  });
});

describe('the result', () => {
  it('is a frozen copy with the cost', async () => {
    const given = text('x');
    const cost = { modelCalls: 2, encodedTexts: 3 };
    const attack = returning({ texts: [given], targetAnswer: 'Bob', cost });
    const crafted = await attack.craft(TARGET, toyContext());
    expect(crafted).toEqual({ texts: [given], targetAnswer: 'Bob', cost });
    expect(Object.isFrozen(crafted)).toBe(true);
    if (typeof crafted === 'string') return expect.unreachable();
    for (const part of [crafted.texts, crafted.cost, crafted.texts[0]!, crafted.texts[0]!.spans, crafted.texts[0]!.spans.payload[0]!])
      expect(Object.isFrozen(part)).toBe(true);
    for (const part of [given, given.spans.payload, cost]) expect(Object.isFrozen(part)).toBe(false);
  });

  const spans = { retrieval: [], payload: [], trigger: [] };
  const bad = (start: number, end: number): PoisonedText => ({ text: 'abc', spans: { ...spans, trigger: [{ start, end }] } });
  it.each<[string, readonly PoisonedText[], string]>([
    ['too many texts', [text('a'), text('b')], 'made 2 texts of 1'],
    ['too few texts', [], 'made 0 texts of 1'],
    ['an empty text', [{ text: '', spans }], 'made text 0 blank'],
    ['a blank text', [{ text: ' \n', spans }], 'made text 0 blank'],
    ['no text', [{ text: 5 as never, spans }], 'made text 0 blank'],
    ['a title that is none', [{ text: 'abc', title: null as never, spans }], 'gave text 0 a title that is no text'],
    ['a span beyond the text', [bad(1, 4)], 'marked trigger 1 to 4 in text 0 of 3 characters'],
    ['a span before the text', [bad(-1, 2)], 'marked trigger -1 to 2 in text 0 of 3 characters'],
    ['an empty span', [bad(1, 1)], 'marked trigger 1 to 1 in text 0 of 3 characters'],
    ['a span between characters', [bad(0, 1.5)], 'marked trigger 0 to 1.5 in text 0 of 3 characters'],
    ['a span of NaN', [bad(Number.NaN, 2)], 'marked trigger NaN to 2 in text 0 of 3 characters'],
    [
      'spans that overlap',
      [
        {
          text: 'abc',
          spans: {
            ...spans,
            payload: [
              { start: 0, end: 2 },
              { start: 1, end: 3 },
            ],
          },
        },
      ],
      'marked payload 1 to 3 in text 0 of 3 characters',
    ],
  ])('is refused with %s', async (_, texts, message) => {
    const running = returning({ texts, targetAnswer: null }).craft(TARGET, toyContext());
    expect(await faultOf(running)).toEqual(['STAGE_BROKE_CONTRACT', `attack planted ${message}`]);
  });

  it('is refused with a code that is none, and with too many texts where passages are needed', async () => {
    expect(await faultOf(returning('whim' as never).craft(TARGET, toyContext()))).toEqual([
      'STAGE_BROKE_CONTRACT',
      'attack planted returned "whim"',
    ]);
    const two = returning({ texts: [text('a'), text('b')], targetAnswer: null }, ['passages']);
    expect(await faultOf(two.craft(TARGET, toyContext()))).toEqual(['STAGE_BROKE_CONTRACT', 'attack planted made 2 texts of 1']);
  });

  it('may have spans that touch, and reach both ends', async () => {
    const touching = {
      text: 'abc',
      spans: {
        ...spans,
        payload: [
          { start: 0, end: 1 },
          { start: 1, end: 3 },
        ],
      },
    };
    expect(await returning({ texts: [touching], targetAnswer: null }).craft(TARGET, toyContext())).toMatchObject({ texts: [touching] });
  });
});

describe('the count', () => {
  it.each([-1, 1.5, Number.NaN, MAX_POISONS + 1])('of %s is refused', async (count) => {
    expect(await faultOf(returning('no-target-answer').craft(TARGET, toyContext({ count })))).toEqual([
      'INVALID_OPTION',
      `count is ${count}, expected a whole number from 0 to 1000`,
    ]);
  });

  it('may be as large as a retrieval', async () => {
    const texts = Array.from({ length: MAX_POISONS }, () => text('x'));
    const crafted = await returning({ texts, targetAnswer: null }).craft(TARGET, toyContext({ count: MAX_POISONS }));
    expect(crafted).toHaveProperty('texts.length', 1000);
  });
});

describe('the signal', () => {
  it('stops the attack before the author is asked', async () => {
    let asked = false;
    const attack = made(() => {
      asked = true;
      return { texts: [text('x')], targetAnswer: null };
    });
    const signal = AbortSignal.abort('enough');
    expect(await faultOf(attack.craft(TARGET, toyContext({ signal })))).toEqual(['ABORTED', 'the caller aborted the attack']);
    expect(asked).toBe(false);
  });

  it('that fires while the author works stops the attack too', async () => {
    const controller = new AbortController();
    const attack = made(async () => {
      controller.abort();
      return { texts: [text('x')], targetAnswer: null };
    });
    expect((await faultOf(attack.craft(TARGET, toyContext({ signal: controller.signal }))))[0]).toBe('ABORTED');
  });
});
