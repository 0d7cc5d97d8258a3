import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { foreignPoison } from './foreign-poison.ts';

describe('foreignPoison', () => {
  it('is 1 where anything planted for others is in the context', () => {
    expect(foreignPoison.observe(sampleOutcome({ pool: 'cffp' }))).toEqual([1, 1]);
    expect(foreignPoison.observe(sampleOutcome({ pool: 'cffp', context: [1, 4] }))).toEqual([0, 1]);
  });

  it('is not assessed without an attack', () => {
    expect(foreignPoison.observe(sampleOutcome({ pool: '1cc', attacked: false }))).toEqual(null);
  });
});
