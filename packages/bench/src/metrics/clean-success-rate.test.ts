import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { cleanSuccessRate } from './clean-success-rate.ts';

describe('cleanSuccessRate', () => {
  it('is 1 where any gold passage is in the context without poison', () => {
    expect(cleanSuccessRate.observe(sampleOutcome({ cleanPool: 'c1', cleanContext: [2, 1] }))).toEqual([1, 1]);
    expect(cleanSuccessRate.observe(sampleOutcome({ cleanPool: 'c1', cleanContext: [1] }))).toEqual([0, 1]);
  });

  it('does not look at the attacked context', () => {
    expect(cleanSuccessRate.observe(sampleOutcome({ pool: '1p', cleanPool: 'cc' }))).toEqual([0, 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(cleanSuccessRate.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(cleanSuccessRate.observe(sampleOutcome({ cleanPool: '1', attacked: false }))).toEqual([1, 1]);
  });
});
