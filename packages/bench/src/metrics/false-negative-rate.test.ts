import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { falseNegativeRate } from './false-negative-rate.ts';

describe('falseNegativeRate', () => {
  it('is the kept among the poisoned', () => {
    expect(falseNegativeRate.observe(sampleOutcome({ pool: 'pfpc', context: [1, 4] }))).toEqual([1 / 3, 1]);
  });

  it('is 0 for a pool without poison', () => {
    expect(falseNegativeRate.observe(sampleOutcome({ pool: 'cc' }))).toEqual([0, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(falseNegativeRate.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is a mean over questions', () => {
    expect(
      estimate(falseNegativeRate, [sampleOutcome({ pool: 'pfpc', context: [1, 4] }), sampleOutcome({ pool: 'pc' })], { seed: 0 }),
    ).toMatchObject({ value: (1 / 3 + 1) / 2, n: 2 });
  });
});
