import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import { binomial, combinations, sampleCombinations } from './combinations.ts';
import { gramMatrix } from './gram-matrix.ts';
import { type CombinationSpace, certifyDeviation, combinationView, majorityBall, majorityRadii } from './majority-ball.ts';
import { manhattanMatrix } from './manhattan-matrix.ts';
import { createRandom, type Random } from './random.ts';

type Rows = readonly (readonly number[])[];
type Geometry = Pick<CombinationSpace, 'distance' | 'combination'>;

const ordered = { distance: 'angular', combination: 'ordered' } as const;
const geometries: Geometry[] = [
  ordered,
  { distance: 'angular', combination: 'symmetric' },
  { distance: 'euclidean', combination: 'ordered' },
  { distance: 'euclidean', combination: 'symmetric' },
  { distance: 'manhattan', combination: 'ordered' },
];

function spaceOf(rows: Rows, size: number, geometry: Geometry): CombinationSpace {
  const embeddings = rows.map((row) => Float32Array.from(row));
  const table = geometry.distance === 'manhattan' ? manhattanMatrix(embeddings) : gramMatrix(embeddings);
  return { table, count: rows.length, size, ...geometry };
}

const rowsOf = (flat: Uint8Array, size: number): number[][] =>
  Array.from({ length: flat.length / size }, (_, i) => [...flat.subarray(i * size, (i + 1) * size)]);

/** The papers' definitions, with every vector made and every distance taken. */
const slowly = {
  vector: (rows: Rows, subset: readonly number[], { combination }: Geometry): number[] =>
    combination === 'ordered' ? subset.flatMap((i) => rows[i]) : rows[0].map((_, d) => subset.reduce((sum, i) => sum + rows[i][d], 0)),
  distance(a: readonly number[], b: readonly number[], { distance }: Geometry): number {
    if (distance === 'manhattan') return a.reduce((sum, x, d) => sum + Math.abs(x - b[d]), 0);
    if (distance === 'euclidean') return Math.hypot(...a.map((x, d) => x - b[d]));
    const dot = a.reduce((sum, x, d) => sum + x * b[d], 0);
    const lengths = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0) * b.reduce((sum, x) => sum + x * x, 0));
    return Math.acos(lengths > 0 ? Math.max(-1, Math.min(1, dot / lengths)) : 0);
  },
  /** Distances from each subset to each, its own 0. */
  apart(rows: Rows, subsets: number[][], geometry: Geometry): number[][] {
    const vectors = subsets.map((subset) => slowly.vector(rows, subset, geometry));
    return vectors.map((a, i) => vectors.map((b, j) => (i === j ? 0 : slowly.distance(a, b, geometry))));
  },
  radii: (apart: number[][]): number[] =>
    apart.map((row, i) => row.filter((_, j) => j !== i).toSorted((a, b) => a - b)[Math.ceil((row.length - 1) / 2) - 1] ?? 0),
  /** Algorithm 2's radius from every combination. */
  certified(apart: number[][], count: number, size: number, corruption: number): number[] {
    const index = Math.floor(apart.length / 2) + (apart.length - binomial(count - corruption, size));
    return apart.map((row) => row.toSorted((a, b) => a - b)[index]);
  },
  rho(certified: number[], subsets: number[][], count: number, corruption: number): number {
    const sets = rowsOf(combinations(count, corruption), corruption);
    const smallest = (replaced: number[]) => Math.min(...certified.filter((_, i) => !subsets[i].some((p) => replaced.includes(p))));
    return corruption === 0 ? smallest([]) : Math.max(...sets.map(smallest));
  },
};

/** Distances near zero are square roots and arc cosines of rounding: 1e-15 becomes 3e-8. */
const CLOSE = 6;

const pools = (min: number, max: number) =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min: 1, max: 4 })).chain(([n, width]) =>
    fc.array(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: width, maxLength: width }).filter((row) => row.some((x) => x !== 0)),
      { minLength: n, maxLength: n },
    ),
  );

