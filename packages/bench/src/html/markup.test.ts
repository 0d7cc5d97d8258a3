import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, Markup, visible } from './markup.ts';

/** Back from HTML to text, by the five entities that may occur. */
const unescaped = (source: string): string =>
  source.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!);

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom('<', '>', '&', '"', "'", '`', '\n', '\u0000', '\u202e', '\ud800', '\udc00', '&lt;', ']]>', '-->'),
    fc.string(),
  ),
});

describe('visible', () => {
  it.each([
    ['a\nb\tc', 'a↵b⇥c'],
    ['\u0000\r\u001b[31m\u007f\u0085', '⟨U+0000⟩⟨U+000D⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩'],
    ['\u202egnp\u202c\u2066\u200b\ufeff\u00ad', '⟨U+202E⟩gnp⟨U+202C⟩⟨U+2066⟩⟨U+200B⟩⟨U+FEFF⟩⟨U+00AD⟩'],
    ['\u2028\u2029', '⟨U+2028⟩⟨U+2029⟩'],
    ['\ud800x\udfff', '⟨U+D800⟩x⟨U+DFFF⟩'],
    ['\u{e0041}\u{e0100}\u3164', '⟨U+E0041⟩⟨U+E0100⟩⟨U+3164⟩'],
    ['\ufffe\u{1ffff}', '⟨U+FFFE⟩⟨U+1FFFF⟩'],
    ['Zürich 東京 مرحبا 🏰 e\u0301', 'Zürich 東京 مرحبا 🏰 e\u0301'],
    ['', ''],
  ])('%j becomes %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('leaves nothing that hides, and is well-formed', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = visible(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(visible(shown)).toBe(shown);
      }),
    );
  });
});

describe('html', () => {
  it('escapes text and attributes, and prints numbers', () => {
    expect(html`<a title="${'"><script>'}">${"it's <b> & &lt;"}</a>${1.5}`.source).toBe(
      '<a title="&quot;&gt;&lt;script&gt;">it&#39;s &lt;b&gt; &amp; &amp;lt;</a>1.5',
    );
  });

  it('leaves markup as it is, in lists too, and joins lists without commas', () => {
    expect(html`<ul>${['a&b', 'c'].map((item) => html`<li>${item}</li>`)}</ul>${[]}`.source).toBe('<ul><li>a&amp;b</li><li>c</li></ul>');
  });

  it('does not take an object from a file for markup', () => {
    const forged = JSON.parse('{"source": "<script>"}') as unknown as string;
    expect(forged).not.toBeInstanceOf(Markup);
    expect(() => html`${forged}`).toThrow(TypeError);
  });

  it('gives back the visible text, whatever it is', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const { source } = html`${text}`;
        expect(source).not.toMatch(/[<>"']/);
        expect(unescaped(source)).toBe(visible(text));
      }),
    );
  });
});
