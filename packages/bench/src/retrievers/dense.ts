import { createHash } from 'node:crypto';
import { BezoarError, type Encoder } from '@bezoar/core';
import type { Scorer } from './scorer.ts';

/** A vector and the sum of its squares; null for a text that has none: it is empty, or its vector is not finite. */
type Vector = { readonly numbers: Float32Array; readonly squares: number } | null;

/**
 * Scores texts by the similarity of their vectors to the question's, dot product or cosine as the encoder says. An empty text is never
 * encoded and never retrieved, nor is one whose vector is not finite; an empty question retrieves nothing. The cosine with a zero vector
 * is 0.
 *
 * Source: Zou et al. 2024, PoisonedRAG, section 6.1 (exact search, dot product by default), https://arxiv.org/abs/2402.07867.
 *
 * @throws {BezoarError} `ENCODER_FAILED` when the encoder breaks its port; whatever it throws.
 */
export async function dense(encoder: Encoder, queries: readonly string[], signal: AbortSignal | null): Promise<Scorer> {
  const asked = await encodeAll(encoder, queries, 'query', signal);
  const identity = createHash('sha256');
  identity.update(JSON.stringify([encoder.name, 'fingerprint' in encoder ? String(encoder.fingerprint) : '', encoder.similarity]));
  // An encoder whose table was exchanged under the same name gives other vectors.
  for (const vector of asked) identity.update(vector === null ? 'none' : new Uint8Array(vector.numbers.slice().buffer));
  const score: Scorer['score'] = async (texts) => {
    const vectors = await encodeAll(encoder, texts, 'passage', signal);
    return {
      scores(query, from, to) {
        const question = asked[query]!;
        const result = new Float64Array(to - from).fill(Number.NaN);
        if (question === null) return result;
        for (let i = from; i < to; i++) {
          const vector = vectors[i]!;
          if (vector !== null) result[i - from] = similarity(question, vector, encoder.similarity);
        }
        return result;
      },
    };
  };
  return { identity: identity.digest('hex'), score };
}

function similarity(a: NonNullable<Vector>, b: NonNullable<Vector>, by: Encoder['similarity']): number {
  const product = dot(a.numbers, b.numbers);
  if (by === 'dot') return product;
  const cosine = product / Math.sqrt(a.squares * b.squares);
  return Number.isFinite(cosine) ? Math.max(-1, Math.min(1, cosine)) : 0;
}

/** Four sums, because additions to one wait for each other. */
function dot(a: Float32Array, b: Float32Array): number {
  const whole = a.length - (a.length % 4);
  let [w, x, y, z] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    w += a[i]! * b[i]!;
    x += a[i + 1]! * b[i + 1]!;
    y += a[i + 2]! * b[i + 2]!;
    z += a[i + 3]! * b[i + 3]!;
  }
  for (let i = whole; i < a.length; i++) w += a[i]! * b[i]!;
  return w + x + (y + z);
}

async function encodeAll(
  encoder: Encoder,
  texts: readonly string[],
  role: 'query' | 'passage',
  signal: AbortSignal | null,
): Promise<Vector[]> {
  const filled = texts.filter((text) => text.trim() !== '');
  const { vectors } = filled.length === 0 ? { vectors: [] } : await encoder.encode(filled, signal ? { role, signal } : { role });
  if (vectors.length !== filled.length || vectors.some((vector) => vector?.length !== encoder.dimensions)) {
    throw new BezoarError(
      'ENCODER_FAILED',
      `encoder ${encoder.name}: expected ${filled.length} vectors of ${encoder.dimensions} numbers, as its port promises`,
    );
  }
  let next = 0;
  return texts.map((text) => {
    if (text.trim() === '') return null;
    const numbers = vectors[next++]!;
    const squares = dot(numbers, numbers);
    return Number.isFinite(squares) ? { numbers, squares } : null;
  });
}
