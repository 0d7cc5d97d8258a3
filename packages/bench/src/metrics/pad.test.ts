import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { pad } from './pad.ts';

describe('pad', () => {
  it('is the bound of a certificate that holds', () => {
    expect(pad.observe(sampleOutcome({ certificate: { holds: true, pad: 1.5, padTight: 0.5 } }))).toEqual([1.5, 1]);
    expect(pad.observe(sampleOutcome({ certificate: { holds: true, pad: 0, padTight: null } }))).toEqual([0, 1]);
    expect(pad.observe(sampleOutcome({ certificate: { holds: true, pad: null, padTight: null } }))).toEqual(null);
    expect(pad.observe(sampleOutcome({ certificate: { holds: false, pad: 1.5, padTight: 0.5 } }))).toEqual(null);
    expect(pad.observe(sampleOutcome({}))).toEqual(null);
  });

  it('is assessed without an attack', () => {
    expect(pad.observe(sampleOutcome({ attacked: false, certificate: { holds: true, pad: 4, padTight: null } }))).toEqual([4, 1]);
  });
});
