import { describe, expect, it } from 'vitest';
import { passageText } from './passage-text.ts';

describe('passageText', () => {
  const titled = { id: 'p', title: 'Bridge', text: 'It opened in 1937.' };

  it('puts the title on a line of its own before the text, unless told to leave it out', () => {
    expect(passageText(titled)).toBe('Bridge\nIt opened in 1937.');
    expect(passageText(titled, 'title-and-text')).toBe('Bridge\nIt opened in 1937.');
    expect(passageText(titled, 'text')).toBe('It opened in 1937.');
  });

  it('adds no line where there is no title', () => {
    expect(passageText({ id: 'p', text: 'x' })).toBe('x');
    expect(passageText({ id: 'p', title: '', text: 'x' })).toBe('x');
  });

  it('leaves the text itself alone', () => {
    expect(passageText({ id: 'p', title: ' t ', text: ' \u0000\ud800 ' })).toBe(' t \n \u0000\ud800 ');
    expect(passageText({ id: 'p', title: 't', text: '' })).toBe('t\n');
  });
});
