import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { poisonF1 } from './poison-f1.ts';

describe('poisonF1', () => {
  it('is the harmonic mean of precision and recall', () => {
    // Precision 2 / 4, recall 2 / 3.
    expect(poisonF1.observe(sampleOutcome({ pool: 'pcfpp', keep: 4 }))![0]).toBeCloseTo((2 * (2 / 4) * (2 / 3)) / (2 / 4 + 2 / 3), 15);
    expect(poisonF1.observe(sampleOutcome({ pool: 'ccp', keep: 2 }))).toEqual([0, 1]);
  });

  it('is not assessed where nothing was planted', () => {
    expect(poisonF1.observe(sampleOutcome({ pool: 'cc' }))).toEqual(null);
  });

  it('is not assessed without an attack', () => {
    expect(poisonF1.observe(sampleOutcome({ pool: 'p', attacked: false }))).toEqual(null);
  });
});
