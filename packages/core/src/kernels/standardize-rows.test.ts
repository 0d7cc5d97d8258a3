import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/two-means.json' with { type: 'json' };
import { BezoarError } from '../errors.ts';
import { standardizeRows } from './standardize-rows.ts';

describe('standardizeRows', () => {
  it.each(golden.cases.map((item, index) => ({ index, ...item })))('is what scikit-learn gives, case $index', ({ rows, standardized }) => {
    const flat = standardizeRows(rows.map((row) => Float32Array.from(row)));
    const expected = standardized.flat();
    expect(flat.length).toBe(expected.length);
    for (const [i, value] of expected.entries()) expect(flat[i]).toBeCloseTo(value, 12);
  });

  it('leaves a dimension that does not vary at 0, and identical rows all zero', () => {
    expect([...standardizeRows([Float32Array.of(5, 1), Float32Array.of(5, 3)])]).toEqual([0, -1, 0, 1]);
    expect([...standardizeRows([0.1, 0.1, 0.1].map((x) => Float32Array.of(x, 7)))]).toEqual(Array(6).fill(0));
    expect([...standardizeRows([Float32Array.of(2, 3)])]).toEqual([0, 0]);
    expect(standardizeRows([])).toEqual(new Float64Array());
  });

  it('refuses rows of different length', () => {
    const uneven = () => standardizeRows([Float32Array.of(1, 2), Float32Array.of(1)]);
    expect(uneven).toThrow(BezoarError);
    expect(uneven).toThrow('row 1 has 1 dimensions, row 0 has 2');
  });
});
