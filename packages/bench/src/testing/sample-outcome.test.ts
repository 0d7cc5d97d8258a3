import { expect, it } from 'vitest';
import { sampleOutcome } from './sample-outcome.ts';

it('draws an outcome from its sketch', () => {
  const outcome = sampleOutcome({ pool: 'p1fc2', context: [5, 1], cleanPool: 'c3', keep: 2 });
  expect(outcome.pool.map(({ rank, label, grade }) => `${rank} ${label} ${grade}`)).toEqual([
    '1 poisoned 0',
    '2 clean 1',
    '3 foreign 0',
    '4 clean 0',
    '5 clean 2',
  ]);
  expect(outcome.context).toEqual([outcome.pool[4], outcome.pool[0]]);
  expect(outcome.cleanContext).toEqual(outcome.cleanPool);
  expect(outcome).toMatchObject({ keep: 2, attacked: true, planted: 1, goldGrades: [2, 1], certificate: null, ms: null, modelCalls: 0 });
  expect(sampleOutcome({ cleanPool: 'c3', cleanContext: [2] })).toMatchObject({ goldGrades: [3], cleanContext: [{ rank: 2, grade: 3 }] });
});
