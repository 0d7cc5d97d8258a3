import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonRank } from './poison-rank.ts';

describe('poisonRank', () => {
  it('is the place of the first own poison in the context, not in the pool', () => {
    expect(poisonRank.observe(sampleOutcome({ pool: 'pccp', context: [2, 3, 4, 1] }))).toEqual([3, 1]);
    expect(poisonRank.observe(sampleOutcome({ pool: 'fp' }))).toEqual([2, 1]);
  });

  it('is not assessed where no own poison got through', () => {
    expect(poisonRank.observe(sampleOutcome({ pool: 'pcf', context: [2, 3] }))).toEqual(null);
  });

  it('is not assessed without an attack', () => {
    expect(poisonRank.observe(sampleOutcome({ pool: 'pcc', attacked: false }))).toEqual(null);
  });

  it('is a mean over the questions that have one', () => {
    expect(
      estimate(poisonRank, [sampleOutcome({ pool: 'pc' }), sampleOutcome({ pool: 'ccp' }), sampleOutcome({ pool: 'cp', context: [1] })], {
        seed: 0,
      }),
    ).toMatchObject({ value: (1 + 3) / 2, n: 2, notAssessed: 1 });
  });
});
