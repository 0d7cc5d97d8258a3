import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonRecall } from './poison-recall.ts';

describe('poisonRecall', () => {
  it('is own poison in the first keep of the pool over what was planted', () => {
    expect(poisonRecall.observe(sampleOutcome({ pool: 'pcfpp', keep: 4 }))).toEqual([2 / 3, 1]);
    expect(poisonRecall.observe(sampleOutcome({ pool: 'pc', planted: 5 }))).toEqual([1 / 5, 1]);
  });

  it('does not look at the context', () => {
    expect(poisonRecall.observe(sampleOutcome({ pool: 'pc', context: [] }))).toEqual([1, 1]);
  });

  it('is not assessed where nothing was planted', () => {
    expect(poisonRecall.observe(sampleOutcome({ pool: 'cc' }))).toEqual(null);
  });

  it('is not assessed without an attack', () => {
    expect(poisonRecall.observe(sampleOutcome({ pool: 'p', attacked: false }))).toEqual(null);
  });
});
