import { createRandom } from '@bezoar/core/kernels/random';

/** Signs kept of a vector. */
export const SIGN_BITS = 256;
const WORDS = SIGN_BITS / 32;

/**
 * Makes a function from a vector to the signs of 256 random projections, eight 32-bit words. Two vectors with angle a differ in each bit with a
 * probability near a / pi. The projections are two rounds of random signs and a Walsh-Hadamard transform, O(d log d), of the vector padded to a
 * power of two of at least 256; in a wider one the first 256 are taken. The zero vector gives zeros.
 *
 * Source: Charikar 2002, Similarity estimation techniques from rounding algorithms; Andoni et al. 2015, Practical and Optimal LSH for Angular
 * Distance (the fast rotation). The words are valid until the next call.
 */
export function signBits(dimensions: number, seed = 0): (vector: Float32Array) => Uint32Array {
  let size = SIGN_BITS;
  while (size < dimensions) size *= 2;
  const random = createRandom(seed);
  const flips = Float32Array.from({ length: 2 * size }, () => (random.next() < 0.5 ? -1 : 1));
  const work = new Float32Array(size);
  const bits = new Uint32Array(WORDS);
  return (vector) => {
    work.fill(0);
    work.set(vector);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < size; i++) work[i]! *= flips[round * size + i]!;
      transform(work);
    }
    for (let word = 0; word < WORDS; word++) {
      let value = 0;
      for (let bit = 0; bit < 32; bit++) if (work[word * 32 + bit]! > 0) value |= 1 << bit;
      bits[word] = value;
    }
    return bits;
  };
}

/** Walsh-Hadamard, in place. */
function transform(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let from = 0; from < values.length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const a = values[i]!;
        const b = values[i + half]!;
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

/** Ones of a 32-bit word. */
export function countOnes(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
