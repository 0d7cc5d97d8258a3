import { defineReporter } from '../define-reporter.ts';
import { printable } from '../layout.ts';
import { type SummaryTable, summaryTables } from '../summary-tables.ts';
import type { BenchResult } from '../types.ts';

/** The tables of the terminal for a page or an issue. */
export const markdown = defineReporter({
  name: 'markdown',
  summary: 'The tables of the terminal as Markdown, for a page or an issue.',
  *render(result: BenchResult) {
    const { title, differs, sections, notes, legend } = summaryTables(result);
    yield `# ${escaped(title)}\n`;
    if (differs.length > 0) yield `\n${differs.map((line) => `- ${escaped(line)}\n`).join('')}`;
    if (sections.length === 0) yield '\nNothing was measured.\n';
    for (const section of sections) {
      yield `\n## ${escaped(section.title)}\n\n${escaped(section.facts)}\n`;
      for (const table of section.tables) yield `\n**${escaped(table.caption)}**\n\n${pipes(table)}`;
      if (section.notAssessed.length > 0) yield `\n${section.notAssessed.map((line) => `- ${escaped(line)}\n`).join('')}`;
    }
    if (notes.length > 0) yield `\n## Warnings\n\n${notes.map((note) => `- ${escaped(note)}\n`).join('')}`;
    yield `\n${legend.map((line) => `${line}\n`).join('\n')}`;
  },
});

function pipes({ head, rows }: SummaryTable): string {
  const line = (row: readonly string[]): string => `| ${row.map(escaped).join(' | ')} |\n`;
  return `${line(head)}|${head.map((_, column) => (column === 0 ? ' --- |' : ' :-- |')).join('')}\n${rows.map(line).join('')}`;
}

/** What Markdown, HTML in it and links are made of: list marks at the start, colons and points where they would make a link of bare text. */
const SYNTAX = /[\\`*_{}[\]<>#|~!^$&@]|:(?=\/)|(?<=mailto|xmpp):|(?<=www)\.|^[-+=]|(?<=^\d{1,9})[.)](?=\s|$)/gi;

/** A stranger's text as one line of plain text: it renders as it is and as nothing else, because a character reference is never taken for syntax. */
const escaped = (text: string): string => printable(text).trim().replace(SYNTAX, reference);

/** Addresses and mentions are looked for in the rendered text, so a mark without width goes behind the at sign. */
const reference = (syntax: string): string => (syntax === '&' ? '&amp;' : syntax === '@' ? '&#64;&#8288;' : `&#${syntax.charCodeAt(0)};`);
