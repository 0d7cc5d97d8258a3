import { passageText } from '@bezoar/core';
import { cosineSimilarity } from '@bezoar/core/kernels/cosine-similarity';
import { rankOrder } from '@bezoar/core/kernels/rank-order';
import { toyEncoder } from '@bezoar/core/testing';
import { describe, expect, it } from 'vitest';
import { attackFromSpec } from './attack-from-spec.ts';
import { ATTACKS } from './registry.generated.ts';
import { toyContext } from './testing/toy-context.ts';
import type { AttackTarget } from './types.ts';

const TARGET: AttackTarget = {
  query: { id: 'q1', text: 'In what year was the Halden bridge opened to traffic?' },
  correctAnswers: ['1961'],
  targetAnswer: '1974',
  wrongTexts: [
    'Records of the harbour office say that the Halden bridge was opened to traffic in 1974.',
    'It was in the year 1974 that the bridge at Halden was opened.',
  ],
};

const CORPUS = [
  'The Halden bridge was opened to traffic in June 1961 by the mayor.',
  'Halden has a harbour, two museums and a bridge of steel.',
  'The old ferry across the fjord stopped when the bridge came.',
  'Traffic over the bridge doubled within a year of its opening.',
  'A tunnel under the hill was opened in 1988 after ten years of work.',
  'Bread wants flour, water, salt and a warm place for some hours.',
  'Rabbits eat grass, and in winter the bark of young trees.',
  'The council met in the spring to speak about the price of water.',
];

/** Attacks, and how many of the first ranks hold both of two poisoned passages beside a corpus of eight. */
const EFFECTS: readonly [spec: string, depth: number][] = [
  ['misinformation', 3],
  ['poisonedrag', 2],
  ['poisonedrag?question=false', 3],
  ['query-as-poison', 3],
  ['query-as-poison?position=suffix', 3],
  ['query-as-poison?position=middle', 3],
  ['query-as-poison?position=random', 3],
  ['query-as-poison?position=repeated', 2],
  ['prompt-injection', 3],
  ['prompt-injection?definition=trustrag', 3],
  ['prompt-injection?definition=robustrag', 3],
  ['corruptrag-as', 3],
];

async function ranksOf(spec: string): Promise<number[]> {
  const crafted = await attackFromSpec(spec).craft(TARGET, toyContext({ count: 2 }));
  if (typeof crafted === 'string') throw new Error(crafted);
  const poison = crafted.texts.map((text) => passageText({ id: '', ...text }));
  // The poison comes last, so that ties go against it. 256 dimensions, so that unlike words seldom meet.
  const texts = [TARGET.query.text, ...CORPUS, ...poison];
  const { vectors } = await toyEncoder(256).encode(texts, { role: 'passage' });
  const order = rankOrder(vectors.slice(1).map((vector) => cosineSimilarity(vector, vectors[0]!)));
  return poison.map((_, index) => order.indexOf(CORPUS.length + index) + 1);
}

describe('in an undefended corpus', () => {
  it.each(EFFECTS)('%s puts both of its poisoned passages into the first %i', async (spec, depth) => {
    const ranks = await ranksOf(spec);
    expect(Math.max(...ranks)).toBeLessThanOrEqual(depth);
  });

  it('every attack is among those measured', () => {
    expect(new Set(EFFECTS.map(([spec]) => spec.split('?')[0]))).toEqual(new Set(Object.keys(ATTACKS)));
  });

  it('a passage without the question is not found by itself: the effect is the attack', async () => {
    const bread = await toyContext().drawPassages(2);
    const texts = [TARGET.query.text, ...CORPUS, ...bread.map((passage) => passageText(passage))];
    const { vectors } = await toyEncoder(256).encode(texts, { role: 'passage' });
    const order = rankOrder(vectors.slice(1).map((vector) => cosineSimilarity(vector, vectors[0]!)));
    for (const index of [8, 9]) expect(order.indexOf(index) + 1).toBeGreaterThan(3);
  });
});
