import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/ragpart.json' with { type: 'json' };
import { combinations } from './combinations.ts';
import { cosineSimilarity } from './cosine-similarity.ts';
import { countFragmentVotes, type FragmentBallot, fragmentVotes } from './fragment-votes.ts';
import { gramMatrix } from './gram-matrix.ts';
import { rankOrder } from './rank-order.ts';

type Passages = readonly (readonly (readonly number[])[])[];

interface Case {
  readonly question: readonly number[];
  /** One row of fragments a passage. */
  readonly passages: Passages;
  readonly combine: number;
  readonly places: number;
}

const product = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

const ballotOf = ({ question, passages, combine, places }: Case, similarity: 'cosine' | 'dot'): FragmentBallot => {
  const fragments = passages[0]?.length ?? combine;
  return {
    count: passages.length,
    fragments,
    combine,
    places,
    products: Float64Array.from(passages.flatMap((rows) => rows.map((row) => product(row, question)))),
    ...(similarity === 'cosine'
      ? { grams: Float64Array.from(passages.flatMap((rows) => [...gramMatrix(rows.map((row) => Float64Array.from(row)))])) }
      : {}),
  };
};

/** The paper's way: makes every database, ranks all passages in each, counts. Of sums and not means: a third rounds, and what rounding leaves would decide ties. */
function materialised({ question, passages, combine, places }: Case, similarity: 'cosine' | 'dot'): number[] {
  const votes = passages.map(() => 0);
  const n = passages[0]?.length ?? combine;
  const subsets = combinations(n, combine);
  for (let start = 0; start < subsets.length; start += combine) {
    const subset = subsets.subarray(start, start + combine);
    const database = passages.map((rows) => question.map((_, d) => [...subset].reduce((sum, i) => sum + rows[i]![d]!, 0)));
    const scores = database.map((vector) => (similarity === 'cosine' ? cosineSimilarity(vector, question) : product(vector, question)));
    for (const place of rankOrder(scores).slice(0, places)) votes[place]!++;
  }
  return votes;
}

/** Small whole numbers: scores are often equal, and sums often cancel. */
const cases = fc
  .record({ n: fc.integer({ min: 1, max: 6 }), d: fc.integer({ min: 1, max: 3 }), k: fc.integer({ min: 1, max: 6 }) })
  .chain(({ n, d, k }) => {
    const vector = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: d, maxLength: d });
    return fc.record({
      question: vector,
      passages: fc.array(fc.array(vector, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 9 }),
      combine: fc.constant(Math.min(k, n)),
      places: fc.integer({ min: 1, max: 4 }),
    });
  });

const scored = (rows: readonly (readonly number[])[], combine: number, places: number): FragmentBallot => ({
  count: rows.length,
  fragments: rows[0]!.length,
  combine,
  places,
  products: Float64Array.from(rows.flat()),
});

