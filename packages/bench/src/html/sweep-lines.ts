import type { MetricValue, ResultCell } from '../types.ts';
import { axes, drawing } from './axes.ts';
import { html, type Markup } from './markup.ts';
import { count, DASH, percent, span } from './numbers.ts';
import { bandPath, linear, linePath, type Point, px, ticks } from './scale.ts';
import { isAttacked, metricOf, type Placed } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

/** Lines that one chart can hold and still be told apart by dash and marker; more go into further charts. */
const MOST_LINES = 6;
const WIDTH = 470;
const HEIGHT = 300;
const FRAME = { left: 48, top: 30, right: 450, bottom: 250 };

export interface SweepPoint {
  readonly value: string;
  readonly placed: Placed;
}

/** Cells of one defense that differ in nothing but the swept option. */
export interface SweepSeries {
  readonly label: string;
  readonly points: readonly SweepPoint[];
}

export interface Sweep {
  readonly option: string;
  readonly dataset: string;
  /** The attack and what else stays the same. */
  readonly fixed: string;
  readonly series: readonly SweepSeries[];
}

/** A SPEC without one option, in which the cells of a sweep may differ. */
const without = (spec: string, option: string, value: string): string => {
  const [name, options] = spec.split('?');
  const rest = (options ?? '').split('&').filter((part) => part !== '' && part !== `${option}=${value}`);
  return rest.length === 0 ? name! : `${name}?${rest.join('&')}`;
};

/** Swept cells by option, dataset and attack, in the order of the result. */
export function sweepsOf(cells: readonly ResultCell[]): Sweep[] {
  const sweeps = new Map<string, { option: string; dataset: string; fixed: string; series: Map<string, SweepPoint[]> }>();
  for (const [index, cell] of cells.entries()) {
    for (const [option, value] of Object.entries(cell.sweep ?? {})) {
      const others = Object.entries(cell.sweep!).filter(([other]) => other !== option);
      const same = ([name, said]: readonly [string, string]): string[] => (name === option ? [] : [said]);
      const attack = isAttacked(cell) ? without(cell.attack, option, value) : 'no attack';
      const fixed = [
        ...(cell.part === null ? [] : [cell.part]),
        attack,
        ...(isAttacked(cell) ? same(['poisons', `poisons ${cell.poisons}`]) : []),
        ...same(['pool', `pool ${cell.pool}`]),
        ...same(['keep', `keep ${cell.keep}`]),
        ...same(['placement', `placement ${cell.placement}`]),
        ...same(['retriever', `retriever ${cell.retriever}`]),
      ].join(' · ');
      const label = [
        without(cell.defense, option, value),
        ...(cell.encoder === null ? [] : same(['encoder', cell.encoder])),
        ...(cell.answerer === null ? [] : [cell.answerer]),
        ...others.map(([name, said]) => `${name} = ${said}`),
      ].join(' · ');
      const key = JSON.stringify([option, cell.dataset, fixed, cell.seeds]);
      const sweep = sweeps.get(key) ?? { option, dataset: cell.dataset, fixed, series: new Map<string, SweepPoint[]>() };
      sweeps.set(key, sweep);
      const points = sweep.series.get(label) ?? [];
      sweep.series.set(label, points);
      points.push({ value, placed: { cell, index } });
    }
  }
  return [...sweeps.values()].map(({ series, ...sweep }) => ({
    ...sweep,
    series: [...series].map(([label, points]) => ({ label, points })),
  }));
}

/** What is drawn of a sweep; the table under it has the clean success too. */
const METRICS = [
  ['poisonInContext', 'questions breached'],
  ['successRate', 'gold in the context'],
] as const;

