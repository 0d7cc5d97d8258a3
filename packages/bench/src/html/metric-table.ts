import type { ResultCell } from '../types.ts';
import { type Content, html, type Markup } from './markup.ts';
import { DASH, decimal, span, words } from './numbers.ts';
import { columnOf, isAttacked, type Scenario } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

/** Every metric of every cell of a scenario, with intervals and the questions it rests on. A row is where the page's links to a cell lead. */
export function metricTable(scenario: Scenario): Markup {
  const names = [...new Set(scenario.cells.flatMap(({ cell }) => Object.keys(cell.metrics)))];
  const rows = scenario.cells.map(
    ({ cell, index }) =>
      html`<tr id="cell-${index}"><th scope="row"><bdi>${cell.defense}</bdi>${cell.encoder === null ? '' : html` · ${cell.encoder}`}${cell.answerer === null ? '' : html` · ${cell.answerer}`}<small>against ${isAttacked(cell) ? columnOf(cell) : 'no attack'}</small></th><td>${outcomes(cell, index)}</td>${names.map((name) => value(cell, name))}</tr>`,
  );
  return scrolling(
    `All metrics, ${scenario.dataset}`,
    html`<table class="metrics"><caption>All metrics: <b>${scenario.dataset}</b>, ${scenario.settings}. Shares are from 0 to 1; below each number its 95 % interval, the questions it rests on (n), how many it could not be computed for (not), and with several seeds the standard deviation between them (sd).</caption><thead><tr><th scope="col">Cell</th><th scope="col">Outcomes</th>${names.map((name) => html`<th scope="col"><span title="${name}">${words(name)}</span></th>`)}</tr></thead><tbody>${rows}</tbody></table>`,
  );
}

function outcomes(cell: ResultCell, index: number): Content {
  const { breached, resisted, notAssessed } = cell.outcomes;
  const said = isAttacked(cell)
    ? `${breached} breached, ${resisted} resisted, ${notAssessed} not assessed`
    : `${breached + resisted} not attacked, ${notAssessed} not assessed`;
  const why = new Map<string, number>();
  for (const record of cell.records) if (record.why !== null) why.set(record.why, (why.get(record.why) ?? 0) + 1);
  const reasons = why.size === 0 ? '' : html`<small>${[...why].map(([reason, number]) => `${reason} ${number}`).join(', ')}</small>`;
  const warned = cell.warnings.map(({ code, message }) => html`<small class="warned" title="${message}">warning: ${code}</small>`);
  return html`${breached > 0 ? html`<a href="#failed-${index}">${said}</a>` : said}${reasons}${warned}`;
}

function value(cell: ResultCell, name: string): Markup {
  const metric = Object.hasOwn(cell.metrics, name) ? cell.metrics[name]! : null;
  if (!metric) return html`<td>${DASH}</td>`;
  if (metric.value === null) return html`<td>${DASH}<small>${metric.notAssessed} not assessed</small></td>`;
  return html`<td>${decimal(metric.value)}<small>${span(metric, decimal)}</small><small>n\u00a0=\u00a0${metric.n}${metric.notAssessed === 0 ? '' : `, ${metric.notAssessed} not`}</small>${metric.deviation == null ? '' : html`<small>sd ${decimal(metric.deviation)}</small>`}</td>`;
}
