import type { EncodedTexts, Encoder } from '../packages/core/src/core/ports.ts';

/** Numbers of a hashing embedding. */
const DIMENSIONS = 64;

/**
 * A deterministic embedding without a model, for oracles in other languages: of every run of a-z and 0-9 in the text with A-Z lower-cased,
 * the 32-bit FNV-1a hash h of its bytes adds 1 to dimension h mod 64, or takes 1 off where bit 16 of h is set. Zeros for a text without
 * such runs. The same as `scripts/golden/hashing_embedding.py`.
 */
export function hashingEmbedding(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const token of text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).match(/[a-z0-9]+/g) ?? []) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193) >>> 0;
    vector[hash % DIMENSIONS]! += (hash >>> 16) & 1 ? -1 : 1;
  }
  return vector;
}

/** The same as an encoder. */
export const hashingEncoder: Encoder = {
  name: 'hashing',
  dimensions: DIMENSIONS,
  similarity: 'cosine',
  encode: (texts): Promise<EncodedTexts> => Promise.resolve({ vectors: texts.map(hashingEmbedding), truncated: texts.map(() => false) }),
};
