import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import type { BenchResult } from '../types.ts';
import { markdown } from './markdown.ts';

const textOf = (result: BenchResult): string => [...markdown.render(result, { columns: 80, colour: true })].join('');

describe('markdown', () => {
  it('writes a table with a row a defense and a column an attack', () => {
    expect(
      textOf(sampleResult({ cells: 10 }))
        .split('\n')
        .slice(0, 14),
    ).toEqual([
      '# Corpus poisoning bench · 10 cells · seed 1 · started 2026-01-02T03:04:05.678Z',
      '',
      '## alpha',
      '',
      '7 questions · pool 6 · keep 3 · placement slot · retriever candidates · encoder static · seed 1',
      '',
      '**Attack success at retrieval, % of questions**',
      '',
      '| defense | poisonedrag ×1 | poisonedrag ×3 |',
      '| --- | :-- | :-- |',
      '| none | 33.3 (10–70) | 100.0 (61–100) |',
      '| grada?weights=bm25 | 16.7 (3–56) | 83.3 (44–97) |',
      '| trustrag-filter | 33.3 (10–70) |  |',
      '| pra-rag | 16.7 (3–56) |  |',
    ]);
  });

  // What each renders to was looked at with cmark-gfm (cmarkgfm 2025.10.22, github_flavored_markdown_to_html): plain text, no element more.
  it.each([
    ['a | b \\| c', 'a &#124; b &#92;&#124; c'],
    ['first\nsecond\r\n\tthird', 'first second third'],
    ['<script>alert(1)</script><!-- x -->', '&#60;script&#62;alert(1)&#60;/script&#62;&#60;&#33;-- x --&#62;'],
    ['[x](javascript:y) ![z](w)', '&#91;x&#93;(javascript:y) &#33;&#91;z&#93;(w)'],
    ['`code` *b* _i_ ~~s~~', '&#96;code&#96; &#42;b&#42; &#95;i&#95; &#126;&#126;s&#126;&#126;'],
    ['http://x www.x mailto:a@b', 'http&#58;//x www&#46;x mailto&#58;a&#64;&#8288;b'],
    ['&lt; &amp;', '&amp;lt; &amp;amp;'],
    ['# h $x$ {y} ^z', '&#35; h &#36;x&#36; &#123;y&#125; &#94;z'],
    ['- item', '&#45; item'],
    ['+ item', '&#43; item'],
    ['1. item', '1&#46; item'],
    ['2) item', '2&#41; item'],
    ['3.5 and a:b - c = d', '3.5 and a:b - c = d'],
    ['red\u001b[31m\u202e\ud800x', 'red &#91;31m x'],
  ])('writes %j as text', (hostile, text) => {
    const result = sampleResult({ cells: 1 });
    const [cell] = result.cells;
    const named: BenchResult = {
      ...result,
      run: { ...result.run, suite: { name: 'own', title: hostile, differs: [hostile] } },
      cells: [{ ...cell!, dataset: hostile, defense: hostile, warnings: [{ code: 'null-attack', message: hostile }] }],
    };
    const lines = textOf(named).split('\n');
    expect(lines[0]).toBe(`# ${text} · 1 cell · seed 1 · started 2026-01-02T03:04:05.678Z`);
    expect(lines).toContain(`- ${text}`);
    expect(lines).toContain(`## ${text}`);
    expect(lines).toContain(`| ${text} | 66.7 (30–90) †1 | – | 50.0 (50–50) | – |`);
    const note = lines.find((line) => line.startsWith('- †1 null-attack: '));
    // Marks of a list need no escape in the middle of a line.
    expect(note).toBe(`- †1 null-attack: ${text.replace(/^&#4[35];/, hostile[0]!).replace(/^(\d)&#4[16];/, hostile.slice(0, 2))}`);
  });

  it('says that nothing was measured', () => {
    expect(textOf(sampleResult({ cells: 0 }))).toContain('\n\nNothing was measured.\n');
  });
});
