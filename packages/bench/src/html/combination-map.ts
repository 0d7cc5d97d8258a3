import type { Diagnosis } from '../types.ts';
import { drawing } from './axes.ts';
import { html, type Markup } from './markup.ts';
import { count, DASH, decimal, percent } from './numbers.ts';
import { linear, px } from './scale.ts';
import { scrolling } from './scrolling.ts';

const SIZE = 380;
const EDGE = 20;
/** Points drawn; 1,140 combinations of 3 in 20 fit. */
const MOST_POINTS = 2000;

/** PRA-RAG's combinations of one question in a plane: hollow circles without poison, filled triangles with, the selected one ringed. */
export function combinationMap(combinations: NonNullable<Diagnosis['combinations']>, question: string, id: string): Markup {
  const { points, explained, radius, nearestPoisoned } = combinations;
  const shown = points.filter(({ selected }, index) => selected || index < MOST_POINTS);
  const poisoned = points.filter((point) => point.poisoned > 0).length;
  const radians = (value: number | null): string => (value === null ? DASH : `${decimal(value)} rad`);
  const inside = radius === null || nearestPoisoned === null ? '' : nearestPoisoned < radius ? ': inside the ball' : ': outside the ball';
  const words = `Radius of the selected ball ${radians(radius)}; from its centre to the nearest combination with poison ${radians(nearestPoisoned)}${inside}. The plane shows ${percent(explained)} of the variance, so distances in the drawing are not the distances that decide.${shown.length < points.length ? ` Showing ${shown.length} of ${points.length}.` : ''}`;
  if (points.length === 0) return html`<figure><figcaption>No combinations.</figcaption></figure>`;
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  // One scale for both directions: a component that matters less must look so.
  const reach = Math.max(right - left, top - bottom) / 2;
  const x = linear((left + right) / 2 - reach, (left + right) / 2 + reach, EDGE, SIZE - EDGE);
  const y = linear((bottom + top) / 2 - reach, (bottom + top) / 2 + reach, SIZE - EDGE, EDGE);
  const marks = shown.map((point) => {
    const [cx, cy] = [px(x(point.x)), px(y(point.y))];
    const shape =
      point.poisoned > 0
        ? html`<path class="poisoned" d="M${cx} ${px(y(point.y) - 5)}l4.5 8h-9z"/>`
        : html`<circle class="clean" cx="${cx}" cy="${cy}" r="3.5"/>`;
    const ring = point.selected ? html`<circle class="ring" cx="${cx}" cy="${cy}" r="9"/>` : '';
    return html`<g><title>${count(point.poisoned, 'poisoned passage')}${point.selected ? ', selected' : ''}</title>${shape}${ring}</g>`;
  });
  const chart = drawing(
    id,
    SIZE,
    SIZE,
    "PRA-RAG's combinations",
    `${count(points.length, 'combination')}, ${poisoned} with poison.`,
    html`<rect class="frame" x="1" y="1" width="${SIZE - 2}" height="${SIZE - 2}"/>${marks}`,
  );
  return html`<figure><h4>PRA-RAG's combinations of one question</h4>${scrolling("PRA-RAG's combinations", chart)}<figcaption><q><bdi>${question}</bdi></q>: ${count(points.length, 'combination')}, ${poisoned} with poison (filled triangles), the others without (circles), selected ringed. ${words}</figcaption></figure>`;
}