/** A sweep as lines with interval bands (one chart a metric), and as a table. */
export function sweepCharts(sweep: Sweep, id: string): Markup {
  const parts: Markup[] = [];
  for (const [metric, title] of METRICS)
    for (let first = 0; first < sweep.series.length; first += MOST_LINES)
      parts.push(lines(sweep, sweep.series.slice(first, first + MOST_LINES), metric, title, `${id}-${metric}-${first}`));
  const cell = (metric: MetricValue | null) =>
    metric
      ? html`<td>${percent(metric.value)}<small>${span(metric, percent)}, n\u00a0=\u00a0${metric.n}</small></td>`
      : html`<td>${DASH}</td>`;
  const rows = sweep.series.flatMap(({ label, points }) =>
    points.map(
      ({ value, placed }) =>
        html`<tr><th scope="row"><bdi>${label}</bdi></th><td>${value}</td>${cell(metricOf(placed.cell, 'poisonInContext'))}${cell(metricOf(placed.cell, 'successRate'))}${cell(metricOf(placed.cell, 'cleanSuccessRate'))}</tr>`,
    ),
  );
  return html`<div class="panels">${parts}</div><details><summary>The same as a table</summary>${scrolling(
    `Sweep of ${sweep.option}`,
    html`<table><caption>${sweep.option} on ${sweep.dataset}, ${sweep.fixed}</caption><thead><tr><th scope="col">Defense</th><th scope="col">${sweep.option}</th><th scope="col">Breached</th><th scope="col">Gold in the context</th><th scope="col">Gold found, no attack</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}</details>`;
}

interface Drawn {
  readonly series: SweepSeries;
  readonly points: readonly { readonly x: number; readonly value: string; readonly metric: MetricValue & { readonly value: number } }[];
}

function lines(sweep: Sweep, series: readonly SweepSeries[], name: string, title: string, id: string): Markup {
  const values = [...new Set(series.flatMap(({ points }) => points.map(({ value }) => value)))];
  const numeric = values.every((value) => value.trim() !== '' && Number.isFinite(Number(value)));
  const placeOf = (value: string): number => (numeric ? Number(value) : values.indexOf(value));
  const places = values.map(placeOf);
  const [low, high] = [Math.min(...places), Math.max(...places)];
  // Words stand half a step from the edge, or the first one's text would run over the other axis.
  const x = linear(numeric ? low : low - 0.5, numeric ? high : high + 0.5, FRAME.left, FRAME.right);
  const y = linear(0, 1, FRAME.bottom, FRAME.top);
  const drawn: Drawn[] = series.map((one) => ({
    series: one,
    points: one.points
      .flatMap(({ value, placed }) => {
        const metric = metricOf(placed.cell, name);
        return metric?.value == null ? [] : [{ x: x(placeOf(value)), value, metric: { ...metric, value: metric.value } }];
      })
      .sort((a, b) => a.x - b.x),
  }));
  if (drawn.every(({ points }) => points.length === 0)) return html`<p class="quiet">${title}: not assessed.</p>`;
  const xTicks = numeric
    ? ticks(low, high, 6).map((value) => ({ at: x(value), text: String(value) }))
    : values.map((value) => ({ at: x(placeOf(value)), text: [...value].length > 12 ? `${[...value].slice(0, 11).join('')}…` : value }));
  const bands = drawn.map(({ points }, s) => {
    const upper: Point[] = points.map((point) => ({ x: point.x, y: y(point.metric.high ?? point.metric.value) }));
    const lower: Point[] = points.map((point) => ({ x: point.x, y: y(point.metric.low ?? point.metric.value) }));
    return html`<path class="band s${s}" d="${bandPath(upper, lower)}"/>`;
  });
  const paths = drawn.map(({ series: { label }, points }, s) => {
    const path = linePath(points.map((point) => ({ x: point.x, y: y(point.metric.value) })));
    return html`<g class="line s${s}"><path d="${path}"/>${points.map((point) => html`<g><title>${label}, ${sweep.option} = ${point.value}: ${percent(point.metric.value)}, ${span(point.metric, percent)}, n\u00a0=\u00a0${point.metric.n}</title>${marker(s, point.x, y(point.metric.value))}</g>`)}</g>`;
  });
  const scale = ticks(0, 1, 5).map((value) => ({ at: y(value), text: `${100 * value} %` }));
  const chart = drawing(
    id,
    WIDTH,
    HEIGHT,
    `${title} by ${sweep.option}, ${sweep.dataset}, ${sweep.fixed}`,
    `${count(drawn.length, 'line')} with 95 % interval bands; the table below has all numbers.`,
    html`${axes(FRAME, { ticks: xTicks, title: sweep.option }, { ticks: scale, title })}${bands}${paths}`,
  );
  const key = drawn.map(
    ({ series: { label } }, s) =>
      html`<li><svg aria-hidden="true" width="34" height="12" viewBox="0 0 34 12"><g class="line s${s}"><path d="M1 6H33"/>${marker(s, 17, 6)}</g></svg> <bdi>${label}</bdi></li>`,
  );
  return html`<figure>${scrolling(`${title} by ${sweep.option}, chart`, chart)}<ul class="key">${key}</ul></figure>`;
}

/** A marker of its own for each line, so that colour is not the only difference. */
function marker(line: number, x: number, y: number): Markup {
  const [cx, cy] = [px(x), px(y)];
  const shapes = [
    () => html`<circle cx="${cx}" cy="${cy}" r="3.5"/>`,
    () => html`<path d="M${px(x - 3.5)} ${px(y - 3.5)}h7v7h-7z"/>`,
    () => html`<path d="M${cx} ${px(y - 4.5)}l4.5 8h-9z"/>`,
    () => html`<path d="M${cx} ${px(y - 5)}l5 5-5 5-5-5z"/>`,
    () => html`<path d="M${cx} ${px(y + 4.5)}l4.5-8h-9z"/>`,
    () => html`<path class="cross" d="M${px(x - 4)} ${px(y - 4)}l8 8m0-8l-8 8"/>`,
  ];
  return shapes[line % shapes.length]!();
}
