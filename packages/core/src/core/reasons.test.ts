import { describe, expect, it } from 'vitest';
import { explainReason, type Reasons, SEAL_REASONS } from './reasons.ts';

const own: Reasons = {
  'in-cluster': { meaning: 'belongs to a dense cluster', sentence: ({ size }) => `is one of ${String(size)} that say the same` },
  bare: { meaning: 'without a sentence' },
};

describe('explainReason', () => {
  it("makes the reason's sentence of the evidence", () => {
    expect(explainReason('in-cluster', { size: 3 }, [own])).toBe('is one of 3 that say the same');
    expect(explainReason('duplicate', { sameAs: 'p1' }, [])).toBe('has the same text as p1');
    expect(explainReason('unscorable', { embedding: 'zero' }, [])).toBe('cannot be compared: its embedding is zero');
  });

  it('falls back to the meaning without evidence or sentence', () => {
    expect(explainReason('in-cluster', undefined, [own])).toBe('belongs to a dense cluster');
    expect(explainReason('bare', { size: 3 }, [own])).toBe('without a sentence');
  });

  it("looks in the stages' reasons in order before those of the seal", () => {
    const kept: Reasons = { kept: { meaning: 'nothing was found' } };
    expect(explainReason('kept', undefined, [own, kept])).toBe('nothing was found');
    expect(explainReason('kept', undefined, [own])).toBe(SEAL_REASONS.kept.meaning);
  });

  it('makes ids that an attacker chose fit for print', () => {
    expect(explainReason('duplicate', { sameAs: '\u001b[2J\n\u202e' }, [])).toBe('has the same text as ?[2J ?');
    expect(explainReason('duplicate', { sameAs: 'x'.repeat(1e6) }, [])).toHaveLength(500);
    expect(explainReason('\u001b[2J', undefined, [])).toBe('?[2J');
  });

  it.each(['nobody-declared-this', '__proto__', 'constructor', 'toString'])('gives an unknown code %s as it is', (code) => {
    expect(explainReason(code, { x: 1 }, [own])).toBe(code);
  });
});

describe('SEAL_REASONS', () => {
  it('has kebab-case codes, each with a meaning', () => {
    expect(Object.keys(SEAL_REASONS)).toEqual(['kept', 'duplicate', 'empty-text', 'too-long', 'unscorable', 'beyond-keep', 'refused']);
    for (const { meaning } of Object.values(SEAL_REASONS)) expect(meaning).toMatch(/^[a-z].*[^.]$/);
  });
});
