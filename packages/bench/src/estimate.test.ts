import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineMetric, type Metric, type MetricKind, type QuestionOutcome } from './define-metric.ts';
import { estimate, estimateOverSeeds } from './estimate.ts';
import { METRICS } from './registry.generated.ts';
import { bootstrapInterval } from './statistics/bootstrap-interval.ts';
import { quantileInterval } from './statistics/quantile-interval.ts';
import { wilsonInterval } from './statistics/wilson-interval.ts';
import { sampleOutcome } from './testing/sample-outcome.ts';

/** A metric that says whatever stands in `ms` over `modelCalls`; nothing where `ms` is null. */
const metricOf = (kind: MetricKind, more: Partial<Metric> = {}): Metric =>
  defineMetric({
    name: 'toy',
    title: 'toy',
    summary: 'Toy.',
    unit: 'score',
    better: null,
    kind,
    observe: ({ ms, modelCalls }) => (ms === null ? null : [ms, modelCalls]),
    ...more,
  });

const saying = (ms: number | null, modelCalls = 1): QuestionOutcome => sampleOutcome({ ms, modelCalls });
const seed = { seed: 3 };

/** A question with a pool of marks, any ranks of it in the context in any order, and what else a metric looks at. */
const outcomes = fc
  .record({
    pool: fc.array(fc.constantFrom('p', 'f', 'c', '1', '2'), { maxLength: 8 }).map((marks) => marks.join('')),
    cleanPool: fc.array(fc.constantFrom('c', '1', '3'), { maxLength: 8 }).map((marks) => marks.join('')),
    order: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8]),
    unretrieved: fc.constantFrom([], [1], [2, 1]),
    keep: fc.integer({ min: 1, max: 9 }),
    attacked: fc.boolean(),
    certificate: fc.option(
      fc.record({
        holds: fc.boolean(),
        pad: fc.option(fc.double({ min: 0, max: 9, noNaN: true })),
        padTight: fc.option(fc.double({ min: 0, max: 9, noNaN: true })),
      }),
    ),
    ms: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
    modelCalls: fc.nat({ max: 20 }),
  })
  .map(({ order, unretrieved, attacked, pool, ...rest }) => {
    const marks = attacked ? pool : pool.replaceAll(/[pf]/g, 'c');
    const outcome = sampleOutcome({
      ...rest,
      attacked,
      pool: marks,
      context: order.filter((rank) => rank <= marks.length),
      cleanContext: order.filter((rank) => rank <= rest.cleanPool.length),
    });
    return { ...outcome, goldGrades: [...outcome.goldGrades, ...unretrieved].sort((a, b) => b - a) };
  });
const questions = (maxLength: number) => fc.array(fc.option(outcomes, { freq: 6 }), { maxLength });

/** What every value must be, whatever the metric. */
function expectSound({ value, low, high, n, notAssessed }: ReturnType<typeof estimate>, metric: Metric, asked: number): void {
  expect(n + notAssessed).toBe(asked);
  if (value === null || low === null || high === null) {
    expect([value, low, high, n]).toEqual([null, null, null, 0]);
    return;
  }
  expect(n).toBeGreaterThan(0);
  expect(low <= value && value <= high).toBe(true);
  expect(low).toBeGreaterThanOrEqual(metric.unit === 'rank' ? 1 : 0);
  // A filter's context may be longer than `keep`, and hold more poisoned passages than that.
  const bounded = metric.unit === 'share' || (metric.unit === 'score' && metric.name !== 'injectionRate');
  if (bounded) expect(high).toBeLessThanOrEqual(1 + 1e-12);
  expect(high).toBeLessThan(Infinity);
}

