import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { detectionRecall } from './detection-recall.ts';

describe('detectionRecall', () => {
  it('is the removed among the poisoned', () => {
    expect(detectionRecall.observe(sampleOutcome({ pool: 'pfpc', context: [1, 4] }))).toEqual([2, 3]);
    expect(detectionRecall.observe(sampleOutcome({ pool: 'cc', context: [] }))).toEqual([0, 0]);
  });

  it('is not assessed without an attack', () => {
    expect(detectionRecall.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is pooled', () => {
    expect(
      estimate(detectionRecall, [sampleOutcome({ pool: 'pfpc', context: [1, 4] }), sampleOutcome({ pool: 'pc' })], { seed: 0 }),
    ).toMatchObject({ value: (2 + 0) / (3 + 1), n: 2 });
  });
});
