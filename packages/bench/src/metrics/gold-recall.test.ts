import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ranking-metrics.json' with { type: 'json' };
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { goldRecall } from './gold-recall.ts';

describe('goldRecall', () => {
  it('is gold in the first keep of the context over all gold', () => {
    expect(goldRecall.observe(sampleOutcome({ pool: '1c2c', context: [3, 2, 1], keep: 2 }))).toEqual([1 / 2, 1]);
    expect(goldRecall.observe(sampleOutcome({ pool: '1c2c', context: [3, 2, 1], keep: 3 }))).toEqual([2 / 2, 1]);
    expect(goldRecall.observe(sampleOutcome({ pool: 'c1', goldGrades: [3, 2, 1] }))).toEqual([1 / 3, 1]);
    expect(goldRecall.observe(sampleOutcome({ pool: 'c1', context: [] }))).toEqual([0 / 1, 1]);
  });

  it('is not assessed where no gold is known', () => {
    expect(goldRecall.observe(sampleOutcome({ pool: 'pcc', cleanPool: 'ccc' }))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(goldRecall.observe(sampleOutcome({ pool: 'c1', attacked: false }))).toEqual([1, 1]);
  });

  it.each(golden.cases.map((item, index) => ({ index, ...item })))(
    'is what trec_eval says, case $index',
    ({ contextGrades, goldGrades, goldRecall: expected }) => {
      for (const [keep, value] of Object.entries(expected)) {
        const outcome = sampleOutcome({ pool: contextGrades.map((grade) => grade || 'c').join(''), goldGrades, keep: Number(keep) });
        expect(goldRecall.observe(outcome)![0]).toBeCloseTo(value, 12);
      }
    },
  );
});
