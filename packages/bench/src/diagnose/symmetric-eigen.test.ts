import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { symmetricEigen } from './symmetric-eigen.ts';

/** Vectors that are not all alike, and some that are. */
const vectors = fc
  .integer({ min: 1, max: 7 })
  .chain((n) => fc.array(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: n, maxLength: n }), { minLength: 1, maxLength: 9 }));

describe('symmetricEigen', () => {
  it('knows a matrix of two by heart', () => {
    // [[2, 1], [1, 2]]: 3 along (1, 1), 1 along (1, -1).
    const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2);
    expect(values[0]).toBeCloseTo(3, 12);
    expect(values[1]).toBeCloseTo(1, 12);
    expect(Math.abs(vectors[0][0] + vectors[0][1])).toBeCloseTo(Math.SQRT2, 12);
    expect(Math.abs(vectors[1][0] - vectors[1][1])).toBeCloseTo(Math.SQRT2, 12);
  });

  it('sorts a diagonal matrix, and has nothing for none', () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(1, 0, 0, 0, 5, 0, 0, 0, -2), 3);
    expect([...values]).toEqual([5, 1, -2]);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0, 1, 0],
      [1, 0, 0],
      [0, 0, 1],
    ]);
    expect(symmetricEigen(new Float64Array(0), 0)).toEqual({ values: new Float64Array(0), vectors: [] });
  });

  it('gives the matrix back from orthonormal vectors and descending values, and leaves its input alone', () => {
    fc.assert(
      fc.property(vectors, (rows) => {
        const n = rows[0].length;
        const matrix = Float64Array.from({ length: n * n }, (_, at) =>
          rows.reduce((sum, row) => sum + row[Math.floor(at / n)] * row[at % n], 0),
        );
        const before = matrix.slice();
        const { values, vectors } = symmetricEigen(matrix, n);
        expect(matrix).toEqual(before);
        for (let i = 0; i < n; i++) {
          if (i > 0) expect(values[i]).toBeLessThanOrEqual(values[i - 1]);
          for (let j = 0; j < n; j++) {
            const product = vectors[i].reduce((sum, value, k) => sum + value * vectors[j][k], 0);
            expect(product).toBeCloseTo(Number(i === j), 9);
            const entry = vectors.reduce((sum, vector, k) => sum + values[k] * vector[i] * vector[j], 0);
            expect(entry).toBeCloseTo(matrix[i * n + j], 7);
          }
        }
      }),
    );
  });
});
