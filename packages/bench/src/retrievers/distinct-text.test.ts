import { expect, it } from 'vitest';
import { distinctText } from './distinct-text.ts';

it('tells texts apart by all but whitespace', () => {
  expect(distinctText(' a \n\t b\u00a0c ')).toBe(distinctText('a b c'));
  expect(distinctText('')).toBe(distinctText(' \n '));
  const different = ['a b', 'ab', 'A b', 'a b.', '\ud800', '\ud801', '\ufffd', 'a\u200bb', '"a b"'];
  expect(new Set(different.map(distinctText)).size).toBe(different.length);
});