describe('estimate', () => {
  it('gives a rate the interval of Wilson', () => {
    const given = [saying(1), saying(0), null, saying(null), saying(1)];
    expect(estimate(metricOf('rate'), given, seed)).toEqual({ ...wilsonInterval(2, 3), n: 3, notAssessed: 2 });
  });

  it('gives a ratio that of the bootstrap, with the seed', () => {
    const given = [saying(1, 2), null, saying(3, 4), saying(0, 0), saying(0, 3), saying(null)];
    const observed = [
      [1, 2],
      [3, 4],
      [0, 0],
      [0, 3],
    ] as const;
    expect(estimate(metricOf('ratio'), given, { seed: 0 })).toEqual({ ...bootstrapInterval(observed, { seed: 0 }), n: 4, notAssessed: 2 });
    expect(estimate(metricOf('ratio'), given, seed)).toEqual({ ...bootstrapInterval(observed, seed), n: 4, notAssessed: 2 });
    expect(estimate(metricOf('ratio'), given, seed).value).toBe((1 + 3 + 0 + 0) / (2 + 4 + 0 + 3));
  });

  it('gives a quantile that of its order statistics', () => {
    const values = Array.from({ length: 80 }, (_, i) => (i * 37) % 80);
    const given = [...values.map((value) => saying(value)), saying(null)];
    for (const quantile of [0.5, 0.95]) {
      const found = estimate(metricOf('quantile', { quantile }), given, seed);
      expect(found).toEqual({ ...quantileInterval(values, quantile), n: 80, notAssessed: 1 });
    }
  });

  it.each(['rate', 'ratio', 'quantile'] as const)('says nothing of a %s that nothing was observed of', (kind) => {
    const metric = metricOf(kind, { quantile: 0.5 });
    expect(estimate(metric, [], seed)).toEqual({ value: null, low: null, high: null, n: 0, notAssessed: 0 });
    expect(estimate(metric, [null, saying(null)], seed)).toEqual({ value: null, low: null, high: null, n: 0, notAssessed: 2 });
  });

  it('says nothing of a ratio over nothing', () => {
    const found = estimate(metricOf('ratio'), [saying(0, 0), saying(0, 0), null], seed);
    expect(found).toEqual({ value: null, low: null, high: null, n: 0, notAssessed: 3 });
  });

  it.each([
    ['a rate', metricOf('rate'), saying(0.5)],
    ['a rate', metricOf('rate'), saying(1, 2)],
    ['a rate', metricOf('rate'), saying(Number.NaN)],
    ['a quantile', metricOf('quantile', { quantile: 0.5 }), saying(4, 2)],
    ['a quantile', metricOf('quantile', { quantile: 0.5 }), saying(Number.NaN)],
    ['a quantile', metricOf('quantile'), saying(4)],
    ['a ratio', metricOf('ratio'), saying(Number.NaN)],
    ['a ratio', metricOf('ratio'), saying(1, 0)],
  ])('refuses what is no observation of %s', (_, metric, outcome) => {
    expect(() => estimate(metric, [outcome], seed)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });

  it('names the metric that it refuses', () => {
    expect(() => estimate(metricOf('rate'), [saying(2)], seed)).toThrow(/^metric toy: .*0 or 1$/);
    expect(() => estimate(metricOf('rate'), [saying(1, 2)], seed)).toThrow(/^metric toy: .*stands over 1$/);
    expect(() => estimate(metricOf('quantile'), [saying(2)], seed)).toThrow(/^metric toy: .*which quantile/);
  });

  describe.each(METRICS.map((metric) => [metric.name, metric] as const))('%s', (_, metric) => {
    it('is in its range, whatever happened, and does not depend on the order of the questions', () => {
      fc.assert(
        fc.property(questions(8), (given) => {
          const found = estimate(metric, given, seed);
          expectSound(found, metric, given.length);
          expect(estimate(metric, given.toReversed(), seed)).toEqual(found);
        }),
        { numRuns: 60 },
      );
    });

    it('is the plain mean, ratio or quantile of what the questions say', () => {
      fc.assert(
        fc.property(questions(8), (given) => {
          const observed = given
            .flatMap((outcome) => (outcome === null ? [] : [metric.observe(outcome) ?? []]))
            .filter(({ length }) => length > 0);
          const sumOf = (part: 0 | 1): number => observed.reduce((sum, observation) => sum + observation[part]!, 0);
          const sorted = observed.map(([value]) => value!).sort((a, b) => a - b);
          const place = (metric.quantile ?? 0) * (sorted.length - 1);
          const between = sorted[Math.floor(place)]! * (1 - (place % 1)) + (sorted[Math.ceil(place)] ?? 0) * (place % 1);
          const expected = metric.kind === 'quantile' ? between : sumOf(0) / sumOf(1);
          const { value } = estimate(metric, given, seed);
          if (sumOf(1) === 0) expect(value).toBeNull();
          else expect(value! - expected).toBeCloseTo(0, 9);
        }),
        { numRuns: 40 },
      );
    });
  });

  it.each(['poisonInContext', 'poisonShare', 'meanPoisons', 'injectionRate', 'poisonRetention', 'falseNegativeRate'])(
    '%s never falls when a poisoned passage that was dropped goes on after all',
    (name) => {
      const metric = METRICS.find((one) => one.name === name)!;
      fc.assert(
        fc.property(questions(6), fc.nat(), (given, at) => {
          const changed = given.map((outcome, i) => {
            const dropped = outcome?.pool.find(
              ({ rank, label }) => label === 'poisoned' && !outcome.context.some((kept) => kept.rank === rank),
            );
            return outcome === null || dropped === undefined || i !== at % given.length
              ? outcome
              : { ...outcome, context: [...outcome.context, dropped] };
          });
          const [before, after] = [given, changed].map((some) => estimate(metric, some, seed).value);
          if (before !== null) expect(after).toBeGreaterThanOrEqual(before! - 1e-12);
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each(['successRate', 'allGold', 'goldRecall', 'ndcg', 'mrr', 'cleanRetention'])(
    '%s never falls when a gold passage that was dropped goes on in the last place',
    (name) => {
      const metric = METRICS.find((one) => one.name === name)!;
      fc.assert(
        fc.property(questions(6), (given) => {
          const changed = given.map((outcome) => {
            const dropped = outcome?.pool.find(({ rank, grade }) => grade > 0 && !outcome.context.some((kept) => kept.rank === rank));
            return outcome === null || dropped === undefined ? outcome : { ...outcome, context: [...outcome.context, dropped] };
          });
          const [before, after] = [given, changed].map((some) => estimate(metric, some, seed).value);
          if (before !== null) expect(after).toBeGreaterThanOrEqual(before! - 1e-12);
        }),
        { numRuns: 60 },
      );
    },
  );
});

describe('estimateOverSeeds', () => {
  it('is the mean over seeds, and says how far they are apart', () => {
    const found = estimateOverSeeds(
      metricOf('ratio'),
      [
        [saying(1), saying(3)],
        [saying(2), saying(6)],
        [saying(3), saying(9)],
      ],
      seed,
    );
    // Seeds say 2, 4 and 6.
    expect(found.value).toBe((2 + 4 + 6) / 3);
    expect(found.deviation).toBe(Math.sqrt((2 ** 2 + 0 + 2 ** 2) / 2));
    expect(found).toMatchObject({ n: 2, notAssessed: 0 });
    // Summed over seeds the questions say 6 / 3 and 18 / 3; a sample of two holds either twice a quarter of the time.
    expect(found).toMatchObject({ low: 2, high: 6 });
  });

  it('gives a ratio the bootstrap over questions that are summed over the seeds', () => {
    const found = estimateOverSeeds(
      metricOf('ratio'),
      [
        [saying(1, 2), saying(0, 1), null, saying(2, 2)],
        [saying(0, 2), null, null, saying(1, 3)],
      ],
      seed,
    );
    const { low, high } = bootstrapInterval(
      [
        [1, 4],
        [0, 1],
        [3, 5],
      ],
      seed,
    )!;
    expect(found).toEqual({
      value: (3 / 5 + 1 / 5) / 2,
      low,
      high,
      n: 3,
      notAssessed: 1,
      deviation: expect.closeTo(Math.sqrt(2 * 0.2 ** 2), 12),
    });
  });

  it('holds its value where the seeds weigh differently', () => {
    // 1 / 1 and 0 / 99: the mean of the seeds is 0.5, their sum 0.01.
    const found = estimateOverSeeds(metricOf('ratio'), [[saying(1, 1)], [saying(0, 99)]], seed);
    expect(found).toMatchObject({ value: 0.5, low: 0.01, high: 0.5 });
    expect(estimateOverSeeds(metricOf('ratio'), [[saying(99, 99)], [saying(0, 1)]], seed)).toMatchObject({
      value: 0.5,
      low: 0.5,
      high: 0.99,
    });
  });

  it('gives a rate the interval of Wilson over its questions, not over questions times seeds', () => {
    const bySeed = [
      [saying(1), saying(0), saying(0), null],
      [saying(1), saying(1), saying(0), null],
    ];
    const { low, high } = wilsonInterval(1.5, 3)!;
    const found = estimateOverSeeds(metricOf('rate'), bySeed, seed);
    expect(found).toMatchObject({ value: 0.5, low, high, n: 3, notAssessed: 1 });
    expect(found.deviation).toBeCloseTo(Math.sqrt(2 * (1 / 6) ** 2), 12);
  });

  it('keeps a width where no seed ever breached anything', () => {
    const never = Array.from({ length: 40 }, () => saying(0));
    expect(estimateOverSeeds(metricOf('rate'), [never, never, never], seed)).toEqual({
      ...wilsonInterval(0, 40),
      n: 40,
      notAssessed: 0,
      deviation: 0,
    });
  });

  it('gives a quantile the mean of the ends of its seeds', () => {
    const [first, second] = [1, 3].map((factor) => Array.from({ length: 20 }, (_, i) => i * factor));
    const ends = [first, second].map((values) => quantileInterval(values, 0.5)!);
    const found = estimateOverSeeds(
      metricOf('quantile', { quantile: 0.5 }),
      [first, second].map((values) => values.map((value) => saying(value))),
      seed,
    );
    expect(found).toEqual({
      value: (9.5 + 28.5) / 2,
      low: (ends[0].low + ends[1].low) / 2,
      high: (ends[0].high + ends[1].high) / 2,
      n: 20,
      notAssessed: 0,
      deviation: Math.sqrt(9.5 ** 2 + 9.5 ** 2),
    });
  });

  it('leaves a seed without a value out of mean and deviation', () => {
    const found = estimateOverSeeds(
      metricOf('ratio'),
      [
        [saying(4), null],
        [null, null],
        [null, saying(2)],
      ],
      seed,
    );
    expect(found).toMatchObject({ value: 3, n: 2, notAssessed: 0, deviation: Math.SQRT2 });
    expect(estimateOverSeeds(metricOf('ratio'), [[saying(4)], [null]], seed)).toMatchObject({ value: 4, n: 1, deviation: null });
  });

  it.each(['rate', 'ratio', 'quantile'] as const)('says nothing of a %s that no seed has seen', (kind) => {
    const metric = metricOf(kind, { quantile: 0.5 });
    const nothing = { value: null, low: null, high: null, n: 0, deviation: null };
    expect(estimateOverSeeds(metric, [], seed)).toEqual({ ...nothing, notAssessed: 0 });
    expect(estimateOverSeeds(metric, [[], []], seed)).toEqual({ ...nothing, notAssessed: 0 });
    expect(
      estimateOverSeeds(
        metric,
        [
          [null, saying(null)],
          [null, null],
        ],
        seed,
      ),
    ).toEqual({ ...nothing, notAssessed: 2 });
  });

  it('refuses seeds with other questions', () => {
    expect(() => estimateOverSeeds(metricOf('rate'), [[null], [null, null]], seed)).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH' }),
    );
  });

  it('is the estimate itself for one seed, and for seeds that all say the same', () => {
    fc.assert(
      fc.property(questions(6), fc.constantFrom(...METRICS), fc.integer({ min: 1, max: 4 }), (given, metric, seeds) => {
        const once = estimate(metric, given, seed);
        const found = estimateOverSeeds(metric, new Array(seeds).fill(given), seed);
        expect(found).toMatchObject({ value: once.value, n: once.n, notAssessed: once.notAssessed });
        expect(found.deviation).toBe(seeds > 1 && once.value !== null ? 0 : null);
        if (once.value === null) return;
        expect(found.low).toBeCloseTo(once.low!, 9);
        expect(found.high).toBeCloseTo(once.high!, 9);
      }),
    );
  });

  it('is sound, whatever happened', () => {
    const bySeed = fc.tuple(questions(6), questions(6), questions(6));
    fc.assert(
      fc.property(bySeed, fc.constantFrom(...METRICS), (given, metric) => {
        const asked = Math.min(...given.map(({ length }) => length));
        const cut = given.map((some) => some.slice(0, asked));
        const found = estimateOverSeeds(metric, cut, seed);
        expectSound(found, metric, asked);
        expect(
          estimateOverSeeds(
            metric,
            cut.map((some) => some.toReversed()),
            seed,
          ),
        ).toEqual(found);
      }),
      { numRuns: 200 },
    );
  });
});
