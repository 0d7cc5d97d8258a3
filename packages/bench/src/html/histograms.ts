import type { Histogram } from '../types.ts';
import { axes, drawing } from './axes.ts';
import { html, type Markup } from './markup.ts';
import { count, DASH, decimal } from './numbers.ts';
import { linear, linePath, type Point, px, ticks } from './scale.ts';
import { scrolling } from './scrolling.ts';

const WIDTH = 430;
const HEIGHT = 260;
const FRAME = { left: 48, top: 30, right: 415, bottom: 210 };

export interface NamedHistogram {
  readonly name: string;
  readonly histogram: Histogram;
}

/** The outline of a histogram as shares of its own total, from the floor and back to it. */
export function outline({ from, to, counts }: Histogram): Point[] {
  const total = counts.reduce((sum, number) => sum + number, 0);
  if (total === 0) return [];
  const edge = (bin: number): number => from + (bin / counts.length) * (to - from);
  return [
    { x: from, y: 0 },
    ...counts.flatMap((number, bin) => [
      { x: edge(bin), y: number / total },
      { x: edge(bin + 1), y: number / total },
    ]),
    { x: to, y: 0 },
  ];
}

/** Histograms over one another, each as shares of its own total, because there are many more pairs of one kind than of another. `mark` draws a line at that value. */
export function histograms(named: readonly NamedHistogram[], title: string, unit: string, id: string, mark: number | null): Markup {
  const drawn = named.map(({ name, histogram }) => ({ name, histogram, points: outline(histogram) }));
  const from = Math.min(...drawn.map(({ histogram }) => histogram.from));
  const to = Math.max(...drawn.map(({ histogram }) => histogram.to));
  const highest = Math.max(...drawn.flatMap(({ points }) => points.map(({ y }) => y)), 0);
  const key = drawn.map(({ name, histogram }, s) => {
    const total = histogram.counts.reduce((sum, number) => sum + number, 0);
    return html`<li><svg aria-hidden="true" width="34" height="12" viewBox="0 0 34 12"><g class="line s${s}"><path d="M1 6H33"/></g></svg> ${name}: ${count(total, 'value')}, mean ${histogram.mean === null ? DASH : decimal(histogram.mean)}</li>`;
  });
  if (highest === 0) return html`<figure><figcaption><b>${title}</b>: no values.</figcaption></figure>`;
  const x = linear(from, to, FRAME.left, FRAME.right);
  const y = linear(0, highest, FRAME.bottom, FRAME.top);
  const shapes = drawn.map(({ points }, s) => {
    const path = linePath(points.map((point) => ({ x: x(point.x), y: y(point.y) })));
    return html`<path class="band s${s}" d="${path}"/><g class="line s${s}"><path d="${path}"/></g>`;
  });
  const chart = drawing(
    id,
    WIDTH,
    HEIGHT,
    title,
    drawn.map(({ name, histogram }) => `${name}: mean ${histogram.mean === null ? DASH : decimal(histogram.mean)}`).join('; '),
    html`${axes(
      FRAME,
      { ticks: ticks(from, to, 5).map((value) => ({ at: x(value), text: String(value) })), title: unit },
      { ticks: ticks(0, highest, 4).map((value) => ({ at: y(value), text: `${decimal(100 * value)} %` })), title: 'share of values' },
    )}${shapes}${mark === null || mark < from || mark > to ? '' : html`<path class="mark" d="M${px(x(mark))} ${FRAME.top}V${FRAME.bottom}"/>`}`,
  );
  return html`<figure><h4>${title}</h4>${scrolling(title, chart)}<ul class="key">${key}</ul></figure>`;
}
