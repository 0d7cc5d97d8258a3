import type { Encoder } from '@bezoar/core';

/** Where nobody calibrated the encoder. */
const USUAL = 0.9;

/**
 * The cosine from which two texts are closer than an honest topic: half-way from the encoder's calibrated density, which the mean of the densest
 * twentieth of clean pools reaches, to 1, because here single pairs are looked at and pairs vary more than means.
 */
export const scanDensity = (encoder: Pick<Encoder, 'calibration'>): number =>
  encoder.calibration ? (1 + encoder.calibration.density) / 2 : USUAL;
