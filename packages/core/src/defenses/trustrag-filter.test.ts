import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type GoldenPool, goldenPools, poolTexts } from '../../../../tests/golden-pools.ts';
import { hashingEmbedding, hashingEncoder } from '../../../../tests/hashing-embedding.ts';
import { hasShared } from '../../../../tests/shared-data.ts';
import { createRetrieval } from '../core/create-retrieval.ts';
import { explainReason } from '../core/reasons.ts';
import { createRunContext, type RunSettings } from '../core/run-context.ts';
import { testDefense } from '../testing/test-defense.ts';
import type { StageResult } from '../types.ts';
import { trustragFilter } from './trustrag-filter.ts';

type Options = NonNullable<Parameters<typeof trustragFilter>[0]>;
type Point = readonly number[];

/** Passages at given points; those with the same letter share their wording, a dot shares it with none. */
const run = (points: readonly Point[], wording: string, options: Options = {}, settings: RunSettings = {}): Promise<StageResult> =>
  trustragFilter({ collapseDuplicates: false, ...options }).run(
    createRetrieval(
      'q',
      points.map((point, index) => ({
        text: wording[index] === '.' ? `only${index} here${index}` : `told${wording[index]!} alike${wording[index]!} number${index}`,
        embedding: Float32Array.from(point),
      })),
    ),
    createRunContext(settings),
  );

const ids = ({ passages }: StageResult): number[] => passages.map(({ id }) => Number(id.slice(1)) - 1);
const reasons = ({ verdicts }: StageResult): string[] => verdicts.map(({ reason }) => reason);

/** Directions a little apart in one plane: cosines above 0.99. */
const NEAR_X: readonly Point[] = [
  [1, 0, 0, 0],
  [1, 0.1, 0, 0],
  [1, -0.1, 0, 0],
  [1, 0.05, 0, 0],
];
const NEAR_Z: readonly Point[] = [
  [0, 0, 1, 0],
  [0, 0, 1, 0.1],
  [0, 0, 1, -0.1],
];
/** Far from each other as from the rest, cosines 0. */
const LOOSE: readonly Point[] = [
  [0, 0, 5, 0],
  [0, 0, 5, 4],
  [0, 3, 5, -4],
];

/** Apart in so many dimensions that any best split leaves it alone. */
const FAR_SINGLE: Point = [0, 0, 0, 1, 1, 1, 1];

testDefense({ test, create: () => trustragFilter() });
testDefense({ test, create: () => trustragFilter({ mode: 'repo', gate: false }) });

describe('the gate', () => {
  const points = [...NEAR_X.slice(0, 2), ...LOOSE.slice(0, 2)];

  it('removes nothing where no two passages share their wording', async () => {
    for (const mode of ['resolved', 'repo'] as const) {
      const result = await run(points, '....', { mode });
      expect(ids(result)).toEqual([0, 1, 2, 3]);
      expect(reasons(result)).toEqual(new Array(4).fill('no-shared-wording'));
      expect(result.verdicts[0]).toMatchObject({ score: null, suspicion: 0, evidence: { rouge: 0.25 } });
    }
  });

  it('is the only thing that gate=off removes', async () => {
    const result = await run(points, '....', { gate: false });
    expect(ids(result)).toEqual([0, 2, 3]);
    expect(reasons(result)).toEqual(['dense-representative', 'dense-cluster', 'kept', 'kept']);
  });

  it('opens above the given ROUGE-L, not at it', async () => {
    // Two of three tokens in common: ROUGE-L 2/3.
    expect(reasons(await run(points, 'aa..', { rouge: 0.66 }))[0]).toBe('dense-representative');
    expect(reasons(await run(points, 'aa..', { rouge: 2 / 3 }))[0]).toBe('no-shared-wording');
  });

  it('reads fewer tokens of each of many passages', async () => {
    // The first 1,250 tokens of 40 passages differ, what follows is one text; of 25 all of it is read.
    const shared = ' alike'.repeat(1000);
    const text = (index: number): string => Array.from({ length: 1300 }, (_, word) => `a${index}b${word}`).join(' ') + shared;
    const reasonOf = async (passages: number): Promise<string> => {
      const given = Array.from({ length: passages }, (_, index) => ({ text: text(index), embedding: Float32Array.from([1, index % 2]) }));
      return reasons(await trustragFilter().run(createRetrieval('q', given), createRunContext()))[0]!;
    };
    expect(await reasonOf(40)).toBe('no-shared-wording');
    expect(await reasonOf(25)).not.toBe('no-shared-wording');
  });

  it('reads other scripts only when told to', async () => {
    const texts = [
      '\u043a\u0442\u043e \u0431\u044b\u043b',
      '\u043a\u0442\u043e \u0431\u044b\u043b \u0442\u0430\u043c',
      '\u0434\u0430',
      '\u043d\u0435\u0442',
    ];
    const passages = texts.map((text, index) => ({ text, embedding: Float32Array.from(points[index]!) }));
    const reasonOf = async (unicode: boolean) =>
      reasons(await trustragFilter({ unicode }).run(createRetrieval('q', passages), createRunContext()))[0];
    expect(await reasonOf(false)).toBe('no-shared-wording');
    expect(await reasonOf(true)).toBe('dense-representative');
  });
});

