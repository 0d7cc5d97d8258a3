import { expect, it } from 'vitest';
import { count, decimal, percent, shareInWords, span, words } from './numbers.ts';

it('null is a dash, never a zero', () => {
  expect([percent(null), decimal(null)]).toEqual(['–', '–']);
  expect([percent(0), decimal(0)]).toEqual(['0.0\u00a0%', '0']);
  expect(span({ value: null, low: null, high: null, n: 0, notAssessed: 4 }, percent)).toBe('–');
  expect(shareInWords({ value: null, low: null, high: null, n: 0, notAssessed: 4 })).toBe('not assessed (4 questions)');
});

it('rounds here and nowhere else', () => {
  expect([percent(0.12345), percent(1)]).toEqual(['12.3\u00a0%', '100.0\u00a0%']);
  expect([decimal(0.12345), decimal(-3.1234), decimal(12.345), decimal(7)]).toEqual(['0.123', '-3.123', '12.3', '7']);
});

it('says everything about a share', () => {
  const metric = { value: 0.5, low: 0.25, high: 0.75, n: 8, notAssessed: 2, deviation: 0.1 };
  expect(shareInWords(metric).replaceAll('\u00a0', ' ')).toBe(
    '50.0 %, 95 % interval 25.0 % to 75.0 %, n = 8, 2 not assessed, standard deviation over seeds 10.0 %',
  );
  expect(shareInWords({ ...metric, notAssessed: 0, deviation: null })).not.toMatch(/not assessed|deviation/);
});

it('counts in words', () => {
  expect([count(1, 'cell'), count(0, 'cell'), count(1234, 'cell')]).toEqual(['1 cell', '0 cells', '1,234 cells']);
  expect(words('latencyMsP95')).toBe('latency ms p95');
});
