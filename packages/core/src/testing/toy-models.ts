import type { CrossEncoder, Encoder, LikelihoodModel } from '../core/ports.ts';
import { tokenizeUnicode } from '../kernels/tokenize-unicode.ts';

/** Hash of a word, FNV-1a over UTF-16 units: spreads words over the dimensions of the toy encoder. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** An encoder for tests without a model: words are hashed to dimensions and signs and counted. Alike texts are near, empty text is zero. */
export function toyEncoder(dimensions = 32): Encoder {
  const vectorOf = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    for (const word of tokenizeUnicode(text).slice(0, 5000)) {
      const hash = hashOf(word);
      vector[hash % dimensions]! += hash & 0x10000 ? 1 : -1;
    }
    return vector;
  };
  return {
    name: 'toy',
    dimensions,
    similarity: 'cosine',
    encode: async (texts) => ({ vectors: texts.map(vectorOf), truncated: texts.map(() => false) }),
  };
}

/** A cross-encoder for tests: the share of the first text's words that the second has. */
export function toyCrossEncoder(): CrossEncoder {
  return {
    name: 'toy',
    score: async (pairs) =>
      pairs.map(([query, passage]) => {
        const words = tokenizeUnicode(query);
        const there = new Set(tokenizeUnicode(passage));
        return words.length === 0 ? 0 : words.filter((word) => there.has(word)).length / words.length;
      }),
  };
}

/** A likelihood model for tests: words without a vowel are a surprise. */
export function toyLikelihood(threshold = 6): LikelihoodModel {
  return {
    name: 'toy',
    threshold,
    score(text) {
      const words = tokenizeUnicode(text);
      const odd = words.filter((word) => !/[aeiouy]/i.test(word)).length;
      return { surprise: words.length < 2 ? null : 4 + (8 * odd) / words.length, tokens: words.length };
    },
  };
}
