import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { detectionAccuracy } from './detection-accuracy.ts';

describe('detectionAccuracy', () => {
  it('is the poisoned removed and the clean kept over the pool', () => {
    expect(detectionAccuracy.observe(sampleOutcome({ pool: 'pfc1c', context: [1, 4, 5] }))).toEqual([(1 + 2) / 5, 1]);
  });

  it('is 0 for an empty pool', () => {
    expect(detectionAccuracy.observe(sampleOutcome({}))).toEqual([0, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(detectionAccuracy.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is a mean over questions', () => {
    expect(
      estimate(detectionAccuracy, [sampleOutcome({ pool: 'pfc1c', context: [1, 4, 5] }), sampleOutcome({ pool: 'pc' })], { seed: 0 }),
    ).toMatchObject({ value: (3 / 5 + 1 / 2) / 2, n: 2 });
  });
});
