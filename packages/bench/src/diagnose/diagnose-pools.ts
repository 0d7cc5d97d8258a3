import { type Encoder, type PassageText, passageText } from '@bezoar/core';
import { bm25Similarity } from '@bezoar/core/kernels/bm25';
import { cosineSimilarity } from '@bezoar/core/kernels/cosine-similarity';
import { rougeL } from '@bezoar/core/kernels/rouge-l';
import { tokenizeRouge } from '@bezoar/core/kernels/tokenize-rouge';
import type { Diagnosis, PoolPassage, PreparedQuestion } from '../types.ts';
import { makeHistogram, roundUp } from './make-histogram.ts';
import { type CombinationMap, mapCombinations } from './map-combinations.ts';

export interface DiagnoseSettings {
  readonly dataset: string;
  readonly attack: string;
  readonly poisons: number;
  readonly passageText: PassageText;
  /** Draws combinations where a pool has more than 2,000. */
  readonly seed: number;
}

/** Of longer pools the first so many passages are looked at: 1,225 pairs. */
const MAX_PASSAGES = 50;
/** Tokens of a passage that ROUGE-L reads, as in `trustrag-filter`. */
const MAX_TOKENS = 2000;
/** Texts encoded at a time. */
const BATCH = 64;
/** Cosine and ROUGE-L in steps of 0.05. */
const BINS = { cosine: 40, 'rouge-l': 20, bm25: 20, margins: 40 } as const;

const SIMILARITIES = ['cosine', 'rouge-l', 'bm25'] as const;
const PAIRS = ['clean-clean', 'clean-poisoned', 'poisoned-poisoned'] as const;
type Similarity = (typeof SIMILARITIES)[number];

/** A pool as it is compared. */
interface ReadPool {
  readonly query: string;
  readonly passages: readonly PoolPassage[];
  readonly texts: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/**
 * How alike the passages of the poisoned pools are, clean and poisoned, by what the defenses compare, and where poison lies among PRA-RAG's
 * combinations.
 *
 * Poisoned is the question's own poison; passages planted for other questions are in no pair, and count as clean in combinations. Passages
 * without text are in none. Of a pool the first 50 passages are looked at. Nothing to compare gives empty histograms; no question with poison
 * in its pool gives no map. The map is that of the question with the median margin, of two the lower.
 *
 * Source: Zhou et al. 2025, TrustRAG, Figures 3 and 5; PRA-RAG (anonymous 2026), Figure 5.
 * Deviations: what lies in a plane is a projection on two principal components; `explained` says how much of the whole it shows.
 *
 * Cost: one encoding a distinct text; O(n^2) comparisons and at most 2,000^2 pairs of combinations a pool.
 */
export async function diagnosePools(
  questions: readonly PreparedQuestion[],
  settings: DiagnoseSettings,
  encoder: Encoder,
): Promise<Diagnosis> {
  const pools = await readPools(questions, settings.passageText, encoder);
  const maps = pools.flatMap(({ query, passages, vectors }) => {
    const places = vectors.flatMap((vector, place) => (isDirection(vector) ? [place] : []));
    const poisoned = places.map((place) => passages[place].label === 'poisoned');
    const map = mapCombinations(
      places.map((place) => vectors[place]),
      poisoned,
      settings.seed,
    );
    return map?.nearestPoisoned == null ? [] : [{ query, map, margin: map.nearestPoisoned - map.radius }];
  });
  const margins = maps.map(({ margin }) => margin);
  const widest = roundUp(margins.reduce((most, margin) => Math.max(most, Math.abs(margin)), 0));
  return {
    dataset: settings.dataset,
    attack: settings.attack,
    poisons: settings.poisons,
    encoder: encoder.name,
    similarities: similarities(pools),
    combinations: shown(maps),
    margins: makeHistogram(margins, -widest, widest, BINS.margins),
  };
}

async function readPools(questions: readonly PreparedQuestion[], mode: PassageText, encoder: Encoder): Promise<readonly ReadPool[]> {
  const pools = questions.flatMap(({ query, notAssessed, pool }) => {
    if (notAssessed !== null) return [];
    const first = pool.slice(0, MAX_PASSAGES).map((passage) => ({ passage, text: passageText(passage, mode) }));
    const read = first.filter(({ text }) => text.trim() !== '');
    return [{ query: query.id, passages: read.map(({ passage }) => passage), texts: read.map(({ text }) => text) }];
  });
  const distinct = [...new Set(pools.flatMap(({ texts }) => texts))];
  const vectors = new Map<string, Float32Array>();
  for (let start = 0; start < distinct.length; start += BATCH) {
    const batch = distinct.slice(start, start + BATCH);
    const encoded = await encoder.encode(batch, { role: 'passage' });
    for (const [index, text] of batch.entries()) vectors.set(text, encoded.vectors[index]);
  }
  return pools.map((pool) => ({ ...pool, vectors: pool.texts.map((text) => vectors.get(text)!) }));
}

/** A vector that is zero or not finite has no angle to others. */
const isDirection = (vector: Float32Array): boolean => cosineSimilarity(vector, vector) > 0;

const COMPARE: Readonly<Record<Similarity, (pool: ReadPool) => (i: number, j: number) => number>> = {
  cosine:
    ({ vectors }) =>
    (i, j) =>
      cosineSimilarity(vectors[i], vectors[j]),
  'rouge-l': ({ texts }) => {
    const tokens = texts.map((text) => tokenizeRouge(text, { maxTokens: MAX_TOKENS }));
    return (i, j) => rougeL(tokens[i], tokens[j]);
  },
  bm25: ({ texts }) => {
    const { passages } = bm25Similarity(texts, '');
    return (i, j) => passages[i * texts.length + j];
  },
};

function similarities(pools: readonly ReadPool[]): Diagnosis['similarities'] {
  return SIMILARITIES.flatMap((similarity) => {
    const values = PAIRS.map((): number[] => []);
    for (const pool of pools) {
      const compare = COMPARE[similarity](pool);
      for (const [i, { label }] of pool.passages.entries()) {
        for (const [j, { label: other }] of pool.passages.slice(0, i).entries()) {
          if (label === 'foreign' || other === 'foreign') continue;
          values[Number(label === 'poisoned') + Number(other === 'poisoned')].push(compare(i, j));
        }
      }
    }
    const from = similarity === 'cosine' ? -1 : 0;
    // BM25 has no largest value: the axis ends at the round number above what there is, the same for the three.
    const to = similarity === 'bm25' ? roundUp(values.flat().reduce((most, value) => Math.max(most, value), 0)) : 1;
    return PAIRS.map((pairs, kind) => ({ similarity, pairs, histogram: makeHistogram(values[kind], from, to, BINS[similarity]) }));
  });
}

interface MappedQuestion {
  readonly query: string;
  readonly map: CombinationMap;
  readonly margin: number;
}

function shown(maps: readonly MappedQuestion[]): Diagnosis['combinations'] {
  // Sorting is stable: of equal margins the earlier question's.
  const median = [...maps].sort((a, b) => a.margin - b.margin)[Math.ceil(maps.length / 2) - 1];
  if (!median) return null;
  const { query, map } = median;
  return { query, ...map.plane(), radius: map.radius, nearestPoisoned: map.nearestPoisoned };
}
