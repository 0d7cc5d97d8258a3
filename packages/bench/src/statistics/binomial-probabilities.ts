/**
 * The probabilities of 0 to n successes in n trials of chance p, 0 < p < 1; they sum to 1.
 *
 * Weights grow outwards from the likeliest count by the ratio of neighbours, so that nothing underflows where it matters.
 */
export function binomialProbabilities(n: number, p: number): Float64Array {
  const weights = new Float64Array(n + 1);
  const likeliest = Math.min(n, Math.floor((n + 1) * p));
  const odds = p / (1 - p);
  weights[likeliest] = 1;
  for (let k = likeliest; k < n; k++) weights[k + 1] = (weights[k] * (n - k) * odds) / (k + 1);
  for (let k = likeliest; k > 0; k--) weights[k - 1] = (weights[k] * k) / ((n - k + 1) * odds);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
