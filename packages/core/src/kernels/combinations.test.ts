import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { binomial, combinations, sampleCombinations } from './combinations.ts';
import { createRandom } from './random.ts';

const rowsOf = (flat: Uint8Array, k: number): number[][] =>
  Array.from({ length: flat.length / k }, (_, i) => [...flat.subarray(i * k, (i + 1) * k)]);

/** Every subset by its bits, in lexicographic order of its members. */
const slowly = (n: number, k: number): number[][] =>
  Array.from({ length: 2 ** n }, (_, bits) => Array.from({ length: n }, (_, i) => i).filter((i) => (bits >> (n - 1 - i)) & 1))
    .filter((row) => row.length === k)
    .reverse();

describe('binomial', () => {
  it('is the row of Pascal it should be', () => {
    expect([-1, 0, 1, 2, 3, 4, 5, 6].map((k) => binomial(5, k))).toEqual([0, 1, 5, 10, 10, 5, 1, 0]);
    expect(binomial(20, 5)).toBe(15504);
    expect(binomial(52, 26)).toBe(495918532948104);
    expect(binomial(-2, 3)).toBe(0);
    expect(binomial(0, 0)).toBe(1);
  });
});

describe('combinations', () => {
  it('lists every subset in lexicographic order', () => {
    expect([...combinations(4, 2)]).toEqual([0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), (n, k) => {
        expect(rowsOf(combinations(n, k), k)).toEqual(slowly(n, k));
      }),
    );
  });

  it('is bounded in rows and members', () => {
    expect(combinations(255, 1).at(-1)).toBe(254);
    expect(() => combinations(256, 1)).toThrow(BezoarError);
    expect(combinations(20, 10).length).toBe(1_847_560);
    expect(() => combinations(21, 10)).toThrow('352716 combinations of 21 things are over the bound of 200000 of 255');
  });
});

describe('sampleCombinations', () => {
  it('draws different subsets in lexicographic order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 9 }), fc.integer({ min: 1, max: 3 }), fc.nat(30), fc.nat(), (n, k, count, seed) => {
        const rows = rowsOf(sampleCombinations(n, k, count, createRandom(seed)), k);
        const all = slowly(n, k).map(String);
        const places = rows.map((row) => all.indexOf(String(row)));
        expect(rows.length).toBe(Math.min(count, all.length));
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
        expect(places.every((place) => place >= 0)).toBe(true);
      }),
    );
  });

  it('draws each subset about equally often', () => {
    const random = createRandom(1);
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      const row = String(sampleCombinations(4, 2, 1, random));
      counts.set(row, (counts.get(row) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // Five standard deviations of a count of 500 (variance 417).
    expect(Math.min(...counts.values())).toBeGreaterThan(500 - 102);
    expect(Math.max(...counts.values())).toBeLessThan(500 + 102);
  });

  it('gives all where no fewer are asked for, and draws from more than can be listed', () => {
    expect(sampleCombinations(5, 2, 10, createRandom(0))).toEqual(combinations(5, 2));
    expect(sampleCombinations(100, 20, 3, createRandom(0)).length).toBe(60);
    expect(() => sampleCombinations(100, 20, 200_001, createRandom(0))).toThrow(BezoarError);
  });
});
