import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/two-means.json' with { type: 'json' };
import { gramMatrix } from './gram-matrix.ts';
import { createRandom } from './random.ts';
import { twoMeans } from './two-means.ts';

const split = (rows: readonly (readonly number[])[], seed = 0) =>
  twoMeans(gramMatrix(rows.map((row) => Float64Array.from(row))), rows.length, createRandom(seed));

/** Squared distances to the mean of each cluster, from the points themselves. */
function sumOfSquares(rows: readonly (readonly number[])[], labels: ArrayLike<number>): number {
  let sum = 0;
  for (const cluster of [0, 1]) {
    const members = rows.filter((_, i) => labels[i] === cluster);
    for (const d of (rows[0] ?? []).keys()) {
      const mean = members.reduce((total, row) => total + row[d], 0) / members.length;
      for (const row of members) sum += (row[d] - mean) ** 2;
    }
  }
  return sum;
}

const points = (minLength: number, maxLength: number) =>
  fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 })), { minLength, maxLength });

describe('twoMeans', () => {
  it.each(golden.cases.map((item, index) => ({ index, ...item })))(
    'finds the optimum, which scikit-learn never beats, case $index',
    ({ standardized, labels, withinSumOfSquares, sklearnInertia }) => {
      const found = split(standardized);
      expect([...found.labels]).toEqual(labels);
      expect(found.withinSumOfSquares).toBeCloseTo(withinSumOfSquares, 10);
      expect(found.withinSumOfSquares).toBeLessThanOrEqual(sklearnInertia + 1e-9);
      expect(found.exact).toBe(true);
    },
  );

  it('gives the known split of five directions', () => {
    const rows = [
      [1, 0],
      [0.98, 0.199],
      [0.95, 0.312],
      [-0.6, 0.8],
      [0, -1],
    ].map((row) => row.map((x) => x / Math.hypot(...row)));
    const found = split(rows);
    expect([...found.labels]).toEqual([0, 0, 0, 1, 0]);
    expect(found.withinSumOfSquares).toBeCloseTo(1.793893, 6);
  });

  it('is no worse than any bipartition, and says what its labels cost', () => {
    fc.assert(
      fc.property(points(2, 7), (rows) => {
        const found = split(rows);
        expect(found.withinSumOfSquares).toBeCloseTo(sumOfSquares(rows, found.labels), 9);
        for (let mask = 1; mask < 2 ** (rows.length - 1); mask++) {
          const labels = rows.map((_, i) => (mask >> i) & 1);
          expect(found.withinSumOfSquares).toBeLessThanOrEqual(sumOfSquares(rows, labels) + 1e-9);
        }
      }),
    );
  });

  it('gives the first point label 0, and among equal optima the labels that are smallest as a binary number', () => {
    expect([...split([[0], [1], [2]]).labels]).toEqual([0, 0, 1]);
    expect([
      ...split([
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ]).labels,
    ]).toEqual([0, 0, 1, 1]);
    expect([...split([[5], [0], [0]]).labels]).toEqual([0, 1, 1]);
  });

  it('puts fewer than two distinct points in one cluster', () => {
    for (const rows of [
      [],
      [[3, 4]],
      [
        [1, 2],
        [1, 2],
      ],
      Array(20).fill([0.1, 0.7]),
    ]) {
      const found = split(rows);
      expect([...found.labels]).toEqual(rows.map(() => 0));
      expect(found.withinSumOfSquares).toBe(0);
      expect(found.exact).toBe(rows.length <= 16);
    }
    expect([...split([[0], [0], [1]]).labels]).toEqual([0, 0, 1]);
    expect([...split([[0], [0]]).labels]).toEqual([0, 0]);
  });

  it('says when it did not look at everything, and finds clear clusters all the same', () => {
    expect(split(Array.from({ length: 16 }, (_, i) => [i])).exact).toBe(true);
    const rows = Array.from({ length: 17 }, (_, i) => [i % 3 === 1 ? 10 + i / 100 : i / 100, i / 50]);
    const found = split(rows);
    expect(found.exact).toBe(false);
    expect([...found.labels]).toEqual(rows.map((_, i) => (i % 3 === 1 ? 1 : 0)));
    expect(found.withinSumOfSquares).toBeCloseTo(sumOfSquares(rows, found.labels), 9);
  });

  it('above 16 points ends where no point is nearer to the other mean, the same for the same seed', () => {
    fc.assert(
      fc.property(points(17, 30), fc.nat(), (rows, seed) => {
        const found = split(rows, seed);
        expect(found).toEqual(split(rows, seed));
        expect(found.labels[0]).toBe(0);
        expect(found.withinSumOfSquares).toBeCloseTo(sumOfSquares(rows, found.labels), 8);
        const means = [0, 1].map((cluster) => {
          const members = rows.filter((_, i) => found.labels[i] === cluster);
          return [0, 1].map((d) => members.reduce((sum, row) => sum + row[d], 0) / members.length);
        });
        if (new Set(rows.map(String)).size < 2) return;
        for (const [i, row] of rows.entries()) {
          const [own, other] = [means[found.labels[i]], means[1 - found.labels[i]]].map((mean) =>
            Math.hypot(row[0] - mean[0], row[1] - mean[1]),
          );
          expect(own).toBeLessThanOrEqual(other + 1e-9);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('finds the optimum of 17 points nearly always, which one start does not', () => {
    const random = createRandom(9);
    let optimal = 0;
    for (let trial = 0; trial < 20; trial++) {
      const rows = Array.from({ length: 17 }, () => [random.next(), random.next()]);
      const found = split(rows, trial);
      let best = Infinity;
      // The optimal two clusters are separated by a line: try the split points along many directions.
      for (let angle = 0; angle < 360; angle++) {
        const along = rows.map(([x, y]) => x * Math.cos((angle * Math.PI) / 360) + y * Math.sin((angle * Math.PI) / 360));
        for (const cut of along)
          best = Math.min(
            best,
            sumOfSquares(
              rows,
              along.map((at) => (at < cut ? 1 : 0)),
            ) || Infinity,
          );
      }
      if (found.withinSumOfSquares <= best + 1e-9) optimal++;
    }
    expect(optimal).toBeGreaterThanOrEqual(19);
  });
});