describe('majorityBall', () => {
  const rows = [
    [4, 1, 0],
    [4, 0, 1],
    [5, 1, 1],
    [4, 1, 1],
    [-1, 5, -2],
  ];

  it('gives the known selection of five passages in pairs', () => {
    const view = combinationView(spaceOf(rows, 2, ordered));
    expect([...majorityRadii(view)].map((radius) => Number(radius.toFixed(6)))).toEqual([
      0.295653, 0.260143, 0.252345, 1.165283, 0.295653, 0.295618, 1.165283, 0.260143, 1.106522, 1.169774,
    ]);
    const ball = majorityBall(view);
    expect([...ball.subset]).toEqual([0, 3]);
    expect(ball.radius).toBeCloseTo(0.252345, 6);
  });

  it.each(geometries)('is the definition, computed from explicit vectors: $distance, $combination', (geometry) => {
    fc.assert(
      fc.property(pools(1, 7), fc.integer({ min: 1, max: 4 }), (given, wanted) => {
        const size = Math.min(wanted, given.length);
        const subsets = rowsOf(combinations(given.length, size), size);
        const view = combinationView(spaceOf(given, size, geometry));
        const expected = slowly.radii(slowly.apart(given, subsets, geometry));
        const radii = majorityRadii(view);
        for (const [i, radius] of expected.entries()) expect(radii[i]).toBeCloseTo(radius, CLOSE);
        const ball = majorityBall(view);
        const smallest = Math.min(...expected);
        expect(ball.radius).toBeCloseTo(smallest, CLOSE);
        expect([...ball.subset]).toEqual(subsets[expected.findIndex((radius) => radius < smallest + 1e-7)]);
      }),
    );
  });

  it.each(geometries)('is the definition over a sample: $distance, $combination', (geometry) => {
    fc.assert(
      fc.property(pools(5, 8), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 }), fc.nat(), (given, size, count, seed) => {
        const sample = sampleCombinations(given.length, size, count, createRandom(seed));
        const subsets = rowsOf(sample, size);
        const expected = slowly.radii(slowly.apart(given, subsets, geometry));
        const view = combinationView(spaceOf(given, size, geometry), sample);
        for (const [i, radius] of majorityRadii(view).entries()) expect(radius).toBeCloseTo(expected[i], CLOSE);
        const smallest = Math.min(...expected);
        expect([...majorityBall(view).subset]).toEqual(subsets[expected.findIndex((radius) => radius < smallest + 1e-7)]);
      }),
    );
  });

  it('gives the lexicographically smallest of equal combinations', () => {
    const equal = Array.from({ length: 6 }, () => [1, 2]);
    for (const geometry of geometries) {
      const ball = majorityBall(combinationView(spaceOf(equal, 2, geometry)));
      expect([...ball.subset]).toEqual([0, 1]);
      expect(ball.radius).toBeCloseTo(0, CLOSE);
    }
    // Two tight groups of three, alike in everything.
    expect([
      ...majorityBall(
        combinationView(
          spaceOf(
            [
              [1, 0],
              [0, 1],
              [1, 0],
              [0, 1],
            ],
            1,
            ordered,
          ),
        ),
      ).subset,
    ]).toEqual([0]);
  });

  it('selects the same whatever the unit of the embeddings', () => {
    const random = createRandom(8);
    const pool = Array.from({ length: 7 }, () => Array.from({ length: 4 }, () => random.next() - 0.3));
    for (const geometry of geometries) {
      const [small, plain, large] = [2 ** -40, 1, 2 ** 40].map((unit) =>
        majorityBall(
          combinationView(
            spaceOf(
              pool.map((row) => row.map((x) => Math.fround(x) * unit)),
              3,
              geometry,
            ),
          ),
        ),
      );
      expect([...plain.subset]).not.toEqual([0, 1, 2]);
      expect(small.subset).toEqual(plain.subset);
      expect(large.subset).toEqual(plain.subset);
      const unit = geometry.distance === 'angular' ? 1 : 2 ** 40;
      expect(large.radius / unit).toBeCloseTo(plain.radius, 10);
    }
  });

  it('has radius 0 with a single combination', () => {
    expect(majorityBall(combinationView(spaceOf([[0.3, 0.7]], 1, ordered)))).toEqual({ subset: Uint8Array.of(0), radius: 0 });
    expect([...majorityRadii(combinationView(spaceOf(rows, 5, ordered)))]).toEqual([0]);
  });

  it('counts sums that cancel as at a right angle to all', () => {
    const space = spaceOf(
      [
        [0.1, 0.7],
        [-0.1, -0.7],
        [0.3, 0.1],
      ],
      2,
      { distance: 'angular', combination: 'symmetric' },
    );
    expect(majorityRadii(combinationView(space))[0]).toBe(Math.PI / 2);
  });

  it('leaves a minority of outliers out', () => {
    const random = createRandom(2);
    for (let trial = 0; trial < 50; trial++) {
      const pool = Array.from({ length: 8 }, () => [10 + random.next(), random.next(), random.next()]);
      const poisoned = random.integer(8);
      pool[poisoned] = [-9, random.next(), 3];
      for (const geometry of geometries) {
        expect([...majorityBall(combinationView(spaceOf(pool, 3, geometry))).subset]).not.toContain(poisoned);
      }
    }
  });

  it('refuses what it cannot compute', () => {
    const space = spaceOf(rows, 2, ordered);
    for (const size of [0, 6, NaN]) {
      expect(() => combinationView({ ...space, size })).toThrow(BezoarError);
      expect(() => combinationView({ ...space, size })).toThrow(`a combination has 1 to 5 passages, not ${size}`);
    }
    expect(() => combinationView({ ...space, table: new Float64Array(24) })).toThrow('5 passages need 25 pairs, not 24');
    expect(() => combinationView({ ...space, distance: 'manhattan', combination: 'symmetric' })).toThrow('use ordered');
  });
});

