import type { Encoder } from '@bezoar/core';
import { createRandom } from '@bezoar/core/kernels/random';
import { toyEncoder } from '@bezoar/core/testing';
import { describe, expect, it } from 'vitest';
import type { Diagnosis, Label, PoolPassage, PreparedQuestion } from '../types.ts';
import { type DiagnoseSettings, diagnosePools } from './diagnose-pools.ts';

const SETTINGS: DiagnoseSettings = { dataset: 'toy', attack: 'poisonedrag', poisons: 1, passageText: 'title-and-text', seed: 0 };

const passage = (label: Label, text: string, title?: string): PoolPassage => ({
  id: text,
  text,
  relevance: null,
  label,
  grade: 0,
  ...(title === undefined ? {} : { title }),
});

const question = (id: string, pool: readonly PoolPassage[]): PreparedQuestion => ({
  query: { id, text: 'who?' },
  notAssessed: null,
  pool,
  cleanPool: [],
  goldGrades: [],
  planted: 1,
  poison: [],
});

const histogram = (diagnosis: Diagnosis, similarity: string, pairs: string) =>
  diagnosis.similarities.find((one) => one.similarity === similarity && one.pairs === pairs)!.histogram;

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** A pool of words drawn by a seed: clean passages share a topic, poisoned ones another. */
function drawnPool(seed: number, clean: number, poisoned: number, foreign = 0): PoolPassage[] {
  const random = createRandom(seed);
  const text = (words: readonly string[]): string => Array.from({ length: 12 }, () => words[random.integer(words.length)]).join(' ');
  const topic = ['river', 'bridge', 'stone', 'old', 'town', 'cross', `name${seed}`];
  return random.shuffle([
    ...Array.from({ length: clean }, () => passage('clean', text(topic))),
    ...Array.from({ length: poisoned }, () => passage('poisoned', text(['answer', 'village', 'claims', 'town', 'says', 'sure']))),
    ...Array.from({ length: foreign }, () => passage('foreign', text(['elsewhere', 'other', 'matter']))),
  ]);
}

/** A toy encoder that remembers the texts it was asked for. */
function listeningEncoder(): { encoder: Encoder; asked: string[] } {
  const toy = toyEncoder();
  const asked: string[] = [];
  const encode: Encoder['encode'] = (texts, options) => {
    asked.push(...texts);
    return toy.encode(texts, options);
  };
  return { encoder: { ...toy, encode }, asked };
}

