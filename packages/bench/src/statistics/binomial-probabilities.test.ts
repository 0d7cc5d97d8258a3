import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { binomialProbabilities } from './binomial-probabilities.ts';

describe('binomialProbabilities', () => {
  it.each(golden.binomial)('is what scipy says of $n trials of $p', ({ n, p, probabilities }) => {
    const found = binomialProbabilities(n, p);
    expect(found).toHaveLength(n + 1);
    for (const [k, probability] of probabilities.entries()) expect(found[k] / probability).toBeCloseTo(1, 11);
  });

  it('does not underflow in the middle of many trials', () => {
    const { n, p, from, probabilities } = golden.binomialLarge;
    const found = binomialProbabilities(n, p);
    for (const [k, probability] of probabilities.entries()) expect(found[from + k] / probability).toBeCloseTo(1, 10);
  });

  it('is the coin', () => {
    expect([...binomialProbabilities(4, 0.5)]).toEqual([1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]);
    expect([...binomialProbabilities(0, 0.3)]).toEqual([1]);
    expect([...binomialProbabilities(1, 0.75)]).toEqual([0.25, 0.75]);
  });
});
