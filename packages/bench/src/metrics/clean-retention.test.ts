import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { cleanRetention } from './clean-retention.ts';

describe('cleanRetention', () => {
  it('is the clean in the context among the clean in the pool', () => {
    expect(cleanRetention.observe(sampleOutcome({ pool: 'pfc1c', context: [1, 2, 5] }))).toEqual([1, 3]);
    expect(cleanRetention.observe(sampleOutcome({ pool: 'pp', context: [] }))).toEqual([0, 0]);
  });

  it('is assessed without an attack', () => {
    expect(cleanRetention.observe(sampleOutcome({ pool: 'c1', context: [2], attacked: false }))).toEqual([1, 2]);
  });

  it('is pooled', () => {
    expect(
      estimate(
        cleanRetention,
        [sampleOutcome({ pool: 'ccc', context: [1] }), sampleOutcome({ pool: 'pc' }), sampleOutcome({ pool: 'pp' })],
        { seed: 0 },
      ),
    ).toMatchObject({ value: (1 + 1 + 0) / (3 + 1 + 0), n: 3 });
  });
});
