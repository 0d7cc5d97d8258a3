import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ngram-model.json' with { type: 'json' };
import { type NgramModel, ngramScorer, trainNgramModel, worstWindow } from './ngram-model.ts';

const TRAINING = ['a b a b c', 'b a c', 'A a b', 'd a b'];

describe('ngramScorer, against NLTK', () => {
  it.each(golden.orders)('gives its Witten-Bell scores for order $order', ({ order, nats }) => {
    const model = trainNgramModel(golden.texts, { order, minWordCount: golden.minWordCount });
    expect(model.vocabulary).toEqual(golden.vocabulary);
    expect(model.unknownWords).toBe(golden.unknownWords);
    const score = ngramScorer(model);
    for (const [index, text] of golden.queries.entries()) {
      const found = score(text).nats;
      expect(found.length).toBe(nats[index]!.length);
      for (const [at, value] of nats[index]!.entries()) expect(found[at]).toBeCloseTo(value, 9);
    }
  });
});

/** P(w | h) by walking over the training texts, for texts of single letters that are all in the vocabulary or unknown. */
function slowProbability(texts: readonly string[], vocabulary: readonly string[], context: readonly string[], word: string): number {
  const lines = texts.map((text) => text.split(' ').map((token) => (vocabulary.includes(token) ? token : '<word>')));
  if (context.length === 0) {
    const all = [...lines.flat(), ...vocabulary.slice(0, 4)];
    return all.filter((token) => token === word).length / all.length;
  }
  const lower = slowProbability(texts, vocabulary, context.slice(1), word);
  const followers = lines.flatMap((line) =>
    line.filter((_, at) => at >= context.length && context.every((token, back) => line[at - context.length + back] === token)),
  );
  const different = new Set(followers).size;
  if (different === 0) return lower;
  return (followers.filter((token) => token === word).length + different * lower) / (followers.length + different);
}

describe('ngramScorer', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));

  it('is its slow twin', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, fc.integer({ min: 1, max: 4 }), (texts, query, order) => {
        const model = trainNgramModel(texts, { order, minWordCount: 2 });
        const words = query.split(' ').map((token) => (model.vocabulary.includes(token) ? token : '<word>'));
        const { nats } = ngramScorer(model)(query);
        expect(nats.length).toBe(words.length);
        for (const [at, token] of words.entries()) {
          const slow = slowProbability(texts, model.vocabulary, words.slice(Math.max(0, at - order + 1), at), token);
          expect(nats[at]).toBeCloseTo(-Math.log(token === '<word>' ? slow / model.unknownWords : slow), 9);
        }
      }),
    );
  });

  it('gives probabilities that sum to 1 over the vocabulary and its classes after any context', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, fc.integer({ min: 1, max: 3 }), (texts, context, minNgramCount) => {
        const model = trainNgramModel(texts, { order: 3, minWordCount: 2, minNgramCount });
        const score = ngramScorer(model);
        const last = (next: string): number => Math.exp(-score(`${context} ${next}`).nats.at(-1)!);
        const words = model.vocabulary.slice(4).map(last);
        const classes = [last('7'), last('Zz'), last('zz') * model.unknownWords, last('\u6865')];
        expect([...words, ...classes].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('says where each token is and how many it knows', () => {
    const { spans, known, nats } = ngramScorer(trainNgramModel(TRAINING, { minWordCount: 2 }))('  A b, 42 xyz\u2019s');
    expect([...spans]).toEqual([2, 3, 4, 5, 7, 9, 10, 15]);
    expect(known).toBe(3);
    expect(nats.length).toBe(4);
  });

  it('folds case and curly apostrophes, and tells the classes apart', () => {
    const score = ngramScorer(trainNgramModel(["don't go", "Don't go", "go don't"], { minWordCount: 2 }));
    expect(score('don\u2019t go').nats).toEqual(score("DON'T Go").nats);
    expect(score('don\u2019t go').known).toBe(2);
    const numbers = score('1990s 2nd 40th 7 7abc 7x');
    expect(numbers.known).toBe(5);
  });

  it('gives nothing for a text without words, and classes alone where there was no training', () => {
    const model = trainNgramModel([]);
    expect(model.vocabulary).toEqual(['<number>', '<name>', '<word>', '<uncased>']);
    const score = ngramScorer(model);
    expect(score('').nats.length).toBe(0);
    expect(score(' \u200b!?\ud800').nats.length).toBe(0);
    expect([...score('Any words, 4 \u6865').nats]).toEqual(Array(4).fill(Math.log(4)));
  });

  it('forgets rare n-grams and words as told', () => {
    const sizes = (model: NgramModel): number[] => model.levels.map((level) => level.keys.length);
    // Bigrams: ab 4 times, ba twice, bc, ac, aa, da once; d is seen once.
    expect(sizes(trainNgramModel(TRAINING, { minWordCount: 1 }))).toEqual([8, 6]);
    expect(sizes(trainNgramModel(TRAINING, { minWordCount: 2 }))).toEqual([7, 6]);
    expect(sizes(trainNgramModel(TRAINING, { minWordCount: 1, minNgramCount: 2 }))).toEqual([8, 2]);
    expect(sizes(trainNgramModel(TRAINING, { minWordCount: 1, order: 1 }))).toEqual([8]);
    expect(trainNgramModel(TRAINING).vocabulary.slice(4)).toEqual(['a', 'b']);
  });

  it('counts unknown words in small letters once each', () => {
    expect(trainNgramModel(['x y y Zed 4 \u6865'], { minWordCount: 3 }).unknownWords).toBe(2);
    expect(trainNgramModel(['a a'], { minWordCount: 2 }).unknownWords).toBe(1);
  });
});

describe('worstWindow', () => {
  it('finds the window with the highest mean, the first of equals', () => {
    expect(worstWindow(Float64Array.of(1, 5, 3, 9, 1), 2)).toEqual({ mean: 6, first: 2, end: 4 });
    expect(worstWindow(Float64Array.of(2, 2, 2), 2)).toEqual({ mean: 2, first: 0, end: 2 });
    expect(worstWindow(Float64Array.of(1, 2, 3), 1)).toEqual({ mean: 3, first: 2, end: 3 });
  });

  it('takes all tokens where there are no more, and is null without any', () => {
    expect(worstWindow(Float64Array.of(1, 2), 5)).toEqual({ mean: 1.5, first: 0, end: 2 });
    expect(worstWindow(new Float64Array(), 5)).toBeNull();
  });

  it('is its slow twin', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (nats, width) => {
          const size = Math.min(width, nats.length);
          const sums = Array.from({ length: nats.length - size + 1 }, (_, at) => nats.slice(at, at + size).reduce((a, b) => a + b, 0));
          const worst = Math.max(...sums);
          const first = sums.indexOf(worst);
          expect(worstWindow(Float64Array.from(nats), width)).toEqual({ mean: worst / size, first, end: first + size });
        },
      ),
    );
  });
});