describe('fewer passages than clusters can be made of', () => {
  it('keeps none of none, and one', async () => {
    for (const mode of ['resolved', 'repo'] as const) {
      expect(await run([], '', { mode, gate: false })).toMatchObject({ passages: [], verdicts: [] });
      const one = await run([[1, 0]], 'a', { mode, gate: false });
      expect(one.verdicts).toMatchObject([{ action: 'keep', score: null, suspicion: 0, reason: 'kept' }]);
    }
  });

  it('drops the second of two that are dense and share their wording, and of no others', async () => {
    const near = NEAR_X.slice(0, 2);
    const far: Point[] = [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ];
    for (const mode of ['resolved', 'repo'] as const) {
      const both = await run(near, 'aa', { mode });
      expect(reasons(both)).toEqual(['dense-representative', 'dense-cluster']);
      expect(both.verdicts[0]!.score).toBeCloseTo(1 / Math.sqrt(1.01), 6);
      expect(ids(await run(far, 'aa', { mode }))).toEqual([0, 1]);
      expect(ids(await run(near, '..', { mode, gate: false }))).toEqual([0, 1]);
      expect(reasons(await run(near, '..', { mode }))).toEqual(['no-shared-wording', 'no-shared-wording']);
      // A cosine equal to the density is not above it.
      expect(
        ids(
          await run(
            [
              [1, 0],
              [1, 0],
            ],
            'aa',
            { mode, density: 1 },
          ),
        ),
      ).toEqual([0, 1]);
    }
  });

  it('takes one embedding for all as one cluster (T5)', async () => {
    const same: Point[] = new Array(5).fill([1, 2, 3]);
    for (const mode of ['resolved', 'repo'] as const) {
      const result = await run(same, 'aabbc', { mode });
      expect(ids(result)).toEqual([0]);
      expect(reasons(result)).toEqual(['dense-representative', ...new Array(4).fill('dense-cluster')]);
      for (const { score } of result.verdicts) expect(score).toBeCloseTo(1, 12);
      expect(ids(await run(same, 'aabbc', { mode, density: 1 }))).toEqual([4]);
    }
  });
});

