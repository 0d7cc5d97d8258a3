import type { BenchResult } from '../types.ts';
import { html, type Markup } from './markup.ts';
import { count } from './numbers.ts';
import { columnOf, isAttacked, sweepInWords } from './scenarios.ts';

/** Cells and messages named for one code; the rest is counted. */
const MOST_NAMED = 12;

/** What makes numbers doubtful, by code, with the cells it concerns. Up front, because a reader must not find it after the numbers. */
export function warnings(result: BenchResult): Markup {
  const byCode = new Map<string, Map<string, number[]>>();
  for (const [index, { warnings }] of result.cells.entries()) {
    for (const { code, message } of warnings) {
      const messages = byCode.get(code) ?? new Map<string, number[]>();
      byCode.set(code, messages);
      const cells = messages.get(message);
      if (cells) cells.push(index);
      else messages.set(message, [index]);
    }
  }
  if (byCode.size === 0) return html`<p class="calm">No warnings: none of the self-checks found anything.</p>`;
  const items = [...byCode].map(([code, messages]) => {
    const total = [...messages.values()].reduce((sum, cells) => sum + cells.length, 0);
    const named = [...messages].slice(0, MOST_NAMED).map(([message, cells]) => {
      const links = cells
        .slice(0, MOST_NAMED)
        .map((index, place) => html`${place === 0 ? '' : ', '}<a href="#cell-${index}"><bdi>${nameOf(result, index)}</bdi></a>`);
      const more = cells.length > MOST_NAMED ? ` and ${cells.length - MOST_NAMED} more` : '';
      return html`<li><bdi>${message}</bdi> <small>${links}${more}</small></li>`;
    });
    const unnamed = messages.size > MOST_NAMED ? html`<li>and ${messages.size - MOST_NAMED} further messages</li>` : '';
    return html`<li><b><code>${code}</code></b> in ${count(total, 'cell')}<ul>${named}${unnamed}</ul></li>`;
  });
  return html`<div class="warnings"><ul>${items}</ul><p class="quiet">What each code means is in <code>docs/methodology.md</code>.</p></div>`;
}

function nameOf(result: BenchResult, index: number): string {
  const cell = result.cells[index]!;
  return `${cell.dataset}, ${cell.defense}, ${isAttacked(cell) ? columnOf(cell) : 'no attack'}${cell.sweep === null ? '' : `, ${sweepInWords(cell)}`}`;
}
