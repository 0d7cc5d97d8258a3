import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placePoison, poisonCount } from './place-poison.ts';

describe('poisonCount', () => {
  it('is the number, or the whole passages in the share', () => {
    expect(poisonCount({ placement: 'slot', poisons: 3, pool: 10 })).toBe(3);
    expect(poisonCount({ placement: 'retrieval', poisons: 12, pool: 10 })).toBe(12);
    const shares: [number, number, number][] = [
      [0.2, 8, 1],
      [0.3, 10, 3],
      [0.29, 100, 29],
      [0.7, 10, 7],
      [0, 10, 0],
      [1, 10, 10],
      [0.05, 10, 0],
      [0.999, 10, 9],
    ];
    for (const [poisons, pool, count] of shares) expect(poisonCount({ placement: 'ratio', poisons, pool })).toBe(count);
  });
});

describe('placePoison', () => {
  const clean = ['a', 'b', 'c', 'd', 'e'];

  it('puts poison where the placement says', () => {
    expect(placePoison(clean, ['X', 'Y'], 5, 'slot')).toEqual(['X', 'Y', 'a', 'b', 'c']);
    expect(placePoison(clean, ['X', 'Y'], 5, 'ratio')).toEqual(['X', 'Y', 'a', 'b', 'c']);
    expect(placePoison(clean, ['X', 'Y'], 5, 'slot-middle')).toEqual(['a', 'X', 'Y', 'b', 'c']);
    expect(placePoison(clean, ['X'], 5, 'slot-middle')).toEqual(['a', 'b', 'X', 'c', 'd']);
    expect(placePoison(clean, ['X', 'Y'], 5, 'slot-last')).toEqual(['a', 'b', 'c', 'X', 'Y']);
  });

  it('makes do with few clean passages, and leaves out poison without a place', () => {
    expect(placePoison(['a'], ['X'], 5, 'slot-middle')).toEqual(['a', 'X']);
    expect(placePoison(['a'], ['X'], 5, 'slot-last')).toEqual(['a', 'X']);
    expect(placePoison([], ['X'], 5, 'slot')).toEqual(['X']);
    expect(placePoison(clean, ['X', 'Y', 'Z'], 2, 'slot-last')).toEqual(['X', 'Y']);
    expect(placePoison(clean, [], 2, 'slot')).toEqual(['a', 'b']);
  });

  it('keeps both orders, and fills the pool', () => {
    const placement = fc.constantFrom('slot' as const, 'slot-middle' as const, 'slot-last' as const, 'ratio' as const);
    fc.assert(
      fc.property(fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 12 }), placement, (cleans, poisons, size, where) => {
        const first = Array.from({ length: cleans }, (_, index) => index);
        const second = Array.from({ length: poisons }, (_, index) => 100 + index);
        const pool = placePoison(first, second, size, where);
        expect(pool.length).toBe(Math.min(size, cleans + poisons));
        const planted = Math.min(size, poisons);
        expect(pool.filter((item) => item >= 100)).toEqual(second.slice(0, planted));
        expect(pool.filter((item) => item < 100)).toEqual(first.slice(0, size - planted));
      }),
    );
  });
});
