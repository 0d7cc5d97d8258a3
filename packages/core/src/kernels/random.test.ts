import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/mersenne-twister.json' with { type: 'json' };
import { BezoarError } from '../errors.ts';
import { createRandom } from './random.ts';

const code = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return BezoarError.is(error) ? error.code : String(error);
  }
  return 'no error';
};

describe('createRandom', () => {
  it.each(golden.cases)('gives the numbers of numpy.random.RandomState($seed)', ({ seed, first, from1000 }) => {
    const random = createRandom(seed);
    const drawn = Array.from({ length: 1003 }, () => random.next());
    expect(drawn.slice(0, 5)).toEqual(first);
    expect(drawn.slice(1000)).toEqual(from1000);
  });

  it('refuses a seed that is not an unsigned 32-bit integer', () => {
    expect([-1, 2 ** 32, 1.5, NaN, Infinity].map((seed) => code(() => createRandom(seed)))).toEqual(Array(5).fill('INVALID_OPTION'));
    expect(() => createRandom(-1)).toThrow('seed must be a whole number from 0 to 4294967295, not -1');
    expect([0, 2 ** 32 - 1].map((seed) => code(() => createRandom(seed)))).toEqual(['no error', 'no error']);
  });

  it('draws integers in range, each about equally often', () => {
    const random = createRandom(3);
    const counts = Array<number>(6).fill(0);
    for (let i = 0; i < 6000; i++) counts[random.integer(6)]++;
    // Five standard deviations of a count of 1,000 (variance 833) around it.
    expect(Math.min(...counts)).toBeGreaterThan(1000 - 145);
    expect(Math.max(...counts)).toBeLessThan(1000 + 145);
  });

  it('draws integers without the bias of a remainder', () => {
    // With 2^32 modulo 3 * 2^30 the lowest third would come up in half of the draws.
    const random = createRandom(4);
    const low = Array.from({ length: 3000 }, () => random.integer(3 * 2 ** 30)).filter((value) => value < 2 ** 30).length;
    expect(low).toBeGreaterThan(1000 - 130);
    expect(low).toBeLessThan(1000 + 130);
  });

  it('takes bounds from 1 to 2^32', () => {
    const random = createRandom(5);
    expect(random.integer(1)).toBe(0);
    expect(code(() => random.integer(2 ** 32))).toBe('no error');
    expect([0, -1, 2.5, 2 ** 32 + 1].map((bound) => code(() => random.integer(bound)))).toEqual(Array(4).fill('INVALID_OPTION'));
    expect(() => random.integer(0)).toThrow('bound must be a whole number from 1 to 4294967296, not 0');
  });

  it('uses one 32-bit word for an integer, the remainder of it', () => {
    // RandomState(42).randint(0, 2**32, dtype='uint32') starts 1608637542, 3421126067.
    const random = createRandom(42);
    expect([random.integer(2 ** 32), random.integer(1000)]).toEqual([1608637542, 67]);
  });

  it('shuffles into a new array with the same items', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
        const given = [...items];
        const shuffled = createRandom(seed).shuffle(items);
        expect(items).toEqual(given);
        expect(shuffled).not.toBe(items);
        expect(shuffled.toSorted()).toEqual(given.toSorted());
      }),
    );
  });

  it('gives every order of three about equally often', () => {
    const random = createRandom(6);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(['a', 'b', 'c']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    expect(Math.min(...counts.values())).toBeGreaterThan(1000 - 145);
  });
});
