import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confusableEdits, LATIN_LOOKALIKES } from './confusables.ts';
import { applyEdits } from './text-edits.ts';

// Made by scripts/golden/confusables.py from Unicode's confusables data.
const golden: { latinOf: Record<string, string[]> } = JSON.parse(
  readFileSync(new URL('../../../../tests/golden/confusables.json', import.meta.url), 'utf8'),
);
const fix = (text: string): string => applyEdits(text, confusableEdits(text));

describe('look-alike letters', () => {
  it('has only pairs that Unicode calls confusable', () => {
    expect(LATIN_LOOKALIKES.size).toBeGreaterThan(60);
    for (const [letter, latin] of LATIN_LOOKALIKES) {
      // Unicode puts I and l into one class and calls it l.
      expect([letter, golden.latinOf[letter]]).toEqual([letter, expect.arrayContaining([latin === 'I' ? 'l' : latin])]);
    }
  });

  it('makes words Latin that are mostly Latin, and says where', () => {
    expect(fix('p\u0430yp\u0430l')).toBe('paypal');
    expect(confusableEdits('a p\u0430ypal')).toEqual([{ start: 3, end: 4, kind: 'confusable', replacement: 'a' }]);
    expect(fix('h\u03bfuse')).toBe('house');
    expect(fix('s\u03b1lary')).toBe('salary');
    expect(fix('\u0391pple')).toBe('Apple');
    expect(fix('g\u0585ld')).toBe('gold');
  });

  it('makes words Cyrillic or Greek that are mostly so, and Latin when equal', () => {
    expect(fix('\u041c\u043e\u0441\u043a\u0432a')).toBe('\u041c\u043e\u0441\u043a\u0432\u0430');
    expect(fix('A\u03b8\u03ae\u03bd\u03b1')).toBe('\u0391\u03b8\u03ae\u03bd\u03b1');
    expect(fix('a\u0440')).toBe('ap');
  });

  it.each([
    'Москва и Санкт-Петербург: столица, ос, сор, хор',
    'Αθήνα και Θεσσαλονίκη, ο νους',
    'TNFα and IFNγ, NFκB, α-helix, 5 μm, 5 µm, βHCG',
    'купить iPhoneом, Wиндовс',
    'plain text, été, naïve, Łódź',
    '',
  ])('leaves %j as it is', (text) => {
    expect(confusableEdits(text)).toEqual([]);
  });

  it('changes letters only, one for one, and nothing a second time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'р', 'о', 'и', 'α', 'ο', 'A', 'Α', ' ', 'Օ', '\u0301', '𝐚'), maxLength: 12 }),
        (text) => {
          const fixed = fix(text);
          expect(fixed.length).toBe(text.length);
          expect(confusableEdits(fixed)).toEqual([]);
          for (const { start, replacement } of confusableEdits(text)) expect(replacement).not.toBe(text[start]);
        },
      ),
    );
  });
});
