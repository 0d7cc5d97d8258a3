import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { meanPoisons } from './mean-poisons.ts';

describe('meanPoisons', () => {
  it('counts own poison in the context', () => {
    expect(meanPoisons.observe(sampleOutcome({ pool: 'pcppf', context: [1, 3, 5] }))).toEqual([2, 1]);
    expect(meanPoisons.observe(sampleOutcome({ pool: 'pc', context: [2] }))).toEqual([0, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(meanPoisons.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is a mean over questions', () => {
    expect(estimate(meanPoisons, [sampleOutcome({ pool: 'ppp' }), sampleOutcome({ pool: 'pc', context: [2] })], { seed: 0 })).toMatchObject(
      { value: (3 + 0) / 2, n: 2 },
    );
  });
});
