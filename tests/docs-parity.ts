/** The text under a heading `### \`name\`` up to the next heading of that level or above; null where there is none. */
export function sectionOf(page: string, name: string): string | null {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.trimEnd() === `### \`${name}\``);
  if (start < 0) return null;
  const length = lines.slice(start + 1).findIndex((line) => /^#{1,3} /.test(line));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The docstring that stands right before `export const NAME = MAKER(`, without its stars. */
export function docstringOf(source: string, exported: string, maker: string): string {
  const before = source.split(new RegExp(`export const ${exported} = ${maker}[<(]`))[0]!;
  const start = before.lastIndexOf('/**');
  const end = before.lastIndexOf('*/');
  if (start < 0 || before.slice(end + 2).trim() !== '') return '';
  return before
    .slice(start + 3, end)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}
