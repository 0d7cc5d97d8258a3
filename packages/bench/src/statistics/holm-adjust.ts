import { BezoarError } from '@bezoar/core';

/**
 * The p values of several tests, raised so that calling those below 0.05 significant is wrong about any of them with a chance of at most
 * 5 %; in the order given.
 *
 * The i-th smallest of m is multiplied by m - i + 1, never below the one before, never above 1. Source: Holm 1979, A simple sequentially
 * rejective multiple test procedure.
 *
 * @throws {BezoarError} `BAD_INPUT` for anything but numbers from 0 to 1.
 */
export function holmAdjust(pValues: readonly number[]): number[] {
  if (!pValues.every((p) => p >= 0 && p <= 1)) throw new BezoarError('BAD_INPUT', 'a p value must be from 0 to 1');
  const adjusted = [...pValues];
  let highest = 0;
  [...pValues.keys()]
    .sort((a, b) => pValues[a] - pValues[b])
    .forEach((test, place) => {
      highest = Math.max(highest, Math.min(1, pValues[test] * (pValues.length - place)));
      adjusted[test] = highest;
    });
  return adjusted;
}
