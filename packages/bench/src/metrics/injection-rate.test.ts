import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { injectionRate } from './injection-rate.ts';

describe('injectionRate', () => {
  it('is own poison in the context over keep, however short the context', () => {
    expect(injectionRate.observe(sampleOutcome({ pool: 'pcpf', context: [1, 3, 4], keep: 5 }))).toEqual([2, 5]);
    expect(injectionRate.observe(sampleOutcome({ pool: 'pc', context: [], keep: 3 }))).toEqual([0, 3]);
  });

  it('is not assessed without an attack', () => {
    expect(injectionRate.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });
});
