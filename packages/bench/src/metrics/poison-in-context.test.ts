import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonInContext } from './poison-in-context.ts';

describe('poisonInContext', () => {
  it('is 1 where any own poison is in the context, however much', () => {
    expect(poisonInContext.observe(sampleOutcome({ pool: 'cpp', context: [1, 3] }))).toEqual([1, 1]);
    expect(poisonInContext.observe(sampleOutcome({ pool: 'cpp', context: [1] }))).toEqual([0, 1]);
    expect(poisonInContext.observe(sampleOutcome({ pool: 'cpp', context: [] }))).toEqual([0, 1]);
  });

  it('does not count what was planted for others', () => {
    expect(poisonInContext.observe(sampleOutcome({ pool: 'fc' }))).toEqual([0, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(poisonInContext.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is the share of the questions that were assessed', () => {
    expect(
      estimate(
        poisonInContext,
        [sampleOutcome({ pool: 'pc' }), sampleOutcome({ pool: 'pc', context: [2] }), null, sampleOutcome({ pool: 'cp', context: [1] })],
        { seed: 0 },
      ),
    ).toMatchObject({ value: 1 / 3, n: 3, notAssessed: 1 });
  });
});
