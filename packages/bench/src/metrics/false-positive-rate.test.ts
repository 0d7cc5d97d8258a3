import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { falsePositiveRate } from './false-positive-rate.ts';

describe('falsePositiveRate', () => {
  it('is the removed among the clean', () => {
    expect(falsePositiveRate.observe(sampleOutcome({ pool: 'pfc1c', context: [1, 5] }))).toEqual([2 / 3, 1]);
  });

  it('is 0 for a pool of poison', () => {
    expect(falsePositiveRate.observe(sampleOutcome({ pool: 'pf', context: [] }))).toEqual([0, 1]);
  });

  it('is assessed without an attack', () => {
    expect(falsePositiveRate.observe(sampleOutcome({ pool: 'c1', context: [2], attacked: false }))).toEqual([1 / 2, 1]);
  });

  it('is a mean over questions', () => {
    expect(
      estimate(falsePositiveRate, [sampleOutcome({ pool: 'ccc', context: [1] }), sampleOutcome({ pool: 'pc' })], { seed: 0 }),
    ).toMatchObject({ value: (2 / 3 + 0) / 2, n: 2 });
  });
});