// Slow twins: textbook forms, every pair by itself. ASCII words without punctuation, none of them changed by the stemmer or a stop word.
function rougeTwin(a: string, b: string): number {
  const [x, y] = [a.split(' '), b.split(' ')];
  const longest = x.map(() => y.map(() => 0));
  for (const [i, one] of x.entries())
    for (const [j, other] of y.entries())
      longest[i][j] = one === other ? (longest[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(longest[i - 1]?.[j] ?? 0, longest[i]?.[j - 1] ?? 0);
  return (2 * longest.at(-1)!.at(-1)!) / (x.length + y.length);
}

function bm25Twin(a: string, b: string): number {
  const count = (text: string, word: string): number => text.split(' ').filter((other) => other === word).length;
  const oneWay = (index: string, query: string): number =>
    query.split(' ').reduce((sum, word) => sum + (Math.log(4 / 3) * count(index, word)) / (count(index, word) + 1.5), 0);
  return (oneWay(a, b) + oneWay(b, a)) / 2;
}

function cosineTwin(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number => Array.from(x).reduce((sum, value, i) => sum + value * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('diagnosePools', () => {
  it('counts every pair once under its kind, as slow twins measure it', async () => {
    const encoder = toyEncoder();
    const pools = [0, 1, 2].map((seed) => drawnPool(seed, 6, 2 + seed, seed));
    const diagnosis = await diagnosePools(
      pools.map((pool, index) => question(`q${index}`, pool)),
      SETTINGS,
      encoder,
    );
    const values: Record<string, number[]> = {};
    for (const pool of pools) {
      const { vectors } = await encoder.encode(
        pool.map(({ text }) => text),
        { role: 'passage' },
      );
      for (const [i, a] of pool.entries()) {
        for (const [j, b] of pool.entries()) {
          if (i >= j || a.label === 'foreign' || b.label === 'foreign') continue;
          const pairs = [a.label, b.label].sort().join('-');
          const measured = {
            cosine: cosineTwin(vectors[i], vectors[j]),
            'rouge-l': rougeTwin(a.text, b.text),
            bm25: bm25Twin(a.text, b.text),
          };
          for (const [similarity, value] of Object.entries(measured))
            values[`${similarity} ${pairs}`] = [...(values[`${similarity} ${pairs}`] ?? []), value];
        }
      }
    }
    expect(diagnosis.similarities.map(({ similarity, pairs }) => `${similarity} ${pairs}`)).toEqual([
      'cosine clean-clean',
      'cosine clean-poisoned',
      'cosine poisoned-poisoned',
      'rouge-l clean-clean',
      'rouge-l clean-poisoned',
      'rouge-l poisoned-poisoned',
      'bm25 clean-clean',
      'bm25 clean-poisoned',
      'bm25 poisoned-poisoned',
    ]);
    const largest = Math.max(...Object.entries(values).flatMap(([key, list]) => (key.startsWith('bm25') ? list : [])));
    for (const { similarity, pairs, histogram } of diagnosis.similarities) {
      const expected = values[`${similarity} ${pairs}`]!;
      expect(total(histogram.counts)).toBe(expected.length);
      expect(histogram.mean).toBeCloseTo(expected.reduce((sum, value) => sum + value, 0) / expected.length, 9);
      const width = (histogram.to - histogram.from) / histogram.counts.length;
      for (const [bin, count] of histogram.counts.entries()) {
        // Values on an edge may be on either side of it in the twin.
        const [low, high] = [histogram.from + bin * width, histogram.from + (bin + 1) * width];
        expect(count).toBeGreaterThanOrEqual(expected.filter((value) => value > low + 1e-9 && value < high - 1e-9).length);
        expect(count).toBeLessThanOrEqual(expected.filter((value) => value > low - 1e-9 && value < high + 1e-9).length);
      }
      expect(histogram.from).toBe(similarity === 'cosine' ? -1 : 0);
      expect(histogram.counts).toHaveLength(similarity === 'cosine' ? 40 : 20);
      if (similarity === 'bm25') {
        expect(histogram.to).toBeGreaterThanOrEqual(largest);
        expect(histogram.to).toBeLessThanOrEqual(2.5 * largest);
      } else expect(histogram.to).toBe(1);
    }
  });

  it('shows the combinations of the question with the median margin', async () => {
    const pools = [3, 4, 5].map((seed) => drawnPool(seed, 7, 1));
    const each = await Promise.all(pools.map((pool, index) => diagnosePools([question(`q${index}`, pool)], SETTINGS, toyEncoder())));
    const margins = each.map(({ combinations }) => combinations!.nearestPoisoned! - combinations!.radius!);
    expect(new Set(margins).size).toBe(3);
    const all = await diagnosePools(
      pools.map((pool, index) => question(`q${index}`, pool)),
      SETTINGS,
      toyEncoder(),
    );
    const median = [...margins].sort((a, b) => a - b)[1];
    expect(all.combinations).toEqual(each[margins.indexOf(median)].combinations);
    expect(total(all.margins.counts)).toBe(3);
    expect(all.margins.mean).toBeCloseTo(margins.reduce((sum, margin) => sum + margin, 0) / 3, 12);
    expect(all.margins.from).toBe(-all.margins.to);
    // Of two the lower.
    const two = await diagnosePools([question('q0', pools[0]), question('q1', pools[1])], SETTINGS, toyEncoder());
    expect(two.combinations!.query).toBe(margins[0] < margins[1] ? 'q0' : 'q1');
  });

  it('has the points of every combination, poison and selection marked', async () => {
    const { combinations } = await diagnosePools([question('q', drawnPool(9, 7, 1))], SETTINGS, toyEncoder());
    // Three of eight, and two of the other seven beside the poisoned one.
    expect(combinations!.points).toHaveLength(56);
    expect(combinations!.points.filter(({ poisoned }) => poisoned === 1)).toHaveLength(21);
    expect(combinations!.points.filter(({ selected }) => selected)).toHaveLength(1);
  });

  it('has empty histograms and no map where there is nothing', async () => {
    const nothing = await diagnosePools([], SETTINGS, toyEncoder());
    expect(nothing.combinations).toBeNull();
    expect(nothing.margins).toEqual({ from: -1, to: 1, counts: new Array(40).fill(0), mean: null });
    for (const { histogram } of nothing.similarities) expect([total(histogram.counts), histogram.mean, histogram.to]).toEqual([0, null, 1]);
    const notAssessed = { ...question('q', drawnPool(1, 5, 1)), notAssessed: 'too-few-candidates' as const };
    expect(await diagnosePools([notAssessed], SETTINGS, toyEncoder())).toEqual(nothing);
    const clean = await diagnosePools([question('q', drawnPool(1, 5, 0))], SETTINGS, toyEncoder());
    expect([clean.combinations, total(histogram(clean, 'bm25', 'clean-clean').counts)]).toEqual([null, 10]);
  });

  it('leaves out what has no text, and from combinations what has no direction', async () => {
    const pool = drawnPool(2, 6, 1);
    const { encoder, asked } = listeningEncoder();
    const hostile = [...pool, passage('clean', ' \n'), passage('clean', '!!!'), passage('poisoned', '')];
    const diagnosis = await diagnosePools([question('q', hostile)], SETTINGS, encoder);
    expect(asked.filter((text) => text.trim() === '')).toEqual([]);
    // !!! is a zero vector: compared, at cosine 0, but in no combination.
    expect(total(histogram(diagnosis, 'cosine', 'clean-clean').counts)).toBe((7 * 6) / 2);
    expect(total(histogram(diagnosis, 'cosine', 'poisoned-poisoned').counts)).toBe(0);
    expect(diagnosis.combinations!.points).toHaveLength((7 * 6 * 5) / 6);
  });

  it('encodes each text once, with its title where that is judged, and looks at 50 passages of a pool', async () => {
    const { encoder, asked } = listeningEncoder();
    const pool = [passage('poisoned', 'poison here'), ...Array.from({ length: 79 }, (_, i) => passage('clean', `text ${i}`, 'Title'))];
    const diagnosis = await diagnosePools([question('a', pool), question('b', pool)], SETTINGS, encoder);
    expect(asked).toEqual(['poison here', ...Array.from({ length: 49 }, (_, i) => `Title\ntext ${i}`)]);
    expect(total(histogram(diagnosis, 'cosine', 'clean-clean').counts)).toBe(2 * ((49 * 48) / 2));
    asked.length = 0;
    await diagnosePools([question('a', pool.slice(0, 2))], { ...SETTINGS, passageText: 'text' }, encoder);
    expect(asked).toEqual(['poison here', 'text 0']);
  });

  it('says what it is of, and is the same again', async () => {
    const questions = [question('q', drawnPool(4, 8, 2))];
    const once = await diagnosePools(questions, SETTINGS, toyEncoder());
    expect(once).toMatchObject({ dataset: 'toy', attack: 'poisonedrag', poisons: 1, encoder: 'toy' });
    expect(await diagnosePools(questions, SETTINGS, toyEncoder())).toEqual(once);
    expect(JSON.parse(JSON.stringify(once))).toEqual(once);
  });
});
