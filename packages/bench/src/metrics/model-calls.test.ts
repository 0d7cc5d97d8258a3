import { describe, expect, it } from 'vitest';
import { estimate } from '../estimate.ts';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { modelCalls } from './model-calls.ts';

describe('modelCalls', () => {
  it('is a mean over all questions', () => {
    expect(modelCalls.observe(sampleOutcome({ modelCalls: 3 }))).toEqual([3, 1]);
    expect(estimate(modelCalls, [sampleOutcome({ modelCalls: 3 }), sampleOutcome({ attacked: false }), null], { seed: 0 })).toMatchObject({
      value: 3 / 2,
      n: 2,
      notAssessed: 1,
    });
  });
});
