import { expect, it } from 'vitest';
import { removalCounts } from './removal-counts.ts';
import { sampleOutcome } from './testing/sample-outcome.ts';

it('reads what is not in the context as called poisoned', () => {
  expect(removalCounts(sampleOutcome({ pool: 'ppfc1cc', context: [7, 2] }))).toEqual({
    poisonRemoved: 2, // ranks 1 and 3
    poisonKept: 1, // rank 2
    cleanRemoved: 3, // ranks 4, 5, 6
    cleanKept: 1, // rank 7
  });
  expect(removalCounts(sampleOutcome({}))).toEqual({ poisonRemoved: 0, poisonKept: 0, cleanRemoved: 0, cleanKept: 0 });
});
