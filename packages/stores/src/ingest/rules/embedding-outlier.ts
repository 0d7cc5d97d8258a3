import type { FindingSpan, IngestRule } from '../finding.ts';
import { wholeText } from '../judged-text.ts';

/** Passages whose mean vector stands for the corpus, and the fewest that say what is usual. */
const SAMPLE = 4096;
const LEAST = 100;
/** Robust deviations (median and 1.4826 times the median absolute deviation) that no honest passage reaches. */
const FAR = 8;
/** A spread of norms below this share of the median is rounding: the encoder makes unit vectors. */
const SPREAD = 1e-4;

/**
 * Vectors that no honest text has: not finite (high), zero where there is text (low: text of which the encoder knows no word), a norm far above
 * the usual where the encoder's norms differ (high: it wins every dot product), a cosine to the mean of the corpus far above the usual
 * (medium: a hub, near to every question, as universal adversarial passages are). Far is eight robust deviations. From 100 passages on.
 *
 * Cost: O(d) time, 16 bytes a passage, and one sort. Fails when the first 4,096 passages are mostly poison.
 */
export const embeddingOutlier: IngestRule = {
  id: 'embedding-outlier',
  title: 'has a vector unlike that of any honest text',
  severity: 'high',
  start: () => {
    let sample: Float32Array[] | null = [];
    let mean: Float64Array | null = null;
    const indices: number[] = [];
    const lengths: number[] = [];
    const norms: number[] = [];
    const central: number[] = [];
    const settle = (): void => {
      if (sample === null) return;
      mean = meanOf(sample);
      for (const vector of sample) central.push(cosine(vector, mean));
      sample = null;
    };
    return {
      check({ passage, vector }) {
        if (vector === null) return [];
        const norm = normOf(vector);
        if (norm > 0 && Number.isFinite(norm)) return [];
        const finite = norm === 0;
        return [
          {
            severity: finite ? 'low' : 'high',
            span: wholeText(passage),
            message: finite ? 'has a zero vector: the encoder knows none of its words' : 'has a vector that is not finite',
            evidence: finite ? 'zero vector' : 'not finite',
            key: 'unusable',
          },
        ];
      },
      observe({ passage, vector }, index) {
        const norm = vector === null ? 0 : normOf(vector);
        if (vector === null || !(norm > 0 && Number.isFinite(norm))) return;
        indices.push(index);
        lengths.push(wholeText(passage).end);
        norms.push(norm);
        if (sample !== null) {
          sample.push(vector);
          if (sample.length === SAMPLE) settle();
        } else central.push(cosine(vector, mean!));
      },
      *finish() {
        settle();
        if (indices.length < LEAST) return;
        for (const { values, severity, what, key } of [
          { values: norms, severity: 'high', what: 'a norm', key: 'norm' },
          { values: central, severity: 'medium', what: 'a cosine to the mean of the corpus', key: 'hub' },
        ] as const) {
          const usual = median(values);
          const deviation = 1.4826 * median(values.map((value) => Math.abs(value - usual)));
          if (deviation <= SPREAD * Math.abs(usual)) continue;
          for (const [place, value] of values.entries()) {
            if (value < usual + FAR * deviation) continue;
            const span: FindingSpan = { field: 'text', start: 0, end: lengths[place]! };
            const times = ((value - usual) / deviation).toFixed(1);
            const message = `has ${what} ${times} robust deviations above the usual`;
            yield { index: indices[place]!, severity, span, message, evidence: `${value.toFixed(3)}, usual ${usual.toFixed(3)}`, key };
          }
        }
      },
    };
  },
};

function normOf(vector: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  return Math.sqrt(squares);
}

function meanOf(vectors: readonly Float32Array[]): Float64Array {
  const mean = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / vectors.length;
  return mean;
}

function cosine(vector: Float32Array, mean: Float64Array): number {
  let product = 0;
  let a = 0;
  let b = 0;
  for (let i = 0; i < mean.length; i++) {
    product += vector[i]! * mean[i]!;
    a += vector[i]! * vector[i]!;
    b += mean[i]! * mean[i]!;
  }
  const root = Math.sqrt(a * b);
  return root > 0 ? product / root : 0;
}

/** The lower of two middle values for an even number. */
function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}
