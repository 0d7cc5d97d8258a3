import { describe, expect, it } from 'vitest';
import { testAttack } from '../testing/test-attack.ts';
import { toyContext } from '../testing/toy-context.ts';
import type { AttackTarget } from '../types.ts';
import { misinformation } from './misinformation.ts';

const TARGET: AttackTarget = {
  query: { id: 'q', text: 'Who won the cup?' },
  correctAnswers: ['Ann'],
  targetAnswer: 'Bob',
  wrongTexts: ['Bob won the cup.', ' The cup went to Bob', 'Bob it was.'],
};

describe('misinformation', () => {
  testAttack({ test: it, skipTest: it.skip, create: () => misinformation() });

  it('plants the wrong texts as they are, in file order, the whole text its payload', async () => {
    expect(await misinformation().craft(TARGET, toyContext({ count: 2 }))).toEqual({
      texts: [
        { text: 'Bob won the cup.', spans: { retrieval: [], payload: [{ start: 0, end: 16 }], trigger: [] } },
        { text: ' The cup went to Bob', spans: { retrieval: [], payload: [{ start: 0, end: 20 }], trigger: [] } },
      ],
      targetAnswer: 'Bob',
      cost: { modelCalls: 0, encodedTexts: 0 },
    });
  });

  it('keeps texts that repeat and passes over blank ones', async () => {
    const target = { ...TARGET, wrongTexts: ['', 'one', ' ', 'one'] };
    expect(await misinformation().craft(target, toyContext({ count: 2 }))).toMatchObject({ texts: [{ text: 'one' }, { text: 'one' }] });
    expect(await misinformation().craft(target, toyContext({ count: 3 }))).toBe('too-few-wrong-texts');
  });

  it('needs no target answer', async () => {
    expect(await misinformation().craft({ ...TARGET, targetAnswer: null }, toyContext())).toMatchObject({ targetAnswer: null });
  });
});
