import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { principalPlane } from './principal-plane.ts';

const rowsOf = (rows: readonly (readonly number[])[]): Float64Array[] => rows.map((row) => Float64Array.from(row));

describe('principalPlane', () => {
  it('finds the long axis, then the short one, around the mean', () => {
    const { points, explained } = principalPlane(
      rowsOf([
        [10, 1, 7],
        [14, 1, 7],
        [12, 2, 7],
        [12, 0, 7],
      ]),
    );
    // Equally far ones: the first is positive.
    expect(points.map(({ x, y }) => [Math.round(x * 1e9) / 1e9 + 0, Math.round(y * 1e9) / 1e9 + 0])).toEqual([
      [2, 0],
      [-2, 0],
      [0, 1],
      [0, -1],
    ]);
    expect(explained).toBeCloseTo(1, 12);
  });

  it('says how much a third axis takes away', () => {
    const { explained } = principalPlane(
      rowsOf([
        [3, 0, 0],
        [-3, 0, 0],
        [0, 2, 0],
        [0, -2, 0],
        [0, 0, 1],
        [0, 0, -1],
      ]),
    );
    expect(explained).toBeCloseTo((9 + 4) / (9 + 4 + 1), 12);
  });

  it('is defined without rows, of one row, of equal rows and of one dimension', () => {
    expect(principalPlane([])).toEqual({ points: [], explained: 1 });
    expect(principalPlane(rowsOf([[3, 4]]))).toEqual({ points: [{ x: 0, y: 0 }], explained: 1 });
    const equal = principalPlane(rowsOf([0.1, 0.1, 0.1].map((value) => [value, 0.7, 1e3])));
    expect(equal).toEqual({ points: [1, 2, 3].map(() => ({ x: 0, y: 0 })), explained: 1 });
    expect(principalPlane(rowsOf([[1], [4]]))).toEqual({
      points: [
        { x: 1.5, y: 0 },
        { x: -1.5, y: 0 },
      ],
      explained: 1,
    });
  });

  it('never stretches a distance, and keeps them in two dimensions', () => {
    const cloud = fc
      .integer({ min: 2, max: 5 })
      .chain((width) => fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: width, maxLength: width }), { maxLength: 8 }));
    fc.assert(
      fc.property(cloud, (rows) => {
        const { points, explained } = principalPlane(rowsOf(rows));
        expect(explained).toBeGreaterThanOrEqual(0);
        expect(explained).toBeLessThanOrEqual(1);
        for (const [i, a] of rows.entries()) {
          for (const [j, b] of rows.entries()) {
            const shown = Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y);
            const real = Math.hypot(...a.map((value, k) => value - b[k]));
            expect(shown).toBeLessThanOrEqual(real + 1e-9);
            if (a.length === 2) expect(shown).toBeCloseTo(real, 9);
          }
        }
      }),
    );
  });
});
