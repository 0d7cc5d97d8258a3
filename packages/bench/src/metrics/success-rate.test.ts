import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { successRate } from './success-rate.ts';

describe('successRate', () => {
  it('is 1 where any gold passage is in the context', () => {
    expect(successRate.observe(sampleOutcome({ pool: 'c1p2', context: [1, 4] }))).toEqual([1, 1]);
    expect(successRate.observe(sampleOutcome({ pool: 'c1p2', context: [1, 3] }))).toEqual([0, 1]);
  });

  it('looks at the attacked context', () => {
    expect(successRate.observe(sampleOutcome({ pool: 'pc', cleanPool: '1c', goldGrades: [1] }))).toEqual([0, 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(successRate.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(successRate.observe(sampleOutcome({ pool: '1', attacked: false }))).toEqual([1, 1]);
  });
});
