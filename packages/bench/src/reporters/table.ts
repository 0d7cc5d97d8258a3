import { defineReporter } from '../define-reporter.ts';
import { cells, fit, printable, wrap } from '../layout.ts';
import { type SummaryTable, summaryTables } from '../summary-tables.ts';
import type { BenchResult } from '../types.ts';

/** Narrower than this no column has room for a figure. */
const MIN_COLUMNS = 24;
/** A column of figures is not narrower than this, so that heads break into few lines. */
const MIN_FIGURES = 12;
const GAP = 2;

/** The first look at a result, for the terminal: never wider than it. Only here and in Markdown are figures rounded and in percent. */
export const table = defineReporter({
  name: 'table',
  summary: 'Attack success by defense and attack, what each defense costs, and the warnings, in the width of the terminal.',
  *render(result: BenchResult, { columns, colour }) {
    const width = Math.max(MIN_COLUMNS, columns);
    const { title, differs, sections, notes, legend } = summaryTables(result);
    const lines = (text: string, start = ''): string =>
      wrap(printable(text), width - cells(start))
        .map((line, index) => `${index === 0 ? start : ' '.repeat(cells(start))}${line}\n`)
        .join('');
    const heading = (text: string): string => (colour ? lines(text).replace(/.+/g, '\u001b[1m$&\u001b[22m') : lines(text));
    yield lines(title);
    for (const difference of differs) yield lines(difference, '- ');
    if (sections.length === 0) yield `\nNothing was measured.\n`;
    for (const section of sections) {
      yield `\n${heading(section.title)}${lines(section.facts)}`;
      for (const one of section.tables) yield `\n${lines(one.caption)}${grid(one, width)}`;
      if (section.notAssessed.length > 0) yield '\n';
      for (const line of section.notAssessed) yield lines(line);
    }
    if (notes.length > 0) yield `\n${heading('Warnings')}`;
    for (const note of notes) yield lines(note);
    yield `\n${legend.map((line) => lines(line)).join('')}`;
  },
});

/** The rows in bands: as many columns beside each other as fit, the first one again in front of each band. */
function grid({ head, rows }: SummaryTable, width: number): string {
  const all = [head, ...rows].map((row) => row.map(printable));
  const widest = (column: number, from: number): number => Math.max(...all.slice(from).map((row) => cells(row[column]!)));
  const room = width - GAP - MIN_FIGURES;
  const firstWidth = Math.min(widest(0, 0), Math.max(Math.floor(width / 3), 8), room);
  const most = width - firstWidth - GAP;
  const widths = head.map((_, column) => {
    if (column === 0) return firstWidth;
    return Math.min(most, Math.max(widest(column, 1), Math.min(widest(column, 0), MIN_FIGURES)));
  });
  const bands: number[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (let column = 1; column < head.length; column++) {
    if (used + GAP + widths[column]! > width) {
      bands.push([]);
      used = firstWidth;
    }
    bands.at(-1)!.push(column);
    used += GAP + widths[column]!;
  }
  return bands.map((band) => all.map((row) => rowLines(row, [0, ...band], widths)).join('')).join('\n');
}

/** A row in as many lines as its longest cell needs. */
function rowLines(row: readonly string[], columns: readonly number[], widths: readonly number[]): string {
  const parts = columns.map((column) => broken(row[column]!, widths[column]!));
  const height = Math.max(...parts.map(({ length }) => length));
  const line = (index: number): string =>
    parts
      .map((part, place) => fit(part[index] ?? '', widths[columns[place]!]!))
      .join(' '.repeat(GAP))
      .trimEnd();
  return Array.from({ length: height }, (_, index) => `${line(index)}\n`).join('');
}

/** The text in lines of at most so many cells: broken after a space or where a SPEC goes on, else anywhere, and never cut. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of text.split(/(?<=[ ?&=·,-])/)) {
    if (line !== '' && cells(line + piece.trimEnd()) > width) {
      lines.push(line);
      line = '';
    }
    for (const character of piece) {
      if (cells(line + character) > width && character !== ' ') {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line].map((one) => one.trimEnd());
}
