import { describe, expect, it } from 'vitest';
import phrases from '../../../../tests/fixtures/injection-phrases.json' with { type: 'json' };
import { INJECTION_ACTS, INJECTION_RULES } from './injection-rules.ts';
import { matchingText } from './matching-text.ts';

/** Best of three, in milliseconds. */
function timeOf(run: () => void): number {
  const times = [0, 1, 2].map(() => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return Math.min(...times);
}

/** The words that a pattern is made of, without its operators. */
const literals = (pattern: RegExp): string[] => [
  ...new Set(pattern.source.replace(/\\[a-z]|\[[^\]]*\]|\{[^}]*\}/g, ' ').match(/[\p{L}'<|]+/gu) ?? []),
];

describe('injection rules', () => {
  it('has a table: unique ids, known acts, weights inside (0, 1), five languages', () => {
    expect(INJECTION_RULES.length).toBeGreaterThanOrEqual(30);
    expect(new Set(INJECTION_RULES.map(({ id }) => id)).size).toBe(INJECTION_RULES.length);
    for (const { id, language, act, weight, pattern } of INJECTION_RULES) {
      expect(id).toBe(`${language}-${act}`);
      expect(INJECTION_ACTS[act]).toBeTruthy();
      expect(weight).toBeGreaterThan(0);
      expect(weight).toBeLessThan(1);
      expect(pattern.flags).toBe('m');
      expect(pattern.test('')).toBe(false);
    }
    expect([...new Set(INJECTION_RULES.map(({ language }) => language))].sort()).toEqual(['any', 'de', 'en', 'es', 'fr', 'zh']);
  });

  it('has no quantifier without a bound over a group', () => {
    for (const { id, pattern } of INJECTION_RULES) expect([id, pattern.source.match(/\)[*+]|\)\{\d+,\}/)]).toEqual([id, null]);
  });

  const rulesFor = (phrase: string): string[] => {
    const { text } = matchingText(phrase);
    return INJECTION_RULES.filter(({ pattern }) => pattern.test(text)).map(({ id }) => id);
  };
  const languages = ['en', 'es', 'fr', 'de', 'zh'] as const;

  it.each(languages)('finds every attack sentence in %s by a rule of that language or of any, and by none of another', (language) => {
    for (const phrase of phrases[language]) {
      const found = rulesFor(phrase);
      expect(found, phrase).not.toEqual([]);
      for (const id of found) expect([language, 'any'], `${id}: ${phrase}`).toContain(id.split('-')[0]);
    }
  });

  it('finds nothing in benign sentences', () => {
    for (const phrase of phrases.benign) expect([phrase, rulesFor(phrase)]).toEqual([phrase, []]);
  });

  it('has no rule that no attack sentence needs', () => {
    const used = new Set(languages.flatMap((language) => phrases[language].flatMap(rulesFor)));
    expect(INJECTION_RULES.map(({ id }) => id).filter((id) => !used.has(id))).toEqual([]);
  });

  it.each(INJECTION_RULES.map((rule) => [rule.id, rule] as const))('%s takes linear time on near misses', (_, { pattern }) => {
    const words = literals(pattern);
    expect(words.length).toBeGreaterThan(2);
    const pieces = [
      ...words.map((word) => `${word} `),
      `${words.join(' ')} `,
      words.join(''),
      `${words.slice(0, 8).join(', ')}, `,
      'a',
      'a ',
      '\n',
      "' ",
      'wenn nach ',
      'human: \n',
      `${'a'.repeat(5000)} ignore `,
    ];
    for (const piece of pieces) {
      const miss = (size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
      const [once, twice] = [miss(50_000), miss(100_000)];
      const longer = timeOf(() => pattern.test(twice));
      // Below this nothing can be told from the noise of the clock; a quadratic pattern takes seconds here.
      if (longer > 60) expect([piece, longer / timeOf(() => pattern.test(once)) < 3]).toEqual([piece, true]);
    }
  });
});
