import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonRetention } from './poison-retention.ts';

describe('poisonRetention', () => {
  it('is 1 where own poison of the pool is still in the context', () => {
    expect(poisonRetention.observe(sampleOutcome({ pool: 'ppc', context: [2] }))).toEqual([1, 1]);
    expect(poisonRetention.observe(sampleOutcome({ pool: 'ppc', context: [3] }))).toEqual([0, 1]);
  });

  it('is not assessed where the pool has no own poison', () => {
    expect(poisonRetention.observe(sampleOutcome({ pool: 'fc', planted: 1 }))).toEqual(null);
  });

  it('is not assessed without an attack', () => {
    expect(poisonRetention.observe(sampleOutcome({ pool: 'p', attacked: false }))).toEqual(null);
  });
});
