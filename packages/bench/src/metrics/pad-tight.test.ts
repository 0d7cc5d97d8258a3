import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { padTight } from './pad-tight.ts';

describe('padTight', () => {
  it('is the tight bound of a certificate that holds', () => {
    expect(padTight.observe(sampleOutcome({ certificate: { holds: true, pad: 1.5, padTight: 0.5 } }))).toEqual([0.5, 1]);
    expect(padTight.observe(sampleOutcome({ certificate: { holds: true, pad: 1.5, padTight: 0 } }))).toEqual([0, 1]);
    expect(padTight.observe(sampleOutcome({ certificate: { holds: true, pad: 1.5, padTight: null } }))).toEqual(null);
    expect(padTight.observe(sampleOutcome({ certificate: { holds: false, pad: 1.5, padTight: 0.5 } }))).toEqual(null);
    expect(padTight.observe(sampleOutcome({}))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(padTight.observe(sampleOutcome({ attacked: false, certificate: { holds: true, pad: 4, padTight: 2 } }))).toEqual([2, 1]);
  });
});
