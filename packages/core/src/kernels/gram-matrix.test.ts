import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { cosineSimilarity } from './cosine-similarity.ts';
import { cosineMatrix, gramMatrix } from './gram-matrix.ts';

/** Rows of small whole numbers, whose sums are exact in any order. */
const rows = fc
  .tuple(fc.nat(6), fc.nat(11))
  .chain(([n, width]) =>
    fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: width, maxLength: width }), { minLength: n, maxLength: n }),
  );

describe('gramMatrix', () => {
  it('is every inner product', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const expected = given.flatMap((a) => given.map((b) => a.reduce((sum, x, d) => sum + x * b[d], 0)));
        expect([...gramMatrix(given.map((row) => Float32Array.from(row)))]).toEqual(expected);
        expect([...gramMatrix(given.map((row) => Float64Array.from(row)))]).toEqual(expected);
      }),
    );
  });

  it('sums in double precision', () => {
    expect(gramMatrix([Float32Array.of(2 ** 20, 1), Float32Array.of(2 ** 20, 1)])[1]).toBe(2 ** 40 + 1);
  });

  it('is the same for a pool too large for the room that is kept, and for a small one after it', () => {
    const large = [0, 1, 2].map((first) => Float32Array.from({ length: 60_001 }, (_, d) => (d % 3 === first ? 2 : 0)));
    expect([...gramMatrix(large)]).toEqual([80_004, 0, 0, 0, 80_000, 0, 0, 0, 80_000]);
    expect([...gramMatrix([Float32Array.of(1, 2, 3)])]).toEqual([14]);
  });

  it('is empty for no rows and refuses rows of different length', () => {
    expect(gramMatrix([])).toEqual(new Float64Array());
    const uneven = () => gramMatrix([Float32Array.of(1, 2), Float32Array.of(1)]);
    expect(uneven).toThrow(BezoarError);
    expect(uneven).toThrow('row 1 has 1 dimensions, row 0 has 2');
  });
});

describe('cosineMatrix', () => {
  it('is every cosine, with ones on the diagonal and zeros for a zero vector', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const n = given.length;
        const cosines = cosineMatrix(gramMatrix(given.map((row) => Float32Array.from(row))), n);
        for (let i = 0; i < n; i++) {
          for (let j = 0; j < n; j++) expect(cosines[i * n + j]).toBeCloseTo(cosineSimilarity(given[i], given[j]), 14);
          expect(cosines[i * n + i]).toBe(given[i].some((x) => x !== 0) ? 1 : 0);
        }
      }),
    );
  });

  it('clamps to [-1, 1] and gives 0 where there is no finite cosine', () => {
    expect([...cosineMatrix(Float64Array.of(1, 1.5, 1.5, 1), 2)]).toEqual([1, 1, 1, 1]);
    expect([...cosineMatrix(Float64Array.of(1, -1.5, -1.5, 1), 2)]).toEqual([1, -1, -1, 1]);
    expect([...cosineMatrix(Float64Array.of(NaN, NaN, NaN, 1), 2)]).toEqual([0, 0, 0, 1]);
    expect([...cosineMatrix(Float64Array.of(1, NaN, NaN, NaN), 2)]).toEqual([1, 0, 0, 0]);
  });
});
