import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/page-rank.json' with { type: 'json' };
import { BezoarError } from '../errors.ts';
import { pageRank } from './page-rank.ts';

/** Symmetric weights with an edge about every second pair. */
const graphs = fc.integer({ min: 1, max: 12 }).chain((n) =>
  fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 1, noNaN: true })), { minLength: n * n, maxLength: n * n }).map((given) => {
    const weights = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) weights[i * n + j] = weights[j * n + i] = given[i * n + j];
    return { n, weights };
  }),
);

/** One step of the walk, as the definition has it. */
function step(weights: Float64Array, n: number, scores: Float64Array, damping: number, teleport: readonly number[]): number[] {
  const next = teleport.map((share) => (1 - damping) * share);
  for (let i = 0; i < n; i++) {
    const row = [...weights.subarray(i * n, (i + 1) * n)];
    const total = row.reduce((a, b) => a + b, 0);
    for (let j = 0; j < n; j++) next[j] += damping * scores[i] * (total > 0 ? row[j] / total : teleport[j]);
  }
  return next;
}

describe('pageRank', () => {
  it.each(golden.cases)('agrees with networkx: $name', ({ n, weights, damping, teleport, scores }) => {
    const found = pageRank(Float64Array.from(weights), n, teleport ? { damping, teleport: Float64Array.from(teleport) } : { damping });
    expect(found.length).toBe(n);
    for (const [i, score] of scores.entries()) expect(found[i]).toBeCloseTo(score, 10);
  });

  it('is the walk that does not change', () => {
    fc.assert(
      fc.property(graphs, fc.double({ min: 0, max: 0.99, noNaN: true }), ({ n, weights }, damping) => {
        const scores = pageRank(weights, n, { damping });
        const next = step(weights, n, scores, damping, Array(n).fill(1 / n));
        for (let i = 0; i < n; i++) expect(scores[i]).toBeCloseTo(next[i], 12);
        expect(scores.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
      }),
    );
  });

  it('gives the known vectors', () => {
    const graph = Float64Array.of(0, 1, 0, 1, 0, 0, 0, 0, 0);
    // Two linked nodes and one without edges: the loner holds its teleport share and what it hands itself, x = (0.15 + 0.85 x) / 3.
    const loner = 0.15 / 3 / (1 - 0.85 / 3);
    expect([...pageRank(graph, 3)].map((score) => score.toFixed(12))).toEqual(
      [(1 - loner) / 2, (1 - loner) / 2, loner].map((score) => score.toFixed(12)),
    );
    expect([...pageRank(new Float64Array(), 0)]).toEqual([]);
    expect([...pageRank(Float64Array.of(0), 1)]).toEqual([1]);
    expect([...pageRank(graph, 3, { damping: 0 })]).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });

  it('treats a weight below 1e-9 of the largest as no edge, so that rounding does not place a node', () => {
    const graph = (weak: number) => Float64Array.of(0, 5, weak, 5, 0, 0, weak, 0, 0);
    expect(pageRank(graph(4.9e-9), 3)).toEqual(pageRank(graph(0), 3));
    // With an edge the node passes everything on, and keeps its teleport share alone.
    expect(pageRank(graph(5.1e-9), 3)[2]).toBeCloseTo(0.05, 8);
  });

  it('treats weights that are negative or not finite as no edge, and huge ones as any', () => {
    const clean = pageRank(Float64Array.of(0, 2, 0, 2, 0, 0, 0, 0, 0), 3);
    for (const bad of [-1, NaN, Infinity]) expect(pageRank(Float64Array.of(0, 2, bad, 2, 0, 0, bad, 0, 0), 3)).toEqual(clean);
    const huge = Float64Array.of(0, 1e308, 1e308, 1e308, 0, 1e308, 1e308, 1e308, 0);
    for (const score of pageRank(huge, 3)) expect(score).toBeCloseTo(1 / 3, 14);
  });

  it('normalises the teleport vector, and takes one that is all zero as uniform', () => {
    const graph = Float64Array.of(0, 1, 1, 1, 0, 0, 1, 0, 0);
    expect(pageRank(graph, 3, { teleport: Float64Array.of(2, 4, 2) })).toEqual(pageRank(graph, 3, { teleport: Float64Array.of(1, 2, 1) }));
    expect(pageRank(graph, 3, { teleport: new Float64Array(3) })).toEqual(pageRank(graph, 3));
    expect(pageRank(graph, 3, { teleport: Float64Array.of(1, -3, NaN) })).toEqual(
      pageRank(graph, 3, { teleport: Float64Array.of(1, 0, 0) }),
    );
  });

  it('refuses what it cannot compute', () => {
    for (const damping of [1, -0.1, NaN, 1.5]) {
      expect(() => pageRank(new Float64Array(4), 2, { damping })).toThrow(BezoarError);
      expect(() => pageRank(new Float64Array(4), 2, { damping })).toThrow(`damping must be at least 0 and below 1, not ${damping}`);
    }
    expect(() => pageRank(new Float64Array(3), 2)).toThrow('2 nodes need 4 weights, not 3');
    expect(() => pageRank(new Float64Array(4), 2, { teleport: new Float64Array(3) })).toThrow('2 nodes need 2 teleport weights, not 3');
  });
});
