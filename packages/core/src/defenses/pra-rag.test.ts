import { describe, expect, it, test } from 'vitest';
import { type GoldenPool, goldenPools, poolTexts } from '../../../../tests/golden-pools.ts';
import { hashingEmbedding } from '../../../../tests/hashing-embedding.ts';
import { hasShared } from '../../../../tests/shared-data.ts';
import { createRetrieval } from '../core/create-retrieval.ts';
import { explainReason } from '../core/reasons.ts';
import { createRunContext, type RunSettings } from '../core/run-context.ts';
import { BezoarError } from '../errors.ts';
import { createRandom } from '../kernels/random.ts';
import { testDefense } from '../testing/test-defense.ts';
import { toyEncoder } from '../testing/toy-models.ts';
import type { StageResult } from '../types.ts';
import { praRag } from './pra-rag.ts';

type Options = NonNullable<Parameters<typeof praRag>[0]>;
type Row = readonly number[];

/** Passages that are points. Without a query there is no query embedding. */
const run = (rows: readonly Row[], options: Options = {}, query?: Row, settings: RunSettings = {}): Promise<StageResult> =>
  praRag(options).run(
    createRetrieval(
      query ? { text: 'q', embedding: Float32Array.from(query) } : { text: 'q' },
      rows.map((row, index) => ({ text: `passage ${index}`, embedding: Float32Array.from(row) })),
    ),
    createRunContext(settings),
  );

const ids = ({ passages }: StageResult): string[] => passages.map(({ id }) => id);
const scores = ({ verdicts }: StageResult): (number | null)[] => verdicts.map(({ score }) => score);
const reasons = ({ verdicts }: StageResult): string[] => verdicts.map(({ reason }) => reason);

/** The pool of ALGORITHMS 13.4. */
const FIVE: Row[] = [
  [4, 1, 0],
  [4, 0, 1],
  [5, 1, 1],
  [4, 1, 1],
  [-1, 5, -2],
];

/** Passages about one thing, each its own way. */
const alike = (count: number): Row[] => {
  const random = createRandom(count);
  return Array.from({ length: count }, () => [4 + random.next(), random.next(), random.next()]);
};

testDefense({ test, create: () => praRag() });
testDefense({ test, create: () => praRag({ samples: 5, weights: 'softmax', distance: 'euclidean', combination: 'symmetric' }) });
testDefense({ test, create: () => praRag({ distance: 'manhattan', bound: 'clamp', corruption: 3 }) });

describe('real pools against numpy', () => {
  interface Pool extends GoldenPool {
    readonly options: Options;
    readonly subset: readonly number[];
    readonly medianRadius: number;
    readonly radius: number;
    readonly pad: number;
    readonly padTight: number;
    readonly weights: readonly number[];
  }
  const pools = hasShared ? goldenPools<Pool>('pra-rag') : [];

  it.skipIf(!hasShared)('selects, weighs and certifies as brute force over joined vectors does', async () => {
    expect(pools.length).toBeGreaterThanOrEqual(50);
    for (const pool of pools) {
      const { question, texts } = poolTexts(pool);
      const retrieval = createRetrieval(
        { text: question, embedding: hashingEmbedding(question) },
        texts.map((text, index) => ({ id: pool.passages[index]!, text, embedding: hashingEmbedding(text) })),
      );
      const result = await praRag(pool.options).run(retrieval, createRunContext());
      const chosen = pool.subset.map((position) => pool.passages[position]!);
      const name = `${pool.query} ${JSON.stringify(pool.options)}`;
      expect(ids(result).toSorted(), name).toEqual(chosen.toSorted());
      for (const verdict of result.verdicts) {
        const place = chosen.indexOf(verdict.passageId);
        expect(verdict.score, name).toBeCloseTo(place < 0 ? 0 : pool.weights[place]!, 12);
        expect(verdict.evidence!.majorityRadius, name).toBeCloseTo(pool.medianRadius, 10);
      }
      const { holds, reason, radius, pad, padTight } = result.certificate!;
      expect([holds, reason], name).toEqual([true, null]);
      expect(radius, name).toBeCloseTo(pool.radius, 10);
      expect(pad, name).toBeCloseTo(pool.pad, 10);
      expect(padTight, name).toBeCloseTo(pool.padTight, 10);
    }
  });
});

