import { createRandom } from '@bezoar/core/kernels/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../tests/golden/derive-seed.json' with { type: 'json' };
import { deriveSeed } from './derive-seed.ts';

describe('deriveSeed', () => {
  it.each(golden.cases)('gives the number of sklearn for seed $seed and $parts', ({ seed, parts, derived }) => {
    expect(deriveSeed(seed, ...parts)).toBe(derived);
  });

  it('gives seeds that the generator takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), fc.array(fc.string({ unit: 'binary' })), (seed, parts) => {
        expect(() => createRandom(deriveSeed(seed, ...parts))).not.toThrow();
      }),
    );
  });

  it('gives many names different seeds', () => {
    // By chance two of 10,000 meet in 2^32 places in one of a hundred tries; these do not.
    expect(new Set(Array.from({ length: 10_000 }, (_, index) => deriveSeed(7, 'attack', `q${index}`))).size).toBe(10_000);
  });
});
