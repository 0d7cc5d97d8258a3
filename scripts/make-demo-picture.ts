/** Draws docs/demo.svg, the README's picture, from what `bezoar demo` really prints. Run: npm run build && npx tsx scripts/make-demo-picture.ts */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../packages/cli/bin/bezoar.js', import.meta.url));
const { stdout, status, stderr } = spawnSync(process.execPath, [bin, 'demo'], {
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: '' },
});
if (status !== 0) throw new Error(`bezoar demo ended with ${status}: ${stderr}`);

const COLOURS: Readonly<Record<string, string>> = { '31': '#ff7b72', '32': '#7ee787', '33': '#f2cc60', '36': '#79c0ff' };
const CELL = { width: 8.43, height: 19 };
const MARGIN = 18;

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/ /g, '\u00a0');

/** One line as spans: colour and weight follow the terminal's own codes; each span is put at its column, so that a font cannot shift it. */
function spans(line: string, y: number): string {
  let colour = '#d6dde6';
  let bold = false;
  let column = 0;
  let out = '';
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
    if (code === undefined) {
      const attributes = `x="${(MARGIN + column * CELL.width).toFixed(1)}" y="${y}" fill="${colour}"${bold ? ' font-weight="700"' : ''}`;
      if (part.trim() !== '')
        out += `<text ${attributes} textLength="${([...part].length * CELL.width).toFixed(1)}">${escaped(part)}</text>`;
      column += [...part].length;
    } else if (code === '1') bold = true;
    else if (code === '22') bold = false;
    else colour = COLOURS[code] ?? '#d6dde6';
  }
  return out;
}

const lines = ['\u001b[36m$\u001b[39m npm ci && npm run demo', '', ...stdout.trimEnd().split('\n')];
const width = Math.ceil(100 * CELL.width + 2 * MARGIN);
const height = lines.length * CELL.height + 2 * MARGIN;
const body = lines.map((line, index) => spans(line, MARGIN + 14 + index * CELL.height)).join('\n');
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What bezoar demo prints in a terminal">
<rect width="100%" height="100%" rx="10" fill="#11161d"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${body}
</g>
</svg>
`;
writeFileSync(new URL('../docs/demo.svg', import.meta.url), svg);