describe('fragmentVotes', () => {
  it.each(golden.ballots)('gives the votes of numpy: $fragments fragments, $combine combined, by $similarity', (ballot) => {
    const { question, vectors: passages, combine, places, similarity, votes } = ballot;
    expect([...fragmentVotes(ballotOf({ question, passages, combine, places }, similarity as 'cosine' | 'dot')).votes]).toEqual(votes);
  });

  it.each(['dot', 'cosine'] as const)('counts what the databases would say, by %s', (similarity) => {
    fc.assert(
      fc.property(cases, (given) => {
        expect([...fragmentVotes(ballotOf(given, similarity)).votes]).toEqual(materialised(given, similarity));
      }),
      { numRuns: 600 },
    );
  });

  it.each(['dot', 'cosine'] as const)('does so where many passages cannot be in any list, by %s', (similarity) => {
    const vector = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 3 });
    const alike = fc
      .tuple(
        vector,
        fc.array(fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 3, maxLength: 3 }), { minLength: 5, maxLength: 5 }),
      )
      .map(([own, noise]) => noise.map((shift) => shift.map((x, i) => x + own[i]!)));
    fc.assert(
      fc.property(
        vector,
        fc.array(alike, { minLength: 10, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (question, passages, combine) => {
          const given = { question, passages, combine, places: 3 };
          expect([...fragmentVotes(ballotOf(given, similarity)).votes]).toEqual(materialised(given, similarity));
        },
      ),
    );
  });

  it('lets one huge fragment win by inner product, but not alone (ALGORITHMS 13.3)', () => {
    const rows = [
      [6, 5, 6], // gold
      [5, 5, 5], // near
      [1, 2, 1], // off
      [30, -6, -6], // poison
    ];
    expect(fragmentVotes(scored(rows, 2, 2))).toEqual({ votes: Uint32Array.of(3, 1, 0, 2), databases: 3, exact: true });
    expect([...fragmentVotes(scored(rows, 1, 2)).votes]).toEqual([3, 2, 0, 1]);
    expect(fragmentVotes(scored(rows, 3, 2))).toEqual({ votes: Uint32Array.of(1, 0, 0, 1), databases: 1, exact: true });
  });

  it('gives equal scores to the earlier passage, also when they differ by rounding', () => {
    expect([...fragmentVotes(scored([[1], [1], [1]], 1, 2)).votes]).toEqual([1, 1, 0]);
    expect([...fragmentVotes(scored([[0.3], [0.1 + 0.2], [0.3]], 1, 1)).votes]).toEqual([1, 0, 0]);
  });

  it('gives everybody a vote where there are fewer passages than places, and none where there is nobody', () => {
    expect([
      ...fragmentVotes(
        scored(
          [
            [1, -1],
            [0, 0],
          ],
          1,
          5,
        ),
      ).votes,
    ]).toEqual([2, 2]);
    const nobody = { count: 0, fragments: 3, combine: 2, places: 5, products: new Float64Array(0) };
    expect(fragmentVotes(nobody)).toEqual({ votes: new Uint32Array(0), databases: 3, exact: true });
  });

  it('leaves out what is not finite', () => {
    const rows = [
      [Number.NaN, 1],
      [Number.POSITIVE_INFINITY, 1],
      [0, 0],
    ];
    expect([...fragmentVotes(scored(rows, 1, 2)).votes]).toEqual([0, 0, 2]);
    const grams = Float64Array.of(1, 0, 0, 1, 1, Number.NaN, Number.NaN, 1);
    expect([
      ...fragmentVotes({
        ...scored(
          [
            [1, 1],
            [1, 1],
          ],
          1,
          2,
        ),
        grams,
      }).votes,
    ]).toEqual([2, 0]);
  });

  it('takes fragments that cancel for a vector without a direction', () => {
    // 0.1 + 0.2 - 0.3 is 5.6e-17: without the rule this rest would have a direction, and cosine 1.
    const cancelling = [[0.1], [0.2], [-0.3]];
    const given = { question: [1], passages: [cancelling, [[-1], [0.1], [0.2]], [[1], [1], [1]]], combine: 3, places: 1 };
    expect([...fragmentVotes(ballotOf(given, 'cosine')).votes]).toEqual([0, 0, 1]);
    expect([...fragmentVotes(ballotOf({ ...given, passages: given.passages.slice(0, 2) }, 'cosine')).votes]).toEqual([1, 0]);
  });

  it('says whether anybody outside could be in a list', () => {
    const ballot = scored(
      [
        [9, 9],
        [8, 8],
        [1, 1],
      ],
      2,
      2,
    );
    const within = (first: number, second: number) => fragmentVotes({ ...ballot, ceilings: Float64Array.of(first, second) }).exact;
    expect(within(8, 7)).toBe(true);
    expect(within(8, 8)).toBe(false); // a tie goes by id, and the id is not known
    expect(within(20, 1)).toBe(false);
    expect(within(16, -1)).toBe(true);
    expect(fragmentVotes(ballot).exact).toBe(true);
    // Fewer than the places: the next one is in.
    expect(fragmentVotes({ ...ballot, places: 4, ceilings: Float64Array.of(-9, -9) }).exact).toBe(false);
    // By cosine nothing follows: the others' fragments may point past the question on two sides.
    const grams = Float64Array.from([1, 2, 3].flatMap(() => [100, 0, 0, 100]));
    expect(fragmentVotes({ ...ballot, grams, ceilings: Float64Array.of(-9, -9) }).exact).toBe(false);
  });

  it('checks that in every database', () => {
    const ballot = scored(
      [
        [9, 1, 9],
        [8, 1, 8],
      ],
      2,
      1,
    );
    expect(fragmentVotes({ ...ballot, ceilings: Float64Array.of(5, 3, 5) }).exact).toBe(true);
    expect(fragmentVotes({ ...ballot, ceilings: Float64Array.of(8, 3, 5) }).exact).toBe(false);
    expect(fragmentVotes({ ...ballot, ceilings: Float64Array.of(5, 3, 8) }).exact).toBe(false);
  });

  it('pauses in long work and comes to the same result', () => {
    const rows = Array.from({ length: 300 }, (_, i) => Array.from({ length: 14 }, (__, j) => Math.sin(31 * i + 7 * j)));
    const counting = countFragmentVotes(scored(rows, 7, 10));
    let pauses = 0;
    let step = counting.next();
    for (; !step.done; step = counting.next()) pauses++;
    expect(pauses).toBeGreaterThan(0);
    expect(step.value.votes.reduce((sum, votes) => sum + votes, 0)).toBe(10 * 3432);
    expect(step.value.votes).toEqual(fragmentVotes(scored(rows, 7, 10)).votes);
  });

  it.each(['dot', 'cosine'] as const)('does not count for those who can be in no list, by %s', (similarity) => {
    // Ten fragments along one axis, 3 to 4 for those that can win and -4 to 1 for 3,000 that cannot; the other axis keeps cosines apart.
    const passage = (low: number, i: number) => Array.from({ length: 10 }, (_, j) => [low + ((7 * i + 3 * j) % 10) / 10, 5]);
    const passages = [
      ...Array.from({ length: 3000 }, (_, i) => passage((i % 5) - 4, i)),
      ...Array.from({ length: 12 }, (_, i) => passage(3, i)),
    ];
    const pausesWith = (more: Passages) => {
      const counting = countFragmentVotes(ballotOf({ question: [1, 0], passages: more, combine: 5, places: 10 }, similarity));
      let pauses = 0;
      let step = counting.next();
      for (; !step.done; step = counting.next()) pauses++;
      return { pauses, votes: step.value.votes };
    };
    const { pauses, votes } = pausesWith(passages);
    expect(pauses).toBe(0);
    expect(votes.subarray(0, 3000).every((count) => count === 0)).toBe(true);
    expect([...votes.subarray(3000)].reduce((sum, count) => sum + count, 0)).toBe(2520);
    // As many that can win take a while.
    expect(pausesWith(passages.map((_, i) => passage(3, i))).pauses).toBeGreaterThan(0);
  });

  it('leaves nobody out by cosine whose fragments may cancel: short sums have any direction', () => {
    // The first two hardly move along the question, but what they lack is the other axis: cosine 1.
    const turning = (x: number) => [
      [x, 5],
      [x, -5],
      [x, 5],
      [x, -5],
    ];
    const steady = Array.from({ length: 6 }, (_, i) => [4, 4, 4, 4].map((x) => [x, 3 + i / 10]));
    const given = { question: [1, 0], passages: [turning(0.1), turning(-0.1), ...steady], combine: 2, places: 2 };
    const votes = [...fragmentVotes(ballotOf(given, 'cosine')).votes];
    expect(votes).toEqual(materialised(given, 'cosine'));
    expect(votes[0]).toBe(4);
  });
});
