import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import type { DatasetQuery } from '../types.ts';
import { openDataset } from './open-dataset.ts';
import { targetsOf } from './targets-of.ts';

const asked = (id: string, more: Partial<DatasetQuery> = {}): DatasetQuery => ({
  id,
  text: `Who wrote book ${id}?`,
  answers: [`Author ${id}`, `A. ${id}`],
  targetAnswer: null,
  wrongTexts: [],
  candidates: null,
  gold: new Map(),
  ...more,
});

describe('targetsOf', () => {
  it('takes what the dataset says where it says anything', () => {
    const queries = [asked('a', { wrongTexts: ['x', 'y'], targetAnswer: 'z' }), asked('b')];
    expect(targetsOf({ queries, hasWrongTexts: true }, 1)).toEqual({
      made: false,
      targets: new Map([
        [
          'a',
          {
            query: { id: 'a', text: 'Who wrote book a?' },
            correctAnswers: ['Author a', 'A. a'],
            targetAnswer: 'z',
            wrongTexts: ['x', 'y'],
          },
        ],
        ['b', { query: { id: 'b', text: 'Who wrote book b?' }, correctAnswers: ['Author b', 'A. b'], targetAnswer: null, wrongTexts: [] }],
      ]),
    });
  });

  it('makes wrong texts for every question where there are none, by its seed', () => {
    const queries = [asked('a'), asked('b'), asked('c', { targetAnswer: 'Somebody' })];
    const { targets, made } = targetsOf({ queries, hasWrongTexts: false }, 1);
    expect(made).toBe(true);
    expect([...targets.keys()]).toEqual(['a', 'b', 'c']);
    expect(targets.get('c')!.targetAnswer).toBe('Somebody');
    expect(['Author b', 'Author c']).toContain(targets.get('a')!.targetAnswer);
    for (const { targetAnswer, wrongTexts } of targets.values()) {
      expect(new Set(wrongTexts).size).toBe(10);
      for (const text of wrongTexts) expect(text).toContain(targetAnswer);
    }
    expect(targetsOf({ queries, hasWrongTexts: false }, 1).targets).toEqual(targets);
    expect(targetsOf({ queries, hasWrongTexts: false }, 2).targets).not.toEqual(targets);
  });

  it('makes them for no questions, for questions without answers, and for many', () => {
    expect(targetsOf({ queries: [], hasWrongTexts: false }, 1)).toEqual({ targets: new Map(), made: true });
    expect(targetsOf({ queries: [asked('a', { answers: [] })], hasWrongTexts: false }, 1).targets.get('a')!.targetAnswer).not.toBe('');
    const many = Array.from({ length: 2000 }, (_, index) => asked(String(index)));
    expect(targetsOf({ queries: many, hasWrongTexts: false }, 1).targets.size).toBe(2000);
  });
});

describe.skipIf(!hasShared)('targetsOf on real data', () => {
  it('makes a wrong target for each question of hotpotqa, and none for ramdocs, which has some', async () => {
    const hotpotqa = await openDataset(sharedPath('data/hotpotqa'));
    const { targets, made } = targetsOf(hotpotqa, 0);
    expect([made, targets.size]).toEqual([true, 50]);
    for (const { correctAnswers, targetAnswer, wrongTexts } of targets.values()) {
      expect(wrongTexts.length).toBe(10);
      expect(correctAnswers.map((answer) => answer.toLowerCase())).not.toContain(targetAnswer!.toLowerCase());
    }
    await hotpotqa.close();
    const ramdocs = await openDataset(sharedPath('data/ramdocs'));
    const given = targetsOf(ramdocs, 0);
    expect(given.made).toBe(false);
    expect([...given.targets.values()].some(({ wrongTexts }) => wrongTexts.length === 0)).toBe(true);
    await ramdocs.close();
  });
});