describe('selection', () => {
  it('keeps the known pair of five and certifies it', async () => {
    const result = await run(FIVE, { subset: 2 });
    expect(ids(result)).toEqual(['p1', 'p4']);
    expect(scores(result)).toEqual([0.5, 0, 0, 0.5, 0]);
    expect(reasons(result)).toEqual(['inside-majority', 'outside-majority', 'outside-majority', 'inside-majority', 'outside-majority']);
    expect(result.verdicts.map(({ suspicion }) => suspicion)).toEqual([0, 0.5, 0.5, 0, 0.5]);
    expect(result.certificate).toMatchObject({ mechanism: 'pra-rag', corruption: 1, holds: true, reason: null });
    expect(result.certificate!.radius).toBeCloseTo(1.191965, 6);
    expect(result.certificate!.pad).toBeCloseTo(3.575894, 6);
    expect((await run(FIVE, { subset: 2, corruption: 0 })).certificate!.pad).toBeCloseTo(0.757034, 6);
  });

  it('leaves an outlier out under every distance', async () => {
    const pool = [[-3, 9, 1], ...alike(7)];
    for (const options of [
      {},
      { distance: 'euclidean' },
      { distance: 'manhattan' },
      { combination: 'symmetric' },
      { samples: 40 },
    ] as const) {
      expect(reasons(await run(pool, options))[0]).toBe('outside-majority');
    }
  });

  it('says in words and numbers what it rests on', async () => {
    const result = await run(FIVE, { subset: 2 }, [1, 0, 0]);
    const sentences = result.verdicts.map(({ reason, evidence }) => explainReason(reason, evidence, [praRag().reasons]));
    expect(sentences[0]).toBe('is one of the 2 passages nearest to the majority');
    expect(sentences[4]).toBe('is not of the combination nearest to the majority, p1, p4');
    const { meanDistance, majorityRadius, ...facts } = result.verdicts[4]!.evidence!;
    expect(facts).toEqual({ subset: 2, combinations: 10, sampled: false, selected: ['p1', 'p4'], weights: 'similarity' });
    expect(majorityRadius).toBeCloseTo(0.252345, 6);
    const angle = (a: Row, b: Row) => Math.acos(a.reduce((sum, x, d) => sum + x * b[d]!, 0) / (Math.hypot(...a) * Math.hypot(...b)));
    expect(meanDistance).toBeCloseTo((angle(FIVE[4]!, FIVE[0]!) + angle(FIVE[4]!, FIVE[3]!)) / 2, 10);
    expect(result.verdicts[0]!.evidence!.meanDistance).toBeCloseTo(angle(FIVE[0]!, FIVE[3]!), 10);
    const others = await run(FIVE, { subset: 2, distance: 'euclidean' });
    expect(others.verdicts[0]!.evidence!.selected).toHaveLength(2);
  });

  it('gives distances in the unit of the chosen distance', async () => {
    const line = [
      [1, 0],
      [2, 0],
      [4, 0],
    ];
    // One of three: the middle passage; the distances to it.
    const euclidean = await run(line, { distance: 'euclidean' });
    expect(ids(euclidean)).toEqual(['p1']);
    expect(euclidean.verdicts.map(({ evidence }) => evidence!.meanDistance)).toEqual([undefined, 1, 3]);
    const manhattan = await run(
      [
        [1, 1],
        [2, 2],
        [4, 4],
      ],
      { distance: 'manhattan' },
    );
    expect(manhattan.verdicts.map(({ evidence }) => evidence!.meanDistance)).toEqual([undefined, 2, 6]);
  });

  it('names a bounded number of the selected', async () => {
    const result = await run(alike(21), { subset: 10, samples: 30 });
    expect(result.verdicts[0]!.evidence!.selected).toHaveLength(8);
    expect(ids(result)).toHaveLength(10);
  });
});

