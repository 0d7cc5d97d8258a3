import type { Encoder, IndexDefense } from '@bezoar/core';
import { ragpart } from '@bezoar/core/index-defenses';
import { createRandom } from '@bezoar/core/kernels/random';
import { deriveSeed, poisonedrag } from '@bezoar/redteam';
import { describe, expect, it } from 'vitest';
import { memoryDataset } from '../../../tests/memory-dataset.ts';
import { targetsOf } from './dataset/targets-of.ts';
import { type IndexSettings, measureIndexCell, protectCorpus } from './measure-index-cell.ts';
import { preparePools } from './prepare-pools.ts';
import type { PoolSettings } from './types.ts';

const WORDS = 'river harbour copper violin winter senate ladder orchard granite meadow signal theatre'.split(' ');
const random = createRandom(8);
const sentence = (index: number): string =>
  [...Array.from({ length: 9 }, () => WORDS[random.integer(WORDS.length)]), `own${index} word${index}`].join(' ');

const dataset = memoryDataset(
  [...Array.from({ length: 30 }, (_, index) => sentence(index)), ''],
  Array.from({ length: 4 }, (_, index) => ({
    id: `q${index}`,
    text: `where is the ${WORDS[index]} ${WORDS[index + 4]}?`,
    targetAnswer: 'Rome',
    wrongTexts: [`the ${WORDS[index]} ${WORDS[index + 4]} is in Rome`, `everybody says Rome for ${WORDS[index]}`],
    gold: new Map([[index, 1]]),
  })),
);

/** A sum of a random vector a word: no two texts are equally near to a question, whose ties an index breaks by id and the retriever by place. */
const encoder: Encoder = {
  name: 'random',
  dimensions: 16,
  similarity: 'cosine',
  encode: async (texts) => ({ vectors: texts.map(vectorOf), truncated: texts.map(() => false) }),
};

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(16);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    const draws = createRandom(deriveSeed(0, word));
    for (let i = 0; i < vector.length; i++) vector[i]! += draws.next() - 0.5;
  }
  return vector;
}
const pools: PoolSettings = {
  retriever: 'dense',
  pool: 6,
  poisons: 2,
  placement: 'retrieval',
  passageText: 'title-and-text',
  shortPools: false,
  keepDuplicates: true,
  isolated: false,
  limit: null,
  seed: 3,
};
const settings: IndexSettings = {
  attacked: true,
  verdictsKept: 0,
  pool: 6,
  keep: 6,
  seed: 3,
  passageText: 'title-and-text',
  isolated: false,
};
const targets = targetsOf(dataset, 3).targets;
const prepare = (changed: Partial<PoolSettings> = {}) =>
  preparePools(dataset, poisonedrag(), { ...pools, ...changed }, { encoder, cacheDir: null, targets });

/** Retrieval as it is without a defense. */
const plain: IndexDefense = {
  name: 'plain',
  spec: 'plain',
  source: null,
  vectorNames: ['passage'],
  protect: async (passages) => passages.map(() => ({})),
  retrieve: async ({ vector, keep }, store) => ({
    hits: (await store.search({ name: 'passage', vector, k: keep, exact: true })).map(({ id, score }) => ({ id, score, evidence: {} })),
    exact: true,
    encoded: 0,
  }),
};

describe('measureIndexCell', () => {
  it.each([false, true])('finds with plain search what the dense retriever found, isolated: %s', async (isolated) => {
    const prepared = await prepare({ isolated });
    const corpus = await protectCorpus(dataset, plain, encoder, 'title-and-text');
    const { questions, warnings } = await measureIndexCell(prepared, plain, corpus, encoder, { ...settings, isolated });
    for (const [index, question] of questions.entries()) {
      expect(question.context).toEqual([1, 2, 3, 4, 5, 6]);
      expect(question.cleanContext).toEqual([1, 2, 3, 4, 5, 6]);
      expect(question.pools!.pool.map(({ id, label, grade }) => [id, label, grade])).toEqual(
        prepared[index]!.pool.map(({ id, label, grade }) => [id, label, grade]),
      );
      expect(question.outcome).toBe('breached');
    }
    expect(warnings).toEqual([]);
    expect(await corpus.store.count()).toBe(30);
  });

  it('shows what a defense finds beyond the pool behind it, labelled', async () => {
    const prepared = await prepare({ pool: 3 });
    const corpus = await protectCorpus(dataset, plain, encoder, 'title-and-text');
    const { questions } = await measureIndexCell(prepared, plain, corpus, encoder, { ...settings, pool: 3 });
    for (const [index, { pools: shown, context }] of questions.entries()) {
      expect(context).toEqual([1, 2, 3, 4, 5, 6]);
      expect(shown!.pool.slice(0, 3)).toEqual(prepared[index]!.pool);
      expect(
        shown!.pool
          .filter(({ label }) => label === 'poisoned')
          .every(({ id }) => prepared[index]!.poison.some((poison) => poison.id === id)),
      ).toBe(true);
    }
  });

  it('measures RAGPart, and says of questions that are not assessed why', async () => {
    const prepared = [...(await prepare())];
    prepared[1] = { ...prepared[1]!, notAssessed: 'too-few-candidates', pool: [], cleanPool: [] };
    const defense = ragpart({ fragments: 3, combine: 1 });
    const corpus = await protectCorpus(dataset, defense, encoder, 'title-and-text');
    const { questions, warnings } = await measureIndexCell(prepared, defense, corpus, encoder, { ...settings, keep: 4 });
    expect(questions.map(({ why }) => why)).toEqual([null, 'too-few-candidates', null, null]);
    expect(questions[0]!.context).toHaveLength(4);
    expect(warnings.map(({ code }) => code)).toEqual(['short-pools']);
  });

  it('finds a search that does not do the same twice', async () => {
    let asked = 0;
    const fickle: IndexDefense = {
      ...plain,
      retrieve: async (query, store, context) => {
        const answer = await plain.retrieve(query, store, context);
        return { ...answer, hits: asked++ % 2 === 0 ? answer.hits : answer.hits.slice(1) };
      },
    };
    const corpus = await protectCorpus(dataset, fickle, encoder, 'title-and-text');
    const { warnings } = await measureIndexCell(await prepare(), fickle, corpus, encoder, settings);
    expect(warnings.map(({ code }) => code)).toContain('nondeterminism');
  });
});
