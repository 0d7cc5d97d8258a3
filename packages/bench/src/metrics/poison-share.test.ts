import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonShare } from './poison-share.ts';

describe('poisonShare', () => {
  it('is own poison over slots', () => {
    expect(poisonShare.observe(sampleOutcome({ pool: 'pcpfc', context: [1, 3, 4, 5] }))).toEqual([2, 4]);
    expect(poisonShare.observe(sampleOutcome({ pool: 'pc', context: [] }))).toEqual([0, 0]);
  });

  it('is not assessed without an attack', () => {
    expect(poisonShare.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is pooled: a short context weighs less', () => {
    expect(
      estimate(poisonShare, [sampleOutcome({ pool: 'p' }), sampleOutcome({ pool: 'cccc' }), sampleOutcome({ pool: 'pc', context: [] })], {
        seed: 0,
      }),
    ).toMatchObject({ value: (1 + 0 + 0) / (1 + 4 + 0), n: 3 });
  });
});
