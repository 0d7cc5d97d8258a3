/**
 * A seed for one purpose out of the run's seed: what is drawn for one question or one attack stays the same whatever else runs, and in
 * whatever order. The same seed and parts give the same number on every machine; no parts at all are a purpose too.
 *
 * MurmurHash3_x86_32 (Appleby 2011, public domain) of one 32-bit word for the length and for each UTF-16 unit of each part, so that
 * `('ab', 'c')` and `('a', 'bc')` differ.
 *
 * @param seed - A whole number from 0 to 2^32 - 1.
 * @returns A whole number from 0 to 2^32 - 1, as `createRandom` takes it.
 */
export function deriveSeed(seed: number, ...parts: readonly string[]): number {
  let hash = seed | 0;
  let bytes = 0;
  const add = (unit: number): void => {
    let mixed = Math.imul(unit, 0xcc9e2d51);
    mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash ^= mixed;
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
    bytes += 4;
  };
  for (const part of parts) {
    add(part.length);
    for (let i = 0; i < part.length; i++) add(part.charCodeAt(i));
  }
  hash ^= bytes;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
