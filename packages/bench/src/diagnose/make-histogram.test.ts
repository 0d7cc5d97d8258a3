import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeHistogram, roundUp } from './make-histogram.ts';

describe('makeHistogram', () => {
  it('counts an edge in the bin above it and the end in the last', () => {
    expect(makeHistogram([0, 0.24, 0.25, 0.5, 0.75, 1], 0, 1, 4)).toEqual({
      from: 0,
      to: 1,
      counts: [2, 1, 1, 2],
      mean: (0.24 + 0.25 + 0.5 + 0.75 + 1) / 6,
    });
    // Tenths that are no exact doubles.
    expect(makeHistogram([0.3, 0.6, 0.7], 0, 1, 10).counts).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
  });

  it('puts what lies beyond into the outer bins, and none has no mean', () => {
    expect(makeHistogram([-9, -1, 1.5], -1, 1, 2).counts).toEqual([2, 1]);
    expect(makeHistogram([], 0, 1, 2)).toEqual({ from: 0, to: 1, counts: [0, 0], mean: null });
  });

  it('counts every value once', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -3, max: 3, noNaN: true })), fc.integer({ min: 1, max: 50 }), (values, bins) => {
        const { counts } = makeHistogram(values, -1, 1, bins);
        expect(counts).toHaveLength(bins);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
      }),
    );
  });
});

describe('roundUp', () => {
  it.each([
    [0, 1],
    [-3, 1],
    [1, 1],
    [1.0001, 2],
    [2, 2],
    [2.1, 5],
    [5.1, 10],
    [1000, 1000],
    [0.001, 0.001],
    [0.3, 0.5],
    [37, 50],
    [99, 100],
  ])('%d ends at %d', (value, end) => {
    expect(roundUp(value)).toBe(end);
  });

  it('is never below the value and less than 2.5 times it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (value) => {
        expect(roundUp(value)).toBeGreaterThanOrEqual(value);
        expect(roundUp(value)).toBeLessThanOrEqual(2.5 * value * (1 + 1e-9));
      }),
    );
  });
});
