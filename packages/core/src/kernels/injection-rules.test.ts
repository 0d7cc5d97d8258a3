import { describe, expect, it } from 'vitest';
import { INJECTION_ACTS, INJECTION_RULES } from './injection-rules.ts';

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
