import { describe, expect, it } from 'vitest';
import { sampleOutcome } from '../testing/sample-outcome.ts';
import { certificateHolds } from './certificate-holds.ts';

describe('certificateHolds', () => {
  it('is 1 where the certificate holds, whatever it bounds', () => {
    expect(certificateHolds.observe(sampleOutcome({ certificate: { holds: true, pad: null, padTight: null } }))).toEqual([1, 1]);
    expect(certificateHolds.observe(sampleOutcome({ certificate: { holds: false, pad: 1, padTight: 1 } }))).toEqual([0, 1]);
  });

  it('is not assessed where there is no certificate', () => {
    expect(certificateHolds.observe(sampleOutcome({}))).toEqual(null);
  });
});
