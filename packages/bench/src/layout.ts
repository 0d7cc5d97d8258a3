/** Scripts and pictures that take two cells. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

const cell = (character: string): number => (/\p{M}|\u200d/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Width of a text in terminal cells: wide scripts and emoji take two, combining marks none. */
export function cells(text: string): number {
  let width = 0;
  for (const character of text) width += cell(character);
  return width;
}

/** Text as it may stand on a terminal: one line, no controls, no direction marks; attackers write passages. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');

/** The text in exactly so many cells: cut with an ellipsis or filled with spaces. */
export function fit(text: string, width: number): string {
  const whole = cells(text);
  if (whole <= width) return text + ' '.repeat(width - whole);
  let cut = '';
  let used = 0;
  for (const character of text) {
    used += cell(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…${' '.repeat(width - 1 - cells(cut))}`;
}

/** The text in lines of at most so many cells, broken at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (cells(longer) <= width) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = cells(word) > width ? fit(word, width) : word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** The last column of a table is not narrower than this, or it reads as a ribbon. */
const MIN_LAST = 30;

/** Rows under a head, each column as wide as its widest cell; the last column is wrapped to fit the terminal. Without room for it, one block a row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const last = head.length - 1;
  const widths = head.slice(0, last).map((title, column) => Math.max(cells(title), ...rows.map((row) => cells(row[column]!))));
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  if (columns - indent < MIN_LAST) return blocks(head, rows, columns);
  return `${[head, ...rows].map((row) => aligned(row, widths, columns).join('\n')).join('\n')}\n`;
}

/** A row in columns of the given widths, the last wrapped beside them. */
function aligned(row: readonly string[], widths: readonly number[], columns: number): string[] {
  const start = widths.map((width, column) => `${fit(row[column]!, width)}  `).join('');
  const indent = cells(start);
  const lines = wrap(row.at(-1)!, Math.max(1, columns - indent));
  return (lines.length === 0 ? [''] : lines).map((line, index) => `${index === 0 ? start : ' '.repeat(indent)}${line}`.trimEnd());
}

function blocks(head: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const title = Math.max(...head.slice(1).map(cells));
  const block = ([name, ...rest]: readonly string[]): string =>
    [name!, ...rest.flatMap((cell, index) => aligned(['', head[index + 1]!, cell], [0, title], columns))].join('\n');
  return `${rows.map(block).join('\n\n')}\n`;
}
