import { expect, it } from 'vitest';
import { percentile } from './percentile.ts';

it('stands at share (n - 1), on the line between its neighbours', () => {
  expect(percentile([3], 0.7)).toBe(3);
  expect(percentile([1, 2], 0.5)).toBe(1 + 0.5 * (2 - 1));
  expect(percentile([10, 20, 40], 0)).toBe(10);
  expect(percentile([10, 20, 40], 0.5)).toBe(20);
  expect(percentile([10, 20, 40], 0.75)).toBe(20 + 0.5 * (40 - 20));
  expect(percentile([10, 20, 40], 1)).toBe(40);
  expect(percentile(Float64Array.of(0, 0, 0, 0, 8), 0.875)).toBe(0.5 * 8);
});
