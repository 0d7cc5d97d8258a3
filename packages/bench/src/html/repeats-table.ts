import type { BenchResult, ResultCell } from '../types.ts';
import { html, type Markup } from './markup.ts';
import { count, DASH, percent } from './numbers.ts';
import { columnOf, isAttacked, metricOf, sweepInWords } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

/** Rows of the table; the table of all metrics has every deviation. */
const MOST_ROWS = 200;

/** A longer table unfolds. */
const MOST_OPEN = 20;

const METRICS = [
  ['poisonInContext', 'Breached'],
  ['successRate', 'Gold in the context'],
  ['cleanSuccessRate', 'Gold found, no attack'],
] as const;

/** Mean and standard deviation over seeds. */
export function repeatsTable(result: BenchResult): Markup {
  const repeated = result.cells.map((cell, index) => ({ cell, index })).filter(({ cell }) => cell.seeds.length > 1);
  const rows = repeated
    .slice(0, MOST_ROWS)
    .map(
      ({ cell, index }) =>
        html`<tr><th scope="row"><a href="#cell-${index}"><bdi>${cell.defense}</bdi></a>${cell.encoder === null ? '' : ` · ${cell.encoder}`}<small>${cell.dataset}, ${isAttacked(cell) ? columnOf(cell) : 'no attack'}${cell.sweep === null ? '' : `, ${sweepInWords(cell)}`}</small></th><td>${cell.seeds.length}</td>${METRICS.map(([name]) => value(cell, name))}</tr>`,
    );
  const more =
    repeated.length > rows.length
      ? html`<p class="quiet">Showing ${rows.length} of ${repeated.length} cells; the table of all metrics has the rest.</p>`
      : '';
  const table = scrolling(
    'Repeats',
    html`<table><caption>Mean over seeds ± standard deviation between seeds</caption><thead><tr><th scope="col">Cell</th><th scope="col">Seeds</th>${METRICS.map(([, title]) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`,
  );
  const content = html`${table}${more}`;
  return rows.length <= MOST_OPEN
    ? content
    : html`<details><summary>${count(repeated.length, 'cell')} with several seeds</summary>${content}</details>`;
}

function value(cell: ResultCell, name: string): Markup {
  const metric = metricOf(cell, name);
  if (!metric) return html`<td>${DASH}</td>`;
  return html`<td>${percent(metric.value)}${metric.deviation == null ? '' : ` ± ${percent(metric.deviation)}`}<small>n\u00a0=\u00a0${metric.n}</small></td>`;
}
