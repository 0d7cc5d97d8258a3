import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { goldRank } from './gold-rank.ts';

describe('goldRank', () => {
  it('is the place of the first gold passage in the context, not in the pool', () => {
    expect(goldRank.observe(sampleOutcome({ pool: '1cc2', context: [3, 4, 1] }))).toEqual([2, 1]);
  });

  it('is not assessed where no gold passage got through', () => {
    expect(goldRank.observe(sampleOutcome({ pool: 'c1', context: [1] }))).toEqual(null);
  });

  it('is not assessed where no gold is known', () => {
    expect(goldRank.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('does not believe a grade that the qrels do not know', () => {
    expect(goldRank.observe(sampleOutcome({ pool: '1', goldGrades: [] }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(goldRank.observe(sampleOutcome({ pool: 'c1', attacked: false }))).toEqual([2, 1]);
  });
});
