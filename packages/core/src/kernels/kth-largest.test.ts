import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kthLargest } from './kth-largest.ts';

describe('kthLargest', () => {
  it('is what stands at place k of the sorted values', () => {
    const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double({ noNaN: true })), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(values, fc.nat(), (given, at) => {
        const place = at % given.length;
        const sorted = given.toSorted((a, b) => b - a);
        // Adding 0 makes -0 the 0 that it equals.
        expect(kthLargest(Float64Array.from(given), place + 1) + 0).toBe(sorted[place] + 0);
      }),
      { numRuns: 500 },
    );
  });
});
