import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { detectionPrecision } from './detection-precision.ts';

describe('detectionPrecision', () => {
  it('is the poisoned among the removed', () => {
    expect(detectionPrecision.observe(sampleOutcome({ pool: 'pfc1c', context: [4, 5] }))).toEqual([2, 3]);
    expect(detectionPrecision.observe(sampleOutcome({ pool: 'pc' }))).toEqual([0, 0]);
  });

  it('is not assessed without an attack', () => {
    expect(detectionPrecision.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is pooled', () => {
    expect(
      estimate(detectionPrecision, [sampleOutcome({ pool: 'pfc1c', context: [4, 5] }), sampleOutcome({ pool: 'pccc', context: [1, 2] })], {
        seed: 0,
      }),
    ).toMatchObject({ value: (2 + 0) / (3 + 2), n: 2 });
  });
});
