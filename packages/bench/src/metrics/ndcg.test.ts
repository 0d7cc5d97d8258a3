import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ranking-metrics.json' with { type: 'json' };
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { ndcg } from './ndcg.ts';

describe('ndcg', () => {
  it('is the discounted grades over those of the ideal order', () => {
    // Context c 1 2: 1 / log2(3) + 2 / log2(4); ideal 2 1: 2 / log2(2) + 1 / log2(3).
    expect(ndcg.observe(sampleOutcome({ pool: 'c12' }))).toEqual([(1 / Math.log2(3) + 2 / 2) / (2 / 1 + 1 / Math.log2(3)), 1]);
    expect(ndcg.observe(sampleOutcome({ pool: '21c', context: [1, 2] }))).toEqual([1, 1]);
    expect(ndcg.observe(sampleOutcome({ pool: '21c', context: [3] }))).toEqual([0, 1]);
    expect(ndcg.observe(sampleOutcome({ pool: '21c', context: [] }))).toEqual([0, 1]);
  });

  it('cuts context and ideal at keep', () => {
    expect(ndcg.observe(sampleOutcome({ pool: 'c1', keep: 1 }))).toEqual([0, 1]);
    expect(ndcg.observe(sampleOutcome({ pool: '12', keep: 1 }))).toEqual([1 / 2, 1]);
  });

  it('knows gold that was not retrieved', () => {
    expect(ndcg.observe(sampleOutcome({ pool: '1', goldGrades: [3, 1] }))).toEqual([1 / (3 + 1 / Math.log2(3)), 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(ndcg.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(ndcg.observe(sampleOutcome({ pool: '1', attacked: false }))).toEqual([1, 1]);
  });

  it.each(golden.cases.map((item, index) => ({ index, ...item })))(
    'is what trec_eval says, case $index',
    ({ contextGrades, goldGrades, ndcg: expected }) => {
      for (const [keep, value] of Object.entries(expected)) {
        const outcome = sampleOutcome({ pool: contextGrades.map((grade) => grade || 'c').join(''), goldGrades, keep: Number(keep) });
        expect(ndcg.observe(outcome)![0]).toBeCloseTo(value, 12);
      }
    },
  );
});
