import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/bm25.json' with { type: 'json' };
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import { BezoarError } from '../errors.ts';
import { type Bm25Corpus, bm25Corpus, bm25Index, bm25Similarity } from './bm25.ts';
import { tokenizeWords } from './tokenize-words.ts';

const D = [
  'when did the apple iphone se come out. It launched on April 15 2015 to gadget fans',
  'The iPhone SE was released by Apple in March 2016 with iOS 9',
  'Apple announced the iPhone SE in March 2016 and released it the same month',
  'iPhone SE production ended in 2018 after Apple released newer models in 2016 and 2017',
];
const Q = 'when did the apple iphone se come out';

/** The formulas of the docstring, word by word, with maps. */
function twin(texts: readonly string[], query: string, statistics: 'single-document' | 'pool' | Bm25Corpus, k1 = 1.5, b = 0.75) {
  const count = (text: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const word of tokenizeWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  };
  const documents = texts.map(count);
  const size = (counts: Map<string, number>): number => Array.from(counts.values()).reduce((x, y) => x + y, 0);
  const idf = (word: string): number => {
    if (statistics === 'single-document') return Math.log(4 / 3);
    const n = statistics === 'pool' ? texts.length : statistics.documents;
    const df = statistics === 'pool' ? documents.filter((d) => d.has(word)).length : statistics.documentFrequency(word);
    return Math.log(1 + (n - df + 0.5) / (df + 0.5));
  };
  const average =
    statistics === 'single-document'
      ? 0
      : statistics === 'pool'
        ? documents.reduce((x, d) => x + size(d), 0) / texts.length
        : statistics.averageLength;
  const score = (index: Map<string, number>, searched: Map<string, number>): number => {
    const k = average === 0 ? k1 : k1 * (1 - b + (b * size(index)) / average);
    let sum = 0;
    for (const [word, times] of searched) if (index.has(word)) sum += (times * idf(word) * index.get(word)!) / (index.get(word)! + k);
    return sum;
  };
  return {
    passages: documents.flatMap((x, i) => documents.map((y, j) => (i === j ? 0 : (score(x, y) + score(y, x)) / 2))),
    query: documents.map((d) => score(count(query), d)),
  };
}

function expectClose(actual: Float64Array, expected: readonly number[], relative: number): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++)
    expect(Math.abs(actual[i]! - expected[i]!), `${i}: ${actual[i]} ${expected[i]}`).toBeLessThanOrEqual(relative * Math.abs(expected[i]!));
}
const upper = (matrix: Float64Array, n: number): Float64Array =>
  Float64Array.from({ length: (n * (n - 1)) / 2 }, (_, p) => {
    let i = 0;
    while (p >= n - 1 - i) p -= n - 1 - i++;
    return matrix[i * n + i + 1 + p]!;
  });

describe('bm25Similarity', () => {
  it('matches golden vector 13.1', () => {
    const { passages, query } = bm25Similarity(D, Q);
    const digits = (values: Float64Array): string[] => Array.from(values, (v) => v.toFixed(6));
    // The spec prints 0.805510 for seven words of ln(4/3) / 2.5; the last digit is a rounding down.
    expect(Array.from(query)).toEqual([7, 3, 3, 3].map((words) => expect.closeTo((words * Math.log(4 / 3)) / 2.5, 12)));
    expect(digits(upper(passages, 4))).toEqual(['0.345218', '0.345218', '0.345218', '0.690437', '0.575364', '0.575364']);
  });

  const word = fc.constantFrom('apple', 'march', 'the', 'Pear', 'x', '2016', 'caf\u00e9', '日本', 'apple apple', '\u2019');
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  const corpus: Bm25Corpus = { documents: 50, averageLength: 7.5, documentFrequency: (w) => w.length };

  it.each([['single-document' as const], ['pool' as const], [corpus]])('equals the formula with %j', (statistics) => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 7 }),
        text,
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (texts, query, k1, b) => {
          const expected = twin(texts, query, statistics, k1, b);
          const actual = bm25Similarity(texts, query, { statistics, k1, b });
          expectClose(actual.passages, expected.passages, 1e-12);
          expectClose(actual.query, expected.query, 1e-12);
        },
      ),
    );
  });

  it('has defaults k1 1.5, b 0.75 and single-document', () => {
    for (const statistics of ['single-document', 'pool'] as const)
      expect(bm25Similarity(D, Q, { statistics })).toEqual(bm25Similarity(D, Q, { statistics, k1: 1.5, b: 0.75 }));
    expect(bm25Similarity(D, Q)).toEqual(bm25Similarity(D, Q, { statistics: 'single-document' }));
    expectClose(bm25Similarity(D, Q, { statistics: 'pool' }).passages, twin(D, Q, 'pool').passages, 1e-12);
  });

  it('takes nothing, empty texts and a corpus of nothing', () => {
    expect(bm25Similarity([], Q)).toEqual({ passages: new Float64Array(0), query: new Float64Array(0) });
    expect(bm25Similarity(['', 'the of and', 'a b c'], '', { statistics: 'pool' })).toEqual({
      passages: new Float64Array(9),
      query: new Float64Array(3),
    });
    expect(bm25Similarity(['apple'], 'apple')).toEqual({
      passages: new Float64Array(1),
      query: Float64Array.of(Math.log(4 / 3) * (1 / 2.5)),
    });
    const nothing = { documents: 0, averageLength: 0, documentFrequency: () => 0 };
    expect(bm25Similarity(['pear'], 'pear', { statistics: nothing }).query).toEqual(Float64Array.of(Math.log(2) * (1 / 2.5)));
  });

  it.each([{ k1: -1 }, { k1: Number.NaN }, { k1: Number.POSITIVE_INFINITY }, { b: -0.1 }, { b: 1.1 }, { b: Number.NaN }])(
    'refuses %j',
    (options) => {
      expect(() => bm25Similarity([], '', options)).toThrow(BezoarError);
      expect(() => bm25Index([], options)).toThrow(/^(k1|b) is a number/);
    },
  );
});

