import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ranking-metrics.json' with { type: 'json' };
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { mrr } from './mrr.ts';

describe('mrr', () => {
  it('is one over the place of the first gold passage in the context', () => {
    expect(mrr.observe(sampleOutcome({ pool: '1cc2', context: [2, 3, 4, 1] }))).toEqual([1 / 3, 1]);
    expect(mrr.observe(sampleOutcome({ pool: '1c' }))).toEqual([1, 1]);
    expect(mrr.observe(sampleOutcome({ pool: '1c', context: [2] }))).toEqual([0, 1]);
  });

  it('does not cut the context', () => {
    expect(mrr.observe(sampleOutcome({ pool: 'cc1', keep: 1 }))).toEqual([1 / 3, 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(mrr.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(mrr.observe(sampleOutcome({ pool: '1', attacked: false }))).toEqual([1, 1]);
  });

  it.each(golden.cases.map((item, index) => ({ index, ...item })))(
    'is what trec_eval says, case $index',
    ({ contextGrades, goldGrades, mrr: value }) => {
      const outcome = sampleOutcome({ pool: contextGrades.map((grade) => grade || 'c').join(''), goldGrades });
      expect(mrr.observe(outcome)![0]).toBeCloseTo(value, 12);
    },
  );
});