describe('weights', () => {
  it('are in proportion to the similarity with the question and order what goes on', async () => {
    // Cosines with the question: 4 / sqrt(17) and 4 / sqrt(18), then the other way round.
    const [a, b] = [4 / Math.sqrt(17), 4 / Math.sqrt(18)];
    const result = await run(FIVE, { subset: 2 }, [1, 0, 0]);
    expect(scores(result)[0]).toBeCloseTo(a / (a + b), 12);
    expect(scores(result)[3]).toBeCloseTo(b / (a + b), 12);
    expect(ids(result)).toEqual(['p1', 'p4']);
    expect(ids(await run(FIVE, { subset: 2 }, [0, 0, 1]))).toEqual(['p4', 'p1']);
  });

  it('take a negative similarity as 0, and are equal without a positive one or without a question', async () => {
    const result = await run(FIVE, { subset: 2 }, [0, 0, 1]);
    expect(scores(result)).toEqual([0, 0, 0, 1, 0]);
    expect(result.verdicts[0]!.action).toBe('keep');
    for (const query of [[-1, -1, -1], undefined]) {
      const equal = await run(FIVE, { subset: 2 }, query);
      expect(scores(equal)).toEqual([0.5, 0, 0, 0.5, 0]);
      expect(equal.verdicts[0]!.evidence!.weights).toBe('uniform');
    }
  });

  it('with softmax follow the relevance, else the cosine, else are equal', async () => {
    const softmax = (relevance: readonly (number | undefined)[], query?: Row) =>
      praRag({ subset: 2, weights: 'softmax' }).run(
        createRetrieval(
          query ? { text: 'q', embedding: Float32Array.from(query) } : { text: 'q' },
          FIVE.map((row, index) => ({
            text: `passage ${index}`,
            embedding: Float32Array.from(row),
            ...(relevance[index] === undefined ? {} : { relevance: relevance[index] }),
          })),
        ),
        createRunContext(),
      );
    const far = await softmax([700, 0, 0, 1700, 0]);
    expect(scores(far)).toEqual([0, 0, 0, 1, 0]);
    const near = await softmax([1, 0, 0, 1 + Math.log(3), 0], [1, 0, 0]);
    expect(scores(near)[0]).toBeCloseTo(0.25, 12);
    expect(scores(near)[3]).toBeCloseTo(0.75, 12);
    expect(near.verdicts[0]!.evidence!.weights).toBe('softmax');
    const byCosine = await softmax([1], [1, 0, 0]);
    expect(scores(byCosine)[0]).toBeCloseTo(1 / (1 + Math.exp(4 / Math.sqrt(18) - 4 / Math.sqrt(17))), 12);
    const neither = await softmax([1]);
    expect(scores(neither)).toEqual([0.5, 0, 0, 0.5, 0]);
    expect(neither.verdicts[0]!.evidence!.weights).toBe('uniform');
  });
});

describe('few passages', () => {
  it('go on, uncertified, without a majority', async () => {
    const none = await run([]);
    expect(none).toMatchObject({ passages: [], verdicts: [], certificate: null });
    for (const count of [1, 2]) {
      const result = await run(alike(count), { corruption: 2 }, [1, 0, 0]);
      expect(ids(result)).toHaveLength(count);
      expect(reasons(result)).toEqual(Array(count).fill('too-few-to-compare'));
      expect(scores(result).reduce<number>((sum, score) => sum + score!, 0)).toBeCloseTo(1, 12);
      expect(result.certificate).toEqual({
        mechanism: 'pra-rag',
        corruption: 2,
        holds: false,
        reason: 'too-few-passages',
        radius: null,
        pad: null,
        padTight: null,
      });
    }
  });

  it('make the combinations as small as a majority needs', async () => {
    const sizes = [];
    for (const count of [3, 4, 5, 6, 7, 8]) sizes.push(ids(await run(alike(count))).length);
    expect(sizes).toEqual([1, 1, 2, 2, 3, 3]);
  });
});

