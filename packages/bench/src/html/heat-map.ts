import type { ResultCell } from '../types.ts';
import { heatStep } from './heat-colour.ts';
import { type Content, html, type Markup } from './markup.ts';
import { DASH, percent, shareInWords, span } from './numbers.ts';
import { metricOf, type Placed, type Scenario, standingOf } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

const bare = (share: number): string => (100 * share).toFixed(1);

function heatCell(placed: Placed | undefined, strong: boolean, note: Content): Markup {
  const metric = placed ? metricOf(placed.cell, 'poisonInContext') : null;
  if (!placed) return html`<td class="heat none" title="not measured">${DASH}</td>`;
  if (metric?.value == null)
    return html`<td class="heat none" title="not assessed"><a href="#cell-${placed.index}">${DASH}</a><small>none of ${placed.cell.queries} assessed</small></td>`;
  const deviation = metric.deviation == null ? '' : html`<small>± ${bare(metric.deviation)} over seeds</small>`;
  const value = html`<a href="#cell-${placed.index}">${percent(metric.value)}</a>`;
  return html`<td class="heat h${heatStep(metric.value)}" title="${shareInWords(metric)}">${strong ? html`<strong>${value}</strong>` : value}<small>${span(metric, bare)}</small><small>n\u00a0=\u00a0${metric.n}${metric.notAssessed === 0 ? '' : `, ${metric.notAssessed} not assessed`}</small>${deviation}${note}</td>`;
}

/** Passages that went on for a question, over all assessed questions of the cells; null without any. */
export function meanContext(cells: readonly ResultCell[]): number | null {
  let [passages, questions] = [0, 0];
  for (const { records } of cells) {
    for (const { outcome, context } of records) {
      if (outcome === 'not-assessed') continue;
      passages += context.length;
      questions++;
    }
  }
  return questions === 0 ? null : passages / questions;
}

/** How often poison reached the context, by defense and attack: a table first, coloured second. The last column is the worst over the attacks. */
export function heatMap(scenario: Scenario): Markup {
  const { columns, rows } = scenario;
  if (columns.length === 0)
    return html`<p>No attack was run on ${scenario.dataset} with these settings, so there is nothing to breach.</p>`;
  const body = rows.map((row) => {
    const { worst, assessedAgainst } = standingOf(row, columns);
    if (row.attacked.size === 0) return '';
    const length = meanContext([...row.attacked.values()].map(({ cell }) => cell));
    const note = worst
      ? html`<small>${worst.column}</small>${assessedAgainst < columns.length ? html`<small>assessed against ${assessedAgainst} of ${columns.length}</small>` : ''}`
      : '';
    return html`<tr><th scope="row"><bdi>${row.label}</bdi><small>${length === null ? '' : `passes on ${length.toFixed(1)} on average`}</small></th>${columns.map((column) => heatCell(row.attacked.get(column), false, ''))}${worst ? heatCell(worst.placed, true, note) : html`<td class="heat none" title="not assessed">${DASH}</td>`}</tr>`;
  });
  return scrolling(
    `Attack by defense, ${scenario.dataset}`,
    html`<table class="heatmap"><caption>Share of questions with at least one of their own poisoned passages in the context: <b>${scenario.dataset}</b>, ${scenario.settings}. Small print: 95 % interval in percent, and the questions it rests on. A filter passes on all that it does not remove, which may be more than is kept of a ranking and leaves poison more room: the mean number of passages stands under each defense. The worst case has the interval of its own cell, which does not allow for choosing the highest.</caption>
<thead><tr><th scope="col">Defense</th>${columns.map((column) => html`<th scope="col"><bdi>${column}</bdi></th>`)}<th scope="col">Worst case</th></tr></thead>
<tbody>${body}</tbody></table>`,
  );
}

/** What the colours mean, in words and steps. */
export const heatLegend = (): Markup =>
  html`<p class="legend" aria-hidden="true"><span class="heat h0">0 %</span><span class="heat h2">20</span><span class="heat h4">40</span><span class="heat h6">60</span><span class="heat h8">80</span><span class="heat h10">100 %</span> of questions breached; lower is better</p>`;
