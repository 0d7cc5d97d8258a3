import { BezoarError } from '../errors.ts';

const STATE_SIZE = 624;
const SHIFT_SIZE = 397;

export interface Random {
  /** A number in [0, 1) with 53 random bits. */
  next(): number;
  /** A whole number in [0, bound), every one equally likely; `bound` from 1 to 2^32. */
  integer(bound: number): number;
  /** A new array with the same items in random order. */
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * The one seeded generator: the same seed gives the same numbers on every machine, and those of `numpy.random.RandomState(seed)`.
 *
 * Source: Matsumoto and Nishimura 1998, Mersenne Twister (MT19937), initialised from one word, 53-bit doubles from two words.
 * Deviations: `integer` and `shuffle` are our own (rejection sampling, Fisher-Yates from the end); numpy draws those differently.
 *
 * @param seed - A whole number from 0 to 2^32 - 1.
 * @throws {BezoarError} `INVALID_OPTION` for any other seed, and from `integer` for a bound outside its range.
 */
export function createRandom(seed: number): Random {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new BezoarError('INVALID_OPTION', `seed must be a whole number from 0 to 4294967295, not ${seed}`);
  }
  const state = new Uint32Array(STATE_SIZE);
  state[0] = seed;
  for (let i = 1; i < STATE_SIZE; i++) {
    const previous = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(previous, 1812433253) + i;
  }
  let position = STATE_SIZE;

  const refill = (): void => {
    for (let i = 0; i < STATE_SIZE; i++) {
      const mixed = (state[i] & 0x80000000) | (state[(i + 1) % STATE_SIZE] & 0x7fffffff);
      state[i] = state[(i + SHIFT_SIZE) % STATE_SIZE] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    position = 0;
  };

  const word = (): number => {
    if (position === STATE_SIZE) refill();
    let bits = state[position++];
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c5680;
    bits ^= (bits << 15) & 0xefc60000;
    return (bits ^ (bits >>> 18)) >>> 0;
  };

  const next = (): number => {
    const high = word() >>> 5;
    return (high * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
  };

  const integer = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
      throw new BezoarError('INVALID_OPTION', `bound must be a whole number from 1 to 4294967296, not ${bound}`);
    }
    // Words at or above the largest multiple of the bound would make the small results likelier.
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let drawn = word();
    while (drawn >= limit) drawn = word();
    return drawn % bound;
  };

  const shuffle = <T>(items: readonly T[]): T[] => {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = integer(last + 1);
      const moved = shuffled[last];
      shuffled[last] = shuffled[other];
      shuffled[other] = moved;
    }
    return shuffled;
  };

  return { next, integer, shuffle };
}