describe('certifyDeviation', () => {
  const rows = [
    [4, 1, 0],
    [4, 0, 1],
    [5, 1, 1],
    [4, 1, 1],
    [-1, 5, -2],
  ];
  const strict = (corruption: number) => ({ corruption, beta: 2, bound: 'strict' }) as const;

  it('gives the known radii and deviations', () => {
    const view = combinationView(spaceOf(rows, 2, ordered));
    const none = certifyDeviation(view, Uint8Array.of(0, 3), strict(0));
    expect(none.holds).toBe(true);
    expect(none.radius).toBeCloseTo(0.252345, 6);
    expect(none.pad).toBeCloseTo(0.757034, 6);
    const one = certifyDeviation(view, Uint8Array.of(0, 3), strict(1));
    expect(one.holds).toBe(true);
    expect(one.radius).toBeCloseTo(1.191965, 6);
    expect(one.pad).toBeCloseTo(3.575894, 6);
  });

  it.each(geometries)('is Algorithm 2 from explicit vectors, and rho the worst over replaced sets: $distance, $combination', (geometry) => {
    fc.assert(
      fc.property(pools(3, 8), fc.integer({ min: 1, max: 3 }), fc.nat(3), fc.nat(), (given, wanted, corruption, at) => {
        const count = given.length;
        const size = Math.min(wanted, count);
        const subsets = rowsOf(combinations(count, size), size);
        const index = at % subsets.length;
        const found = certifyDeviation(combinationView(spaceOf(given, size, geometry)), Uint8Array.from(subsets[index]), {
          ...strict(corruption),
          beta: 1.5,
        });
        expect(found.holds).toBe(subsets.length < 2 * binomial(count - corruption, size));
        if (!found.holds) {
          expect(found).toEqual({ holds: false, radius: null, pad: null, padTight: null });
          return;
        }
        const certified = slowly.certified(slowly.apart(given, subsets, geometry), count, size, corruption);
        expect(found.radius).toBeCloseTo(certified[index], CLOSE);
        expect(found.pad).toBe(2.5 * (found.radius ?? NaN));
        expect(found.padTight).toBeCloseTo(certified[index] + slowly.rho(certified, subsets, count, corruption), CLOSE);
      }),
    );
  });

  it('holds for as many poisoned passages as leave a majority untouched', () => {
    const most = (count: number, size: number): number => {
      const pool = Array.from({ length: count }, (_, i) => [1, i]);
      const view = combinationView(spaceOf(pool, size, ordered));
      let corruption = 0;
      const centre = Uint8Array.from({ length: size }, (_, i) => i);
      while (certifyDeviation(view, centre, { ...strict(corruption + 1), tight: false }).holds) corruption++;
      return corruption;
    };
    expect([1, 2].map((size) => most(5, size))).toEqual([2, 1]);
    expect([1, 2, 3].map((size) => most(8, size))).toEqual([3, 2, 1]);
    expect([1, 2, 3, 4, 5].map((size) => most(12, size))).toEqual([5, 3, 2, 1, 1]);
    expect([3, 4, 5].map((size) => most(16, size))).toEqual([3, 2, 1]);
    expect([3, 4, 5].map((size) => most(20, size))).toEqual([3, 2, 2]);
  });

  it.each([
    [8, 3, 1, 49],
    [12, 3, 1, 165],
    [12, 3, 2, 210],
    [16, 3, 3, 554],
    [12, 5, 1, 726],
  ])('looks at the right place: %i passages in %i, %i poisoned: %i', (count, size, corruption, place) => {
    const random = createRandom(count);
    const pool = Array.from({ length: count }, () => Array.from({ length: 5 }, () => Math.fround(random.next())));
    const subsets = rowsOf(combinations(count, size), size);
    const centre = slowly.vector(pool, subsets[0], ordered);
    const distances = subsets.map((subset, i) => (i === 0 ? 0 : slowly.distance(centre, slowly.vector(pool, subset, ordered), ordered)));
    const found = certifyDeviation(combinationView(spaceOf(pool, size, ordered)), Uint8Array.from(subsets[0]), strict(corruption));
    expect(found.radius).toBeCloseTo(distances.toSorted((a, b) => a - b)[place], 10);
  });

  it('with clamp gives the last place where the majority is missing, and never says that it holds', () => {
    const view = combinationView(spaceOf(rows, 2, ordered));
    const found = certifyDeviation(view, Uint8Array.of(0, 3), { corruption: 2, beta: 2, bound: 'clamp' });
    const farthest = Math.max(...slowly.apart(rows, rowsOf(combinations(5, 2), 2), ordered)[2]);
    expect(found.holds).toBe(false);
    expect(found.radius).toBeCloseTo(farthest, 10);
    expect(found.pad).toBeCloseTo(3 * farthest, 10);
    expect(found.padTight).toBeNull();
    expect(certifyDeviation(view, Uint8Array.of(0, 3), { corruption: 1, beta: 2, bound: 'clamp' })).toEqual(
      certifyDeviation(view, Uint8Array.of(0, 3), strict(1)),
    );
    expect(certifyDeviation(view, Uint8Array.of(0, 3), { corruption: 9, beta: 2, bound: 'clamp' })).toEqual(found);
  });

  it('leaves padTight out above 1,000 combinations, and for a centre that is not the optimum', () => {
    const pool = (count: number) => Array.from({ length: count }, (_, i) => [1, Math.sin(i)]);
    const first = (size: number) => Uint8Array.from({ length: size }, (_, i) => i);
    // C(18, 3) is 816, C(19, 3) is 969, C(20, 3) is 1,140.
    expect(certifyDeviation(combinationView(spaceOf(pool(19), 3, ordered)), first(3), strict(1)).padTight).not.toBeNull();
    expect(certifyDeviation(combinationView(spaceOf(pool(20), 3, ordered)), first(3), strict(1)).padTight).toBeNull();
    expect(certifyDeviation(combinationView(spaceOf(pool(20), 3, ordered)), first(3), strict(1)).pad).not.toBeNull();
    expect(certifyDeviation(combinationView(spaceOf(pool(8), 3, ordered)), first(3), { ...strict(1), tight: false }).padTight).toBeNull();
    // The most that a majority allows: C(45, 2) is 990 and C(32, 2) is 496.
    expect(certifyDeviation(combinationView(spaceOf(pool(45), 2, ordered)), first(2), strict(13)).padTight).not.toBeNull();
    expect(certifyDeviation(combinationView(spaceOf(pool(45), 2, ordered)), first(2), strict(14)).padTight).toBeNull();
  });
});

