import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonPrecision } from './poison-precision.ts';

describe('poisonPrecision', () => {
  it('is own poison in the first keep of the pool over keep', () => {
    expect(poisonPrecision.observe(sampleOutcome({ pool: 'pcfpp', keep: 4 }))).toEqual([2 / 4, 1]);
    expect(poisonPrecision.observe(sampleOutcome({ pool: 'pc', keep: 5 }))).toEqual([1 / 5, 1]);
  });

  it('does not look at the context', () => {
    expect(poisonPrecision.observe(sampleOutcome({ pool: 'pc', context: [], keep: 2 }))).toEqual([1 / 2, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(poisonPrecision.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });
});
