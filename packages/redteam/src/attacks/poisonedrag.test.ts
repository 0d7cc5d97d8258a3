import { describe, expect, it } from 'vitest';
import { testAttack } from '../testing/test-attack.ts';
import { toyContext } from '../testing/toy-context.ts';
import type { AttackTarget } from '../types.ts';
import { poisonedrag } from './poisonedrag.ts';

const TARGET: AttackTarget = {
  query: { id: 'q', text: 'Who won the cup?' },
  correctAnswers: ['Ann'],
  targetAnswer: 'Bob',
  wrongTexts: ['Bob won the cup.', 'The cup went to Bob'],
};

describe('poisonedrag', () => {
  testAttack({ test: it, skipTest: it.skip, create: () => poisonedrag() });

  it('plants question, full stop, wrong text, without a space, in file order', async () => {
    expect(await poisonedrag().craft(TARGET, toyContext({ count: 2 }))).toEqual({
      texts: [
        {
          text: 'Who won the cup?.Bob won the cup.',
          spans: { retrieval: [{ start: 0, end: 16 }], payload: [{ start: 17, end: 33 }], trigger: [] },
        },
        {
          text: 'Who won the cup?.The cup went to Bob',
          spans: { retrieval: [{ start: 0, end: 16 }], payload: [{ start: 17, end: 36 }], trigger: [] },
        },
      ],
      targetAnswer: 'Bob',
      cost: { modelCalls: 0, encodedTexts: 0 },
    });
  });

  it('leaves the question as it is, white space and missing mark included', async () => {
    const target = { ...TARGET, query: { id: 'q', text: ' who won ' } };
    expect(await poisonedrag().craft(target, toyContext())).toMatchObject({ texts: [{ text: ' who won .Bob won the cup.' }] });
  });

  it('of an empty question leaves the full stop and no retrieval part', async () => {
    const target = { ...TARGET, query: { id: 'q', text: '' } };
    expect(await poisonedrag().craft(target, toyContext())).toMatchObject({
      texts: [{ text: '.Bob won the cup.', spans: { retrieval: [], payload: [{ start: 1, end: 17 }] } }],
    });
  });
});

describe('poisonedrag?question=off', () => {
  testAttack({ test: it, skipTest: it.skip, create: () => poisonedrag({ question: false }) });

  it('plants the wrong text alone', async () => {
    const attack = poisonedrag({ question: false });
    expect(attack.spec).toBe('poisonedrag?question=false');
    expect(await attack.craft(TARGET, toyContext())).toMatchObject({
      texts: [{ text: 'Bob won the cup.', spans: { retrieval: [], payload: [{ start: 0, end: 16 }] } }],
    });
  });
});
