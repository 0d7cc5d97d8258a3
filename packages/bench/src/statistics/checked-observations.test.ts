import { expect, it } from 'vitest';
import { checkedObservations } from './checked-observations.ts';

it('passes on what can be summed, in an array of its own', () => {
  const given = [
    [1, 2],
    [0, 0],
    [-1, 3],
    [0, 1],
  ] as const;
  expect(checkedObservations(given)).toEqual(given);
  expect(checkedObservations(given)).not.toBe(given);
  expect(checkedObservations([])).toEqual([]);
});

it.each([
  [[Number.NaN, 1]],
  [[0, Number.NaN]],
  [[1, Number.NaN]],
  [[Infinity, 1]],
  [[0, Infinity]],
  [[1, Infinity]],
  [[0, -1]],
  [[1, -1]],
  [[1, 0]],
] as const)('refuses %j', (observation) => {
  expect(() => checkedObservations([[1, 1], observation])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
});
