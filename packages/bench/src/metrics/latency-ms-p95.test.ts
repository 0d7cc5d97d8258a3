import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { latencyMsP95 } from './latency-ms-p95.ts';

describe('latencyMsP95', () => {
  it('is the time that the defense took', () => {
    expect(latencyMsP95.observe(sampleOutcome({ ms: 2.25 }))).toEqual([2.25, 1]);
    expect(latencyMsP95.observe(sampleOutcome({ ms: 0 }))).toEqual([0, 1]);
  });

  it('is not assessed where the time was not kept', () => {
    expect(latencyMsP95.observe(sampleOutcome({ ms: null }))).toEqual(null);
  });

  it('is the quantile of its name', () => {
    expect(
      estimate(latencyMsP95, [sampleOutcome({ ms: 2 }), sampleOutcome({ ms: 1 }), sampleOutcome({ ms: null })], { seed: 0 }),
    ).toMatchObject({ value: 1 + 0.95 * (2 - 1), low: 1, high: 2, n: 2, notAssessed: 1 });
  });
});
