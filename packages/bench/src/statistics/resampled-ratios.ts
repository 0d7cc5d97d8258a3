import { BezoarError } from '@bezoar/core';
import { createRandom, type Random } from '@bezoar/core/kernels/random';

/** How many samples a bootstrap draws: the ends of an interval then move by a few hundredths of its width from seed to seed. */
export const RESAMPLES = 2_000;

/** Bytes of draws that are held. 250 questions take a megabyte; what does not fit is drawn each time. */
const HELD_BYTES = 2 ** 26;

const held = new Map<string, Uint16Array>();
let heldBytes = 0;

/** Draws one sample of n questions into n + 1 places from `start`: how many draws fell on the questions before the first, the second, ... */
function drawSample(drawn: Uint16Array | Uint32Array, start: number, n: number, random: Random): void {
  drawn.fill(0, start, start + n + 1);
  for (let draw = 0; draw < n; draw++) drawn[start + 1 + random.integer(n)]++;
  for (let i = start; i < start + n; i++) drawn[i + 1] += drawn[i];
}

/** All samples of n questions, which a run asks for thousands of times; null where they are too large to hold. */
function heldSamples(n: number, seed: number): Uint16Array | null {
  const key = `${n} ${seed}`;
  const known = held.get(key);
  if (known !== undefined) return known;
  const bytes = (n + 1) * RESAMPLES * 2;
  if (bytes > HELD_BYTES) return null;
  const drawn = new Uint16Array(bytes / 2);
  const random = createRandom(seed);
  for (let start = 0; start < drawn.length; start += n + 1) drawSample(drawn, start, n, random);
  for (const [oldest, { byteLength }] of held) {
    if (heldBytes + bytes <= HELD_BYTES) break;
    held.delete(oldest);
    heldBytes -= byteLength;
  }
  held.set(key, drawn);
  heldBytes += bytes;
  return drawn;
}

/**
 * Sum of numerators over sum of denominators in each of 2,000 samples of the questions, drawn with replacement; NaN in a sample whose
 * denominators sum to 0. Sample i holds the same places whenever length and seed are the same.
 *
 * Neighbours with the same numerator and denominator are counted together, which makes sorted observations fast: few questions say anything
 * that no other says.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` unless the two are of one length.
 */
export function resampledRatios(numerators: ArrayLike<number>, denominators: ArrayLike<number>, seed: number): Float64Array {
  const n = numerators.length;
  if (denominators.length !== n) throw new BezoarError('SHAPE_MISMATCH', `${n} numerators, ${denominators.length} denominators`);
  const ends: number[] = [];
  for (let i = 0; i < n; i++) {
    if (i + 1 === n || numerators[i + 1] !== numerators[i] || denominators[i + 1] !== denominators[i]) ends.push(i + 1);
  }
  const groupEnds = Uint32Array.from(ends);
  const groupNumerators = Float64Array.from(ends, (end) => numerators[end - 1]);
  const groupDenominators = Float64Array.from(ends, (end) => denominators[end - 1]);
  const samples = heldSamples(n, seed);
  const drawn = samples ?? new Uint32Array(n + 1);
  const random = createRandom(seed);
  const ratios = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    if (samples === null) drawSample(drawn, 0, n, random);
    const start = samples === null ? 0 : resample * (n + 1);
    let numerator = 0;
    let denominator = 0;
    let before = 0;
    for (let group = 0; group < groupEnds.length; group++) {
      const upTo = drawn[start + groupEnds[group]];
      numerator += (upTo - before) * groupNumerators[group];
      denominator += (upTo - before) * groupDenominators[group];
      before = upTo;
    }
    ratios[resample] = numerator / denominator;
  }
  return ratios;
}
