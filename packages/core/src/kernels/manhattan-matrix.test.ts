import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { manhattanMatrix } from './manhattan-matrix.ts';

describe('manhattanMatrix', () => {
  it('sums absolute differences', () => {
    const rows = [Float32Array.of(0, 0), Float32Array.of(3, -4), Float32Array.of(1, 1)];
    expect([...manhattanMatrix(rows)]).toEqual([0, 7, 2, 7, 0, 7, 2, 7, 0]);
    expect(manhattanMatrix([])).toEqual(new Float64Array());
  });

  it('refuses rows of different length', () => {
    const uneven = () => manhattanMatrix([Float32Array.of(1, 2), Float32Array.of(1)]);
    expect(uneven).toThrow(BezoarError);
    expect(uneven).toThrow('row 1 has 1 dimensions, row 0 has 2');
  });
});
