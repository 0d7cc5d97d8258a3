/**
 * The chance that a standard normal variable exceeds z, to 12 digits; 0 <= z.
 *
 * Below 3 by the Taylor series of the distribution, above by Laplace's continued fraction, cut where a further step changes nothing.
 */
export function normalTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    let sum = 0;
    let term = z;
    for (let odd = 3; sum + term !== sum; odd += 2) {
      sum += term;
      term *= (z * z) / odd;
    }
    return 0.5 - density * sum;
  }
  let fraction = z;
  for (let step = 100; step > 0; step--) fraction = z + step / fraction;
  return density / fraction;
}