describe('the certificate', () => {
  it('is missing where clean combinations are no majority', async () => {
    const result = await run(alike(8), { corruption: 2 });
    expect(result.certificate).toEqual({
      mechanism: 'pra-rag',
      corruption: 2,
      holds: false,
      reason: 'majority-assumption',
      radius: null,
      pad: null,
      padTight: null,
    });
  });

  it('gives with clamp the farthest combination, and says that this certifies nothing', async () => {
    const { certificate } = await run(alike(8), { corruption: 2, bound: 'clamp', beta: 1 });
    expect(certificate).toMatchObject({ holds: false, reason: 'uncertified-clamp', padTight: null });
    expect(certificate!.pad).toBeCloseTo(2 * certificate!.radius!, 12);
    expect(certificate!.radius).toBeGreaterThan((await run(alike(8), { corruption: 1 })).certificate!.radius!);
    expect((await run(alike(8), { corruption: 1, bound: 'clamp' })).certificate).toMatchObject({ holds: true, reason: null });
  });

  it('says of a sampled selection that it is a heuristic, with the radius exact all the same', async () => {
    const pool = alike(8);
    const result = await run(pool, { samples: 20 }, undefined, { seed: 4 });
    expect(result.certificate).toMatchObject({ holds: true, reason: 'heuristic-selection', radius: expect.any(Number), padTight: null });
    expect(result.certificate!.pad).toBeCloseTo(3 * result.certificate!.radius!, 12);
    expect(result.verdicts[0]!.evidence).toMatchObject({ combinations: 20, sampled: true });
    expect(await run(pool, { samples: 20 }, undefined, { seed: 4 })).toMatchObject({ verdicts: result.verdicts });
    expect((await run(pool, { samples: 20, corruption: 2 })).certificate).toMatchObject({ reason: 'majority-assumption', pad: null });
    // All 56 are no sample.
    expect((await run(pool, { samples: 56 })).certificate).toEqual((await run(pool)).certificate);
    expect((await run(pool, { samples: 55 })).certificate!.reason).toBe('heuristic-selection');
  });

  it('has no numbers for a sample of more combinations than can be listed', async () => {
    const result = await run(alike(60), { subset: 5, samples: 20 });
    expect(ids(result)).toHaveLength(5);
    expect(result.certificate).toMatchObject({ holds: false, reason: 'too-many-combinations', radius: null, pad: null });
  });

  it('has no padTight above 1,000 combinations', async () => {
    expect((await run(alike(19))).certificate!.padTight).not.toBeNull();
    const above = (await run(alike(20))).certificate!;
    expect([above.holds, above.padTight]).toEqual([true, null]);
  });
});

describe('bounds', () => {
  const refused = (rows: readonly Row[], options: Options): Promise<unknown> =>
    run(rows, options).then(
      () => 'no error',
      (error: unknown) => (BezoarError.is(error) ? [error.code, error.message] : error),
    );

  it('refuses more combinations than it can compare, and says what to do', async () => {
    expect(await refused(alike(51), {})).toEqual([
      'TOO_LARGE',
      '51 passages have 20825 combinations of 3, at most 20000 are compared; set samples or pass on fewer passages',
    ]);
    expect(await refused(alike(51), { samples: 50 })).toBe('no error');
    expect(await refused(alike(256), { subset: 1 })).toMatchObject(['TOO_LARGE', expect.any(String)]);
  });

  it('refuses manhattan distances between sums', async () => {
    expect(await refused(alike(5), { distance: 'manhattan', combination: 'symmetric' })).toMatchObject([
      'INVALID_OPTION',
      expect.any(String),
    ]);
  });

  it('lets others run during a long selection, which can be stopped', async () => {
    const pool = alike(30);
    let others = 0;
    const timer = setInterval(() => others++, 1);
    const whole = await run(pool);
    clearInterval(timer);
    expect(others).toBeGreaterThan(1);
    expect(ids(whole)).toHaveLength(3);
    const stop = new AbortController();
    const running = run(pool, {}, undefined, { signal: stop.signal });
    setTimeout(() => stop.abort(), 1);
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

test('the example of the docstring', async () => {
  const retrieval = createRetrieval('who?', ['ann won', 'ann did', 'it was ann', 'bob', 'ann']);
  const result = await praRag({ subset: 2 }).run(retrieval, createRunContext({ encoder: toyEncoder() }));
  expect(result.passages.length).toBe(2);
});