describe('the guarantee', () => {
  const beta = 2;
  /** Where Algorithm 1 puts the aggregate: the vector of the chosen combination. */
  const aggregate = (rows: Rows, size: number, geometry: Geometry): { vector: number[]; subset: Uint8Array } => {
    const { subset } = majorityBall(combinationView(spaceOf(rows, size, geometry)));
    return { vector: slowly.vector(rows, [...subset], geometry), subset };
  };
  const cases = [
    { count: 5, size: 1, corruption: 2 },
    { count: 5, size: 2, corruption: 1 },
    { count: 7, size: 2, corruption: 1 },
    { count: 8, size: 2, corruption: 2 },
    { count: 8, size: 3, corruption: 1 },
  ];
  const vector = (random: Random, centre: readonly number[], spread: number): number[] =>
    centre.map((x) => Math.fround(x + spread * (random.next() - 0.5)));

  it.each(cases.flatMap((setting) => geometries.map((geometry) => ({ ...setting, ...geometry }))))(
    'no replacement of $corruption of $count passages in combinations of $size moves the aggregate further: $distance, $combination',
    ({ count, size, corruption, distance, combination }) => {
      const geometry = { distance, combination } as const;
      const random = createRandom(count * 100 + size);
      let moved = 0;
      for (let pool = 0; pool < 12; pool++) {
        const centre = [1, 0.4, -0.3];
        const rows = Array.from({ length: count }, () => vector(random, centre, 0.3 + random.next() * 2));
        const before = aggregate(rows, size, geometry);
        const view = combinationView(spaceOf(rows, size, geometry));
        const bound = certifyDeviation(view, before.subset, { corruption, beta, bound: 'strict' });
        expect(bound.holds).toBe(true);
        const pad = bound.pad as number;
        const padTight = bound.padTight as number;
        const targets = random.shuffle([...rows.keys()]).slice(0, corruption);
        let worst = rows;
        let farthest = 0;
        // Random replacements first; then greedy steps from the worst one found, small and large.
        for (let attempt = 0; attempt < 20; attempt++) {
          const chosen = attempt % 4 === 0 ? random.shuffle([...rows.keys()]).slice(0, corruption) : targets;
          const from = attempt < 8 ? rows : worst;
          const scale = [0.2, 1, 8, 60][attempt % 4];
          const attacked = rows.map((row, i) => (chosen.includes(i) ? vector(random, from[i], scale) : row));
          const distanceMoved = slowly.distance(before.vector, aggregate(attacked, size, geometry).vector, geometry);
          expect(distanceMoved).toBeLessThanOrEqual(padTight + 1e-7);
          expect(distanceMoved).toBeLessThanOrEqual(pad + 1e-7);
          if (distanceMoved > farthest) {
            farthest = distanceMoved;
            if (chosen === targets) worst = attacked;
          }
        }
        if (farthest > 1e-6) moved++;
      }
      // The attacks do something.
      expect(moved).toBeGreaterThan(6);
    },
  );
});
