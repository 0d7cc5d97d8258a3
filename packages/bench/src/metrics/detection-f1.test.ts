import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { detectionF1 } from './detection-f1.ts';

describe('detectionF1', () => {
  // Of p f c 1 c the first, second and third are removed: 2 true positives, 1 false one, 0 missed.

  it('is twice the true positives over themselves and the errors', () => {
    expect(detectionF1.observe(sampleOutcome({ pool: 'pfc1c', context: [4, 5] }))).toEqual([2 * 2, 2 * 2 + 1 + 0]);
    expect(detectionF1.observe(sampleOutcome({ pool: 'pfc1c', context: [1, 4] }))).toEqual([2 * 1, 2 * 1 + 2 + 1]);
    expect(detectionF1.observe(sampleOutcome({ pool: 'cc' }))).toEqual([0, 0]);
  });

  it('is not assessed without an attack', () => {
    expect(detectionF1.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });

  it('is pooled, and the harmonic mean of precision and recall', () => {
    const outcomes = [sampleOutcome({ pool: 'pfc1c', context: [4, 5] }), sampleOutcome({ pool: 'pccc', context: [1, 2] })];
    const precision = (2 + 0) / (3 + 2);
    const recall = (2 + 0) / (2 + 1);
    expect(estimate(detectionF1, outcomes, { seed: 0 }).value).toBeCloseTo((2 * precision * recall) / (precision + recall), 15);
    expect(estimate(detectionF1, outcomes, { seed: 0 }).value).toBe((4 + 0) / (5 + 3));
  });

  it('is not assessed where nothing was poisoned and nothing removed', () => {
    expect(estimate(detectionF1, [sampleOutcome({ pool: 'cc' })], { seed: 0 })).toMatchObject({
      value: null,
      low: null,
      high: null,
      n: 0,
      notAssessed: 1,
    });
  });
});
