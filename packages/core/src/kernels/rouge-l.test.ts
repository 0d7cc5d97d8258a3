import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/rouge-l.json' with { type: 'json' };
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import { BezoarError } from '../errors.ts';
import { rougeL, rougeLAbove } from './rouge-l.ts';
import { tokenizeRouge } from './tokenize-rouge.ts';

/** The longest common subsequence by the table of the textbook. */
function twin(a: readonly string[], b: readonly string[]): number {
  let above = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const row = [0];
    for (let j = 0; j < b.length; j++) row.push(x === b[j] ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!));
    above = row;
  }
  return a.length === 0 || b.length === 0 ? 0 : (2 * above[b.length]!) / (a.length + b.length);
}
const tokens = (letters: number, maxLength: number): fc.Arbitrary<string[]> => fc.array(fc.nat(letters).map(String), { maxLength });

describe('rougeL', () => {
  it('matches golden vector 13.2', () => {
    const a = tokenizeRouge('The iPhone SE was released by Apple in March 2016 with iOS 9', { stem: false });
    const b = tokenizeRouge('Apple announced the iPhone SE in March 2016 and released it the same month', { stem: false });
    expect([a.length, b.length]).toEqual([13, 14]);
    expect(rougeL(a, b)).toBe(12 / 27);
  });

  it('equals the table, over one and several machine words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(tokens(3, 40), tokens(3, 40)), fc.tuple(tokens(9, 200), tokens(9, 200))), ([a, b]) => {
        expect(rougeL(a, b)).toBe(twin(a, b));
        expect(rougeL(b, a)).toBe(twin(a, b));
      }),
      { numRuns: 400 },
    );
  });

  it.each([31, 32, 33, 63, 64, 65, 96, 97])('counts all of %i equal tokens', (n) => {
    const same = new Array<string>(n).fill('x');
    const all = Array.from({ length: n }, (_, i) => `t${i}`);
    expect(rougeL(same, same)).toBe(1);
    expect(rougeL(all, all)).toBe(1);
    expect(rougeL(all, all.toReversed())).toBe(1 / n);
    expect(rougeL(same, ['x'])).toBe(2 / (n + 1));
  });

  it('is 0 for nothing', () => {
    expect(rougeL([], [])).toBe(0);
    expect(rougeL(['a'], [])).toBe(0);
    expect(rougeL([], ['a'])).toBe(0);
    expect(rougeL(['a'], ['b'])).toBe(0);
  });
});

describe('rougeLAbove', () => {
  const above = (texts: readonly string[], threshold: number, options: { unicode?: boolean; maxTokens?: number } = {}): number[] => {
    const lists = texts.map((text) => tokenizeRouge(text, { maxTokens: 2000, ...options }));
    return lists.flatMap((a, i) => lists.map((b, j) => (i !== j && twin(a, b) > threshold ? 1 : 0)));
  };
  const word = fc.constantFrom(
    'the',
    'runs',
    'running',
    'Apple',
    'apples',
    'caf\u00e9',
    'Кремль',
    '\u2019',
    '日本',
    '2016',
    'dies',
    '\u0130s',
  );
  const text = (maxLength: number): fc.Arbitrary<string> => fc.array(word, { maxLength }).map((words) => words.join(' '));

  it.each([{}, { unicode: true }, { maxTokens: 5 }, { unicode: true, maxTokens: 3 }])('equals the plain definition with %j', (options) => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(text(8), text(70)), { maxLength: 6 }),
        fc.oneof(fc.constantFrom(0, 0.25, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })),
        (texts, threshold) => {
          expect(Array.from(rougeLAbove(texts, threshold, options))).toEqual(above(texts, threshold, options));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not count a pair that meets the threshold', () => {
    // One of 4 + 4 tokens in common: 2 / 8.
    expect(Array.from(rougeLAbove(['aa bb cc dd', 'aa ee ff gg'], 0.25))).toEqual([0, 0, 0, 0]);
    expect(Array.from(rougeLAbove(['aa bb cc', 'aa ee ff gg'], 0.25))).toEqual([0, 1, 1, 0]);
    expect(Array.from(rougeLAbove(['aa', 'aa'], 1))).toEqual([0, 0, 0, 0]);
    expect(Array.from(rougeLAbove(['aa', 'bb'], 0))).toEqual([0, 0, 0, 0]);
  });

  it('takes nothing, one text and texts without tokens', () => {
    expect(rougeLAbove([], 0.25)).toEqual(new Uint8Array(0));
    expect(rougeLAbove(['apple'], 0.25)).toEqual(new Uint8Array(1));
    expect(rougeLAbove(['', '', 'Кремль', 'Кремль'], 0)).toEqual(new Uint8Array(16));
    expect(rougeLAbove(['Кремль', 'Кремль'], 0.9, { unicode: true })).toEqual(Uint8Array.of(0, 1, 1, 0));
  });

  it('reads 2000 tokens of a text unless told otherwise', () => {
    const long = 'x '.repeat(2000);
    expect(rougeLAbove([`${long}${'y '.repeat(9000)}`, long], 0.99)).toEqual(Uint8Array.of(0, 1, 1, 0));
    expect(rougeLAbove([`${long}${'y '.repeat(9000)}`, long], 0.99, { maxTokens: 20_000 })).toEqual(new Uint8Array(4));
    expect(rougeLAbove([`${'x '.repeat(1999)}yy zz`, `${'x '.repeat(1999)}yy ww`], 0.9999)).toEqual(Uint8Array.of(0, 1, 1, 0));
  });

  it('refuses a threshold outside 0 to 1 and a cap that is none', () => {
    for (const threshold of [-0.1, 1.1, Number.NaN]) expect(() => rougeLAbove([], threshold)).toThrow(BezoarError);
    for (const maxTokens of [0, -1, 1.5, Number.NaN]) expect(() => rougeLAbove([], 0.25, { maxTokens })).toThrow(/^maxTokens is/);
  });
});

describe.skipIf(!hasShared)('ROUGE-L on real pools, against rouge_score', () => {
  const passages = new Map<string, string>();
  if (hasShared)
    for (const dataset of ['realtimeqa', 'simpleqa'])
      for (const line of readFileSync(sharedPath(`data/${dataset}/corpus.jsonl`), 'utf8')
        .trim()
        .split('\n')) {
        const { _id, title, text } = JSON.parse(line) as { _id: string; title: string; text: string };
        passages.set(_id, title ? `${title}\n${text}` : text);
      }

  it('gives its F1 to 9 digits and its decisions', () => {
    expect(golden.pools.length).toBeGreaterThanOrEqual(50);
    let exactTies = 0;
    for (const pool of golden.pools) {
      const texts = pool.passages.map((id) => passages.get(id)!);
      const lists = texts.map((text) => tokenizeRouge(text));
      const gate = rougeLAbove(texts, 0.25);
      let pair = 0;
      for (let i = 0; i < texts.length; i++)
        for (let j = i + 1; j < texts.length; j++, pair++) {
          expect(rougeL(lists[i]!, lists[j]!)).toBeCloseTo(pool.f1[pair]!, 8);
          if (pool.f1[pair] === 0.25) exactTies++;
          expect(gate[i * texts.length + j]).toBe(Number(pool.above[pair]));
          expect(gate[j * texts.length + i]).toBe(gate[i * texts.length + j]);
        }
    }
    expect(exactTies).toBe(33);
  });
});