describe('rules, by clusters', () => {
  // Interleaved, so that order is seen to be kept: 1, 3, 5 lie near x.
  const oneDense = [LOOSE[0]!, NEAR_X[0]!, LOOSE[1]!, NEAR_X[1]!, LOOSE[2]!, NEAR_X[2]!];

  it('one dense: its first stays as representative; the released code keeps none of it', async () => {
    const resolved = await run(oneDense, '.a.a.a');
    expect(ids(resolved)).toEqual([0, 1, 2, 4]);
    expect(reasons(resolved)).toEqual(['kept', 'dense-representative', 'kept', 'dense-cluster', 'kept', 'dense-cluster']);
    expect(resolved.verdicts.map(({ suspicion }) => suspicion)).toEqual([0, 0.5, 0, 1, 0, 1]);
    expect(resolved.verdicts[1]!.evidence).toMatchObject({
      density: 0.88,
      densityFrom: 'released-code',
      rouge: 0.25,
      cluster: { size: 3 },
    });
    const repo = await run(oneDense, '.a.a.a', { mode: 'repo' });
    expect(ids(repo)).toEqual([0, 2, 4]);
    expect(reasons(repo)[1]).toBe('dense-cluster');
  });

  it('one dense: the other loses what shares its wording', async () => {
    const resolved = await run(oneDense, 'bab.b.');
    expect(reasons(resolved)).toEqual([
      'shared-wording',
      'dense-representative',
      'shared-wording',
      'dense-cluster',
      'shared-wording',
      'dense-cluster',
    ]);
    expect(resolved.verdicts[0]!.evidence!.sharesWith).toEqual(['p3', 'p5']);
    // Wording shared across clusters is no reason.
    expect(ids(await run(oneDense, 'aa....', { mode: 'repo' }))).toEqual([0, 2, 4]);
  });

  it('both dense: one representative each; the released code keeps none (T7)', async () => {
    const points = [...NEAR_X.slice(0, 3), ...NEAR_Z];
    expect(ids(await run(points, 'aaabbb'))).toEqual([0, 3]);
    expect(ids(await run(points, 'aaabbb', { mode: 'repo' }))).toEqual([]);
  });

  it('both dense and near each other: one representative for both', async () => {
    const points = [...NEAR_X, ...NEAR_X.map(([x, y]) => [x!, y!, 0.2, 0])];
    expect(ids(await run(points, 'aaaaaaaa'))).toEqual([0]);
  });

  it('one dense, the other not but near it: what speaks for itself is not joined', async () => {
    // The first passages of the clusters have a cosine of 0.98; those of the loose one lie on either side of it.
    const loose: Point[] = [
      [5, 0, 1, 0],
      [5, 0, 1, 6],
      [5, 0, 1, -6],
    ];
    const points = [...NEAR_X, ...loose];
    const result = await run(points, 'aaaa...', { density: 0.9 });
    expect(ids(result)).toEqual([0, 4, 5, 6]);
    expect(reasons(result).slice(4)).toEqual(['kept', 'kept', 'kept']);
  });

  it('names at most three passages that wording is shared with', async () => {
    const loose = [LOOSE[0]!, LOOSE[1]!, LOOSE[2]!, [0, -3, 5, 4], [0, 3, 5, 4]];
    const { verdicts } = await run([...NEAR_X.map((point) => point.map((x) => 9 * x)), ...loose], '....bbbbb');
    expect(verdicts[8]).toMatchObject({ reason: 'shared-wording', evidence: { sharesWith: ['p5', 'p6', 'p7'] } });
    expect('sharesWith' in verdicts[0]!.evidence!).toBe(false);
  });

  it('none dense: members that share wording go, as triples that the released filter does not see whole (T3)', async () => {
    // Two loose clusters; the first holds two interleaved triples of shared wording.
    const first: Point[] = [0, 1, 2, 3, 4, 5].map((index) => [3, ...[0, 1, 2, 3, 4, 5].map((other) => (other === index ? 4 : 0)), 0, 0]);
    const second: Point[] = [0, 1].map((index) => [-3, 0, 0, 0, 0, 0, 0, index === 0 ? 4 : 0, index === 1 ? 4 : 0]);
    const points = [...first, ...second];
    const resolved = await run(points, 'ababab..');
    expect(ids(resolved)).toEqual([6, 7]);
    expect(reasons(resolved).slice(0, 6)).toEqual(new Array(6).fill('shared-wording'));
    // Positions 0 to 4 go and the sixth survives.
    expect(ids(await run(points, 'ababab..', { mode: 'repo' }))).toEqual([5, 6, 7]);
  });

  it('one single beside a dense cluster: it stays, with the representative (T6); the released code keeps only it', async () => {
    const points = [...NEAR_X.map((point) => [...point, 0, 0, 0]), FAR_SINGLE];
    expect(ids(await run(points, 'aaaa.'))).toEqual([0, 4]);
    expect(ids(await run(points, 'aaaa.', { mode: 'repo' }))).toEqual([4]);
  });

  it('one single near a dense cluster: it belongs to it', async () => {
    const points: Point[] = [
      [1, 0, 0.5],
      [1, 0, 0],
      [1, 0.01, 0],
      [1, -0.01, 0],
    ];
    const resolved = await run(points, '.aaa');
    // The first of all stands for all, the single passage itself here.
    expect(reasons(resolved)).toEqual(['dense-representative', 'dense-cluster', 'dense-cluster', 'dense-cluster']);
    expect(resolved.verdicts[0]!.score).toBeNull();
    const repo = await run(points, '.aaa', { mode: 'repo' });
    expect(ids(repo)).toEqual([]);
    expect(reasons(repo)).toEqual(new Array(4).fill('dense-cluster'));
    const sentence = (index: number): string => explainReason('dense-cluster', repo.verdicts[index]!.evidence, [trustragFilter().reasons]);
    expect(sentence(0)).toBe('says nearly the same as other passages, with a cosine above 0.88 to theirs');
    expect(sentence(1)).toBe('says nearly the same as other passages, 3 in its cluster with a mean cosine of 1.00, above 0.88');
  });

  it('one single beside a loose cluster: both stay (T1); the released code drops the single', async () => {
    // Cosines among the first four: 16/25 and 7/25.
    const loose: Point[] = [
      [3, 0],
      [0, 3],
      [-3, 0],
      [0, -3],
    ].map(([y, z]) => [4, y!, z!, 0, 0, 0, 0]);
    const points = [...loose, FAR_SINGLE];
    const resolved = await run(points, 'aa...');
    const repo = await run(points, 'aa...', { mode: 'repo' });
    expect(ids(resolved)).toEqual([0, 1, 2, 3, 4]);
    expect(ids(repo)).toEqual([0, 1, 2, 3]);
    expect(repo.verdicts[4]).toMatchObject({ reason: 'lone-cluster', action: 'drop', suspicion: 0.5, score: null });
    expect(repo.verdicts[0]!.score).toBeCloseTo((4 * 16 + 2 * 7) / 25 / 6, 6);
  });

  it('gives the mean cosine of the cluster as score', async () => {
    const result = await run(oneDense, '.a.a.a');
    const cosine = (a: Point, b: Point): number =>
      a.reduce((sum, x, i) => sum + x * b[i]!, 0) / Math.sqrt(a.reduce((sum, x) => sum + x * x, 0) * b.reduce((sum, x) => sum + x * x, 0));
    const mean = ([a, b, c]: readonly Point[]): number => (cosine(a!, b!) + cosine(a!, c!) + cosine(b!, c!)) / 3;
    for (const [index, { score }] of result.verdicts.entries())
      expect(score).toBeCloseTo(mean(index % 2 === 0 ? LOOSE : NEAR_X.slice(0, 3)), 6);
  });

  it('splits more passages than it can enumerate', async () => {
    const points: Point[] = Array.from({ length: 24 }, (_, index) =>
      index % 2 === 0 ? [1, 0.01 * index, 0, 0] : [0, 0, 5, (index % 3) * 4 - 4],
    );
    const result = await run(points, 'a.'.repeat(12));
    expect(ids(result)).toEqual([0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]);
  });
});

