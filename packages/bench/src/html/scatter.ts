import { axes, drawing } from './axes.ts';
import { html, type Markup } from './markup.ts';
import { DASH, percent, span } from './numbers.ts';
import { placeLabels } from './place-labels.ts';
import { linear, px, ticks } from './scale.ts';
import { type Scenario, type Standing, standingOf } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

const WIDTH = 520;
const HEIGHT = 430;
const FRAME = { left: 52, top: 34, right: 500, bottom: 380 };
/** Mean width of a letter in a wide font (DejaVu Sans) at the labels' 12 pixels, so that boxes err on the wide side. */
const LETTER = 7.4;
const LONGEST_LABEL = 26;

interface Plotted {
  readonly standing: Standing;
  readonly x: number;
  readonly y: number;
}

/** Which points no other beats: at least as high in both and higher in one. Equal points all stay. */
export const paretoFront = (points: readonly { readonly x: number; readonly y: number }[]): boolean[] =>
  points.map((point) => !points.some((other) => other.x >= point.x && other.y >= point.y && (other.x > point.x || other.y > point.y)));

/** Gold found without an attack against questions not breached under the worst attack, with intervals both ways, and the same as a table. */
export function scatter(scenario: Scenario, id: string): Markup {
  const standings = scenario.rows.filter(({ attacked }) => attacked.size > 0).map((row) => standingOf(row, scenario.columns));
  const plotted: Plotted[] = [];
  for (const standing of standings)
    if (standing.clean && standing.worst) plotted.push({ standing, x: standing.clean.value, y: 1 - standing.worst.metric.value });
  const front = paretoFront(plotted);
  const rows = standings.map((standing) => {
    const place = plotted.findIndex((point) => point.standing === standing);
    return html`<tr><td>${place < 0 ? DASH : place + 1}</td><th scope="row"><bdi>${standing.row.label}</bdi></th><td>${standing.clean ? html`${percent(standing.clean.value)} <small>${span(standing.clean, percent)}, n\u00a0=\u00a0${standing.clean.n}</small>` : DASH}</td><td>${standing.worst ? html`${percent(1 - standing.worst.metric.value)} <small>n\u00a0=\u00a0${standing.worst.metric.n}, ${standing.worst.column}</small>` : DASH}</td><td>${place < 0 ? DASH : front[place] ? 'yes' : 'no'}</td></tr>`;
  });
  const missing = standings.length - plotted.length;
  return html`<div class="pair"><figure>${plotted.length === 0 ? html`<p>No defense has both numbers, so there is nothing to draw.</p>` : scrolling('Utility against robustness, chart', chart(plotted, front, id, scenario.dataset))}<figcaption>Top right is best. Bars are 95 % intervals; a ring around a point means that no other defense is better in one and as good in the other. ${missing === 0 ? '' : `${missing} without both numbers not drawn.`}</figcaption></figure>
${scrolling('Utility against robustness, table', html`<table><caption>Utility against robustness: ${scenario.dataset}, ${scenario.settings}</caption><thead><tr><th scope="col">No.</th><th scope="col">Defense</th><th scope="col">Gold found, no attack</th><th scope="col">Not breached, worst attack</th><th scope="col">On the front</th></tr></thead><tbody>${rows}</tbody></table>`)}</div>`;
}

function chart(plotted: readonly Plotted[], front: readonly boolean[], id: string, dataset: string): Markup {
  const x = linear(0, 1, FRAME.left, FRAME.right);
  const y = linear(0, 1, FRAME.bottom, FRAME.top);
  const at = plotted.map((point) => ({ x: x(point.x), y: y(point.y) }));
  const names = plotted.map(({ standing }, index) => {
    const letters = [...standing.row.label];
    return [
      `${index + 1} ${letters.length > LONGEST_LABEL ? `${letters.slice(0, LONGEST_LABEL - 1).join('')}…` : standing.row.label}`,
      `${index + 1}`,
    ];
  });
  const labels = placeLabels(
    at.map((point, index) => ({ ...point, widths: names[index]!.map((name) => [...name].length * LETTER) })),
    14,
    { left: FRAME.left + 2, top: FRAME.top - 6, right: WIDTH - 2, bottom: FRAME.bottom - 2 },
  );
  const bars = plotted.map(({ standing: { clean, worst } }, index) => {
    const { x: cx, y: cy } = at[index]!;
    const across = clean!.low === null || clean!.high === null ? '' : `M${px(x(clean!.low))} ${px(cy)}H${px(x(clean!.high))}`;
    const { low, high } = worst!.metric;
    const along = low === null || high === null ? '' : `M${px(cx)} ${px(y(1 - low))}V${px(y(1 - high))}`;
    return html`<path class="error" d="${across}${along}"/>`;
  });
  const points = plotted.map(({ standing }, index) => {
    const { x: cx, y: cy } = at[index]!;
    const title = `${index + 1} ${standing.row.label}: gold found without attack ${percent(plotted[index]!.x)}, not breached under the worst attack ${percent(plotted[index]!.y)}`;
    return html`<g><title>${title}</title>${front[index] ? html`<circle class="ring" cx="${px(cx)}" cy="${px(cy)}" r="8"/>` : ''}<circle class="point" cx="${px(cx)}" cy="${px(cy)}" r="4"/></g>`;
  });
  const texts = labels.map((label, index) => {
    if (!label) return '';
    const { box, choice } = label;
    const [middle, { x: cx, y: cy }] = [(box.top + box.bottom) / 2, at[index]!];
    const nearX = Math.min(Math.max(cx, box.left), box.right);
    // A leader where the label stands too far off to be seen as the point's.
    const leader =
      Math.hypot(nearX - cx, middle - cy) > 24 ? html`<path class="leader" d="M${px(cx)} ${px(cy)}L${px(nearX)} ${px(middle)}"/>` : '';
    return html`${leader}<text class="label" x="${px(box.left)}" y="${px(middle + 4)}">${names[index]![choice]!}</text>`;
  });
  const scale = ticks(0, 1, 5);
  return drawing(
    id,
    WIDTH,
    HEIGHT,
    `Utility against robustness on ${dataset}`,
    `${plotted.length} defenses; on the front: ${plotted
      .filter((_, index) => front[index])
      .map(({ standing }) => standing.row.label)
      .join(', ')}. The table beside it has all numbers.`,
    html`${axes(
      FRAME,
      { ticks: scale.map((value) => ({ at: x(value), text: `${100 * value} %` })), title: 'gold in the context, no attack' },
      { ticks: scale.map((value) => ({ at: y(value), text: `${100 * value} %` })), title: 'questions not breached, worst attack' },
    )}${bars}${texts}${points}`,
  );
}
