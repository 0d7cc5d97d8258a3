import type { Encoder } from '@bezoar/core';

/** Texts whose vectors are held at once; over it all are forgotten, and the encoder's own cache has them. 100,000 of 384 numbers are 150 MB. */
const HELD = 100_000;

/** The same encoder, which holds the vectors it made: a bench shows the same passages to many defenses. */
export function rememberEmbeddings(encoder: Encoder): Encoder {
  const held = new Map<string, { readonly vector: Float32Array; readonly truncated: boolean }>();
  return {
    ...encoder,
    async encode(texts, options) {
      const missing = [...new Set(texts)].filter((text) => !held.has(options.role + text));
      if (missing.length > 0) {
        const made = await encoder.encode(missing, options);
        if (held.size + missing.length > HELD) {
          held.clear();
          // What was known a moment ago is forgotten with the rest.
          if (missing.length < new Set(texts).size) return encoder.encode(texts, options);
        }
        for (const [index, text] of missing.entries())
          held.set(options.role + text, { vector: made.vectors[index]!, truncated: made.truncated[index] === true });
      }
      const found = texts.map((text) => held.get(options.role + text)!);
      return { vectors: found.map(({ vector }) => vector), truncated: found.map(({ truncated }) => truncated) };
    },
  };
}