describe('the density', () => {
  const points = [...NEAR_X.slice(0, 2), ...LOOSE.slice(0, 2)];
  const calibration = { density: 0.999, quantile: 0.99, pools: 10, corpus: 'none', command: 'none' };
  const encoder = { ...hashingEncoder, dimensions: 4, calibration };
  const densityIn = ({ verdicts }: StageResult) => [verdicts[0]!.evidence!.density, verdicts[0]!.evidence!.densityFrom];

  it('is the one given, else in mode=resolved the encoder\u2019s own, else the released literal', async () => {
    expect(densityIn(await run(points, 'aa..', { density: 0.5 }, { encoder }))).toEqual([0.5, 'option']);
    const calibrated = await run(points, 'aa..', {}, { encoder });
    expect(densityIn(calibrated)).toEqual([0.999, 'calibration']);
    expect(reasons(calibrated)[0]).toBe('shared-wording');
    expect(densityIn(await run(points, 'aa..', { mode: 'repo' }, { encoder }))).toEqual([0.88, 'released-code']);
    expect(densityIn(await run(points, 'aa..', {}, { encoder: hashingEncoder }))).toEqual([0.88, 'released-code']);
  });
});

describe('sentences', () => {
  it('name what speaks against a passage', async () => {
    const sources = [trustragFilter().reasons];
    const oneDense = [LOOSE[0]!, NEAR_X[0]!, LOOSE[1]!, NEAR_X[1]!, LOOSE[2]!, NEAR_X[2]!];
    const { verdicts } = await run(oneDense, 'bab...');
    expect(verdicts.map(({ reason, evidence }) => explainReason(reason, evidence, sources))).toEqual([
      'shares its wording (ROUGE-L above 0.25) with p3',
      'stands for passages that say nearly the same, 3 in its cluster with a mean cosine of 0.99, above 0.88',
      'shares its wording (ROUGE-L above 0.25) with p1',
      'says nearly the same as other passages, 3 in its cluster with a mean cosine of 0.99, above 0.88',
      'nothing spoke against the passage',
      'says nearly the same as other passages, 3 in its cluster with a mean cosine of 0.99, above 0.88',
    ]);
    const none = await run(oneDense, '......');
    expect(explainReason(none.verdicts[0]!.reason, none.verdicts[0]!.evidence, sources)).toBe(
      'no two passages share their wording (ROUGE-L above 0.25), so none was removed',
    );
  });
});

