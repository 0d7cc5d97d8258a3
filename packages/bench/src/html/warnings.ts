import type { BenchResult } from '../types.ts';
import { html, type Markup } from './markup.ts';
import { count } from './numbers.ts';
import { columnOf, isAttacked, sweepInWords } from './scenarios.ts';

/** Warnings of one code in the open, and unfolded; the table of all metrics names the codes of every cell. */
const MOST_OPEN = 3;
const MOST_NAMED = 60;

/** What makes numbers doubtful, by code, with the cells it concerns. Up front, because a reader must not find it after the numbers. */
export function warnings(result: BenchResult): Markup {
  const byCode = new Map<string, { readonly message: string; readonly index: number }[]>();
  for (const [index, { warnings }] of result.cells.entries()) {
    for (const { code, message } of warnings) {
      const found = byCode.get(code);
      if (found) found.push({ message, index });
      else byCode.set(code, [{ message, index }]);
    }
  }
  if (result.cells.length === 0) return html``;
  if (byCode.size === 0) return html`<p class="calm">No warnings: none of the self-checks found anything.</p>`;
  const items = [...byCode].map(([code, found]) => {
    const named = found
      .slice(0, MOST_NAMED)
      .map(({ message, index }) => html`<li><a href="#cell-${index}"><bdi>${nameOf(result, index)}</bdi></a>: <bdi>${message}</bdi></li>`);
    const folded =
      found.length > MOST_OPEN
        ? html`<details><summary>${found.length - MOST_OPEN} more${found.length > MOST_NAMED ? `, of which the first ${MOST_NAMED - MOST_OPEN} are listed` : ''}</summary><ul>${named.slice(MOST_OPEN)}</ul></details>`
        : '';
    return html`<li><b><code>${code}</code></b> in ${count(new Set(found.map(({ index }) => index)).size, 'cell')}<ul>${named.slice(0, MOST_OPEN)}</ul>${folded}</li>`;
  });
  return html`<section class="warnings" aria-label="Warnings"><h2>Warnings</h2><ul>${items}</ul><p class="quiet">What each code means is in <code>docs/methodology.md</code>.</p></section>`;
}

function nameOf(result: BenchResult, index: number): string {
  const cell = result.cells[index]!;
  const swept = cell.sweep === null ? '' : `, ${sweepInWords(cell)}`;
  return `${cell.dataset}, ${cell.defense}, ${isAttacked(cell) ? columnOf(cell) : 'no attack'}${swept}`;
}
