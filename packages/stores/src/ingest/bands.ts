import { mixBits } from './hash-words.ts';

/** Of a bucket only the newest so many are looked at, so that a flood costs no more than what is clean. */
const MAX_LOOKED = 64;

/**
 * Finds, for a signature of several band values, earlier signatures that share a band (locality-sensitive hashing). Chained hash table in typed
 * arrays: 8 bytes a band and signature.
 */
export class Bands {
  private readonly heads: Int32Array;
  private next: Int32Array;
  private values: Uint32Array;
  private count = 0;
  private readonly bands: number;

  /** @param slots - A power of two; more than passages times bands make chains longer, not wrong. */
  constructor(bands: number, slots = 1 << 20) {
    this.bands = bands;
    this.heads = new Int32Array(slots).fill(-1);
    this.next = new Int32Array(1024 * bands);
    this.values = new Uint32Array(1024 * bands);
  }

  /** Adds the next signature and calls `meet` with the index of each earlier one that shares a band, possibly more than once. */
  add(signature: ArrayLike<number>, meet: (earlier: number) => void): void {
    const first = this.count * this.bands;
    if (first + this.bands > this.next.length) this.grow();
    this.count++;
    for (let band = 0; band < this.bands; band++) {
      const value = signature[band]! >>> 0;
      const slot = mixBits(value + Math.imul(band, 0x9e3779b1)) & (this.heads.length - 1);
      let looked = 0;
      for (let at = this.heads[slot]!; at >= 0 && looked < MAX_LOOKED; at = this.next[at]!) {
        looked++;
        if (this.values[at] === value && at % this.bands === band) meet(Math.floor(at / this.bands));
      }
      this.values[first + band] = value;
      this.next[first + band] = this.heads[slot]!;
      this.heads[slot] = first + band;
    }
  }

  private grow(): void {
    const next = new Int32Array(this.next.length * 2);
    next.set(this.next);
    this.next = next;
    const values = new Uint32Array(this.values.length * 2);
    values.set(this.values);
    this.values = values;
  }
}