describe('properties', () => {
  const passage = fc.record({
    words: fc.array(fc.constantFrom('ann', 'won', 'cup', 'bob', 'river', 'storm', 'vote'), { minLength: 1, maxLength: 6 }),
    point: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 }),
  });

  it('keeps the order and, of dense clusters in mode=resolved, a representative; a closed gate removes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(passage, { maxLength: 8 }),
        fc.constantFrom('resolved' as const, 'repo' as const),
        fc.boolean(),
        fc.double({ min: -1, max: 1, noNaN: true }),
        async (given, mode, gate, density) => {
          const result = await trustragFilter({ mode, gate, density }).run(
            createRetrieval(
              'q',
              given.map(({ words, point }) => ({ text: words.join(' '), embedding: Float32Array.from(point) })),
            ),
            createRunContext(),
          );
          const kept = result.verdicts.filter(({ action }) => action === 'keep').map(({ passageId }) => passageId);
          expect(result.passages.map(({ id }) => id)).toEqual(kept);
          const dense = result.verdicts.filter(({ reason }) => reason === 'dense-cluster');
          const representatives = result.verdicts.filter(({ reason }) => reason === 'dense-representative');
          if (mode === 'resolved') expect(dense.length > 0).toBe(representatives.length > 0);
          if (reasons(result).includes('no-shared-wording')) expect(new Set(reasons(result)).has('dense-cluster')).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.skipIf(!hasShared)('mode=repo against scikit-learn and rouge_score over real pools', () => {
  interface Pool extends GoldenPool {
    readonly labels: number[];
    readonly means: (number | null)[];
    readonly kept: Record<string, number[]>;
  }
  const pools = goldenPools<Pool>('trustrag-filter');

  it('has fifty pools and more, most with poisoned passages first', () => {
    expect(pools.length).toBeGreaterThanOrEqual(50);
    expect(pools.filter(({ passages }) => passages[0]!.includes('-x')).length).toBeGreaterThan(50);
  });

  it.each(Object.keys(pools[0]!.kept))('%s: the same clusters and the same passages', async (setting) => {
    const [, density, gate] = /density=(.+)&gate=(.+)/.exec(setting)!;
    const filter = trustragFilter({ mode: 'repo', density: Number(density), gate: gate === 'on', collapseDuplicates: false });
    for (const pool of pools) {
      const { question, texts } = poolTexts(pool);
      const passages = texts.map((text) => ({ text, embedding: hashingEmbedding(text) }));
      const result = await filter.run(createRetrieval(question, passages), createRunContext());
      expect([pool.query, ids(result)]).toEqual([pool.query, pool.kept[setting]]);
      if (result.verdicts[0]!.reason === 'no-shared-wording') continue;
      for (const [index, { score }] of result.verdicts.entries()) {
        const mean = pool.means[pool.labels[index]!]!;
        if (mean === null) expect(score).toBeNull();
        else expect(score).toBeCloseTo(mean, 7);
      }
    }
  });
});

it('runs the example of the documentation', async () => {
  const texts = ['q? it is bob by all accounts', 'q? it is bob by all reports', 'ann won'];
  const embeddings = [
    [1, 0],
    [0.99, 0.1],
    [0, 1],
  ].map((row) => Float32Array.from(row));
  const passages = texts.map((text, index) => ({ text, embedding: embeddings[index]! }));
  const result = await trustragFilter().run(createRetrieval('q?', passages), createRunContext());
  expect(result.passages.map(({ id }) => id)).toEqual(['p1', 'p3']);
});
