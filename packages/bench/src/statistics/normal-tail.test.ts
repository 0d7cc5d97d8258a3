import { expect, it } from 'vitest';
import golden from '../../../../tests/golden/statistics.json' with { type: 'json' };
import { normalTail } from './normal-tail.ts';

it.each(golden.normalTail)('is what scipy says of $z', ({ z, tail }) => {
  expect(normalTail(z) / tail).toBeCloseTo(1, 12);
});