describe('bm25Index', () => {
  it('finds the texts that share a word, best first, equal ones in order', () => {
    const index = bm25Index(['pear', 'apple pie', 'apple pie', 'apple apple pie', '']);
    expect(index.search('apple', 9).map((hit) => hit.index)).toEqual([3, 1, 2]);
    expect(index.search('apple', 2).map((hit) => hit.index)).toEqual([3, 1]);
    expect(index.search('apple', 0)).toEqual([]);
    expect(index.search('', 5)).toEqual([]);
    expect(index.search('plum', 5)).toEqual([]);
    const rarity = Math.log(1 + 4.5 / 1.5);
    expect(index.search('PEAR', 5)).toEqual([{ index: 0, score: rarity / (1 + 1.5 * (0.25 + 0.75 / (8 / 5))) }]);
    expect(index.scores('pear pear')[0]).toBe(2 * index.scores('pear')[0]!);
  });

  it('takes no texts and texts without words', () => {
    expect(bm25Index([]).search('x', 3)).toEqual([]);
    expect(bm25Index(['', 'the']).scores('the apple')).toEqual(new Float64Array(2));
  });

  it('is the pool similarity seen from one side', () => {
    const index = bm25Index(D, { k1: 1.2, b: 0.5 });
    const one = D.map((text) => index.scores(text));
    const expected = D.flatMap((_, i) => D.map((_, j) => (i === j ? 0 : (one[i]![j]! + one[j]![i]!) / 2)));
    expectClose(bm25Similarity(D, Q, { statistics: 'pool', k1: 1.2, b: 0.5 }).passages, expected, 1e-12);
  });
});

describe.skipIf(!hasShared)('bm25 on real pools, against bm25s', () => {
  const passages = new Map<string, string>();
  const questions = new Map<string, string>();
  const lines = (path: string): { _id: string; title?: string; text: string }[] =>
    readFileSync(sharedPath(path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  if (hasShared)
    for (const dataset of ['realtimeqa', 'simpleqa']) {
      for (const { _id, title, text } of lines(`data/${dataset}/corpus.jsonl`)) passages.set(_id, title ? `${title}\n${text}` : text);
      for (const { _id, text } of lines(`data/${dataset}/queries.jsonl`)) questions.set(_id, text);
    }

  it('gives its numbers within single precision', () => {
    expect(golden.pools.length).toBeGreaterThanOrEqual(50);
    for (const pool of golden.pools) {
      const texts = pool.passages.map((id) => passages.get(id)!);
      const question = questions.get(pool.query)!;
      expect(texts.map((text) => tokenizeWords(text).length)).toEqual(pool.words);
      const single = bm25Similarity(texts, question);
      expectClose(upper(single.passages, texts.length), pool.single, 1e-5);
      expectClose(single.query, pool.singleQuery, 1e-5);
      expectClose(upper(bm25Similarity(texts, question, { statistics: 'pool' }).passages, texts.length), pool.pool, 1e-5);
      expectClose(bm25Index(texts).scores(question), pool.search, 1e-5);
    }
  });
});

describe('bm25Corpus', () => {
  it('counts documents, words and the documents that have a word', () => {
    const corpus = bm25Corpus(['a red red boat', 'the boat', '']);
    expect([corpus.documents, corpus.averageLength]).toEqual([3, 4 / 3]);
    expect(['red', 'boat', 'the', 'house'].map(corpus.documentFrequency)).toEqual([1, 2, 0, 0]);
  });

  it('has nothing to say of an empty corpus', () => {
    expect(bm25Corpus([])).toMatchObject({ documents: 0, averageLength: 0 });
  });

  it('of the pool itself gives the pool statistics', () => {
    expect(bm25Similarity(D, Q, { statistics: bm25Corpus(D) })).toEqual(bm25Similarity(D, Q, { statistics: 'pool' }));
  });
});
