import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { allGold } from './all-gold.ts';

describe('allGold', () => {
  it('is 1 where every gold passage is in the context', () => {
    expect(allGold.observe(sampleOutcome({ pool: 'c12', context: [3, 2] }))).toEqual([1, 1]);
    expect(allGold.observe(sampleOutcome({ pool: 'c12', context: [3, 1] }))).toEqual([0, 1]);
  });

  it('counts gold that was not retrieved as missing', () => {
    expect(allGold.observe(sampleOutcome({ pool: '12', goldGrades: [2, 1, 1] }))).toEqual([0, 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(allGold.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(allGold.observe(sampleOutcome({ pool: '11', attacked: false }))).toEqual([1, 1]);
  });
});
