import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invisibleEdits } from './strip-invisible.ts';
import { applyEdits } from './text-edits.ts';

const all = { invisible: true, bidi: true, controls: true };
const strip = (text: string, options = all): string => applyEdits(text, invisibleEdits(text, options));
const kinds = (text: string): string[] => invisibleEdits(text, all).map(({ kind }) => kind);
const tags = (text: string): string => String.fromCodePoint(...Array.from(text, (c) => 0xe0000 + c.charCodeAt(0)));

describe('invisible characters', () => {
  it.each([
    ['zero-width space', 'ig\u200bnore', 'ignore', 'invisible'],
    ['zero-width joiner between Latin letters', 'ig\u200dnore', 'ignore', 'invisible'],
    ['zero-width non-joiner between Latin letters', 'ig\u200cnore', 'ignore', 'invisible'],
    ['zero-width space at the end of a Thai word', 'ไทย\u200b ', 'ไทย ', 'invisible'],
    ['soft hyphen', 'ig\u00adnore', 'ignore', 'invisible'],
    ['byte order mark', '\ufeffignore', 'ignore', 'invisible'],
    ['word joiner', 'a\u2060b', 'ab', 'invisible'],
    ['Hangul filler', 'a\u3164b', 'ab', 'invisible'],
    ['Hangul jamo filler outside jamo', 'a\u115fb', 'ab', 'invisible'],
    ['stray variation selector', 'a\ufe0fb', 'ab', 'invisible'],
    ['stray supplementary variation selector', 'a\u{e0101}b', 'ab', 'invisible'],
    ['interlinear annotation', 'a\ufff9b', 'ab', 'invisible'],
    ['message in tag characters', `a${tags('say Bob')}b`, 'ab', 'tag-character'],
    ['message in selectors after an emoji', '😀\ufe0f\ufe01\ufe02\u{e0110}!', '😀\ufe0f!', 'invisible'],
    ['two joiners after an Arabic letter', 'ه\u200d\u200dم', 'هم', 'invisible'],
    ['override', 'a\u202ebc\u202cd', 'abcd', 'bidi,override'],
    ['override among right-to-left letters', 'שלום\u202dabc\u202c', 'שלוםabc', 'bidi,override'],
    ['embedding that nothing closes', 'שלום\u202babc', 'שלוםabc', 'bidi'],
    ['embedding closed on another line', 'שלום\u202babc\n\u202c', 'שלוםabc\n', 'bidi'],
    ['closing that nothing opened', 'שלום\u202c\u2069', 'שלום', 'bidi'],
    ['isolate closed as an embedding', 'שלום\u2067abc\u202c', 'שלוםabc', 'bidi'],
    ['mark without right-to-left letters', 'a\u200eb', 'ab', 'bidi'],
    ['NUL', 'a\0b', 'ab', 'control'],
    ['DEL and C1', 'a\x7f\x9bb', 'ab', 'control'],
    ['form feed', 'a\fb', 'a b', 'control'],
    ['next line', 'a\x85b', 'a b', 'control'],
    ['unit separator', 'a\x1fb', 'a b', 'control'],
  ])('takes out: %s', (_, text, clean, kind) => {
    expect(strip(text)).toBe(clean);
    expect([...new Set(kinds(text))].sort().join()).toBe(kind);
  });

  it.each([
    ['family emoji', '👨\u200d👩\u200d👧'],
    ['emoji with skin tone and joiner', '👩🏽\u200d🚀'],
    ['rainbow flag', '🏳\ufe0f\u200d🌈'],
    ['keycap', '1\ufe0f\u20e3'],
    ['heart', '❤\ufe0f'],
    ['flag of Scotland', `🏴${tags('gbsct')}\u{e007f}`],
    ['Persian', 'می\u200cخواهم'],
    ['Persian with vowel signs', 'مَ\u200cخ'],
    ['Hindi', 'क्\u200dष'],
    ['Malayalam, at the end of a word', 'അവന്\u200d '],
    ['Sinhala', 'ශ්\u200dරී'],
    ['Thai with word marks', 'ภาษา\u200bไทย'],
    ['Mongolian', 'ᠠ\u180eᠡ'],
    ['ideographic variant', '葛\u{e0100}城'],
    ['old Hangul', '\u115f\u1161'],
    ['mark in Hebrew', 'שלום\u200f!'],
    ['closed isolate in Arabic', 'قال \u2066abc\u2069 ثم'],
    ['closed embedding in an isolate', 'قال \u2067\u202aabc\u202c\u2069 ثم'],
    ['two isolates', 'قال \u2066a\u2069\u2066b\u2069'],
    ['tab, line ends', 'a\tb\r\nc\n'],
    ['nothing', ''],
    ['lone surrogates', '\ud83d a \udc00'],
  ])('leaves: %s', (_, text) => {
    expect(invisibleEdits(text, all)).toEqual([]);
  });

  it('says where, one edit a run', () => {
    expect(invisibleEdits(`ab${tags('hi')}c\u200b`, all)).toEqual([
      { start: 2, end: 6, kind: 'tag-character', replacement: '' },
      { start: 7, end: 8, kind: 'invisible', replacement: '' },
    ]);
    expect(invisibleEdits('a\f\fb', all).map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('can be told to leave each group', () => {
    const text = 'a\u200bb\u202ec\0d';
    expect(strip(text, { ...all, invisible: false })).toBe('a\u200bbcd');
    expect(strip(text, { ...all, bidi: false })).toBe('ab\u202ecd');
    expect(strip(text, { ...all, controls: false })).toBe('abc\0d');
  });

  it('leaves text without any of them alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/\p{Default_Ignorable_Code_Point}|\p{Cc}|[\ufff9-\ufffb]/u.test(text));
        expect(invisibleEdits(text, all)).toEqual([]);
      }),
    );
  });

  it('takes linear time on runs of openers and closers', () => {
    const text = `א${'\u2067\u202b'.repeat(50_000)}${'\u202c\u2069'.repeat(50_000)}`;
    expect(strip(text)).toBe(text);
    expect(strip(`א${'\u2067\u202b'.repeat(50_000)}`)).toBe('א');
  });
});
