import type { BenchResult, ResultCell } from '../types.ts';
import { drawing } from './axes.ts';
import { html, type Markup } from './markup.ts';
import { count } from './numbers.ts';
import { px } from './scale.ts';

/** Ranks drawn one by one; what lies beyond is drawn as one. */
const MOST_RANKS = 20;
const STEP = 22;
const LEFT = 58;
const TOP = 40;

/** How many passages went from which rank of the pool (first index, from 0) to which place of the context (second); the last column is out. */
export interface Movement {
  readonly poisoned: readonly (readonly number[])[];
  readonly gold: readonly (readonly number[])[];
  /** Whether the last rank, or the last place before out, stands for all beyond. */
  readonly ranksCut: boolean;
  readonly placesCut: boolean;
  /** Assessed questions, once a seed. */
  readonly questions: number;
  readonly seeds: number;
}

/** Movements of the question's own poisons and of gold passages, over all assessed questions (and seeds) of a cell. */
export function movementOf(result: BenchResult, cell: ResultCell): Movement {
  const assessed = cell.records.flatMap((record) => {
    const pool = record.pool === null ? undefined : result.pools[record.pool];
    return pool ? [{ record, pool }] : [];
  });
  let [longestPool, longestContext] = [0, 0];
  for (const { record, pool } of assessed) {
    longestPool = Math.max(longestPool, pool.passages.length);
    longestContext = Math.max(longestContext, record.context.length);
  }
  const ranks = Math.min(longestPool, MOST_RANKS);
  const places = Math.min(longestContext, MOST_RANKS);
  const empty = () => Array.from({ length: ranks }, () => new Array<number>(places + 1).fill(0));
  const [poisoned, gold] = [empty(), empty()];
  for (const { record, pool } of assessed) {
    const placeOf = new Map(record.context.map((rank, place) => [rank, place]));
    for (const [index, { label, grade }] of pool.passages.entries()) {
      const counts = label === 'poisoned' ? poisoned : label === 'clean' && grade > 0 ? gold : null;
      if (!counts) continue;
      const place = placeOf.get(index + 1);
      counts[Math.min(index, ranks - 1)]![place === undefined ? places : Math.min(place, places - 1)]!++;
    }
  }
  return {
    poisoned,
    gold,
    ranksCut: longestPool > ranks,
    placesCut: longestContext > places,
    questions: assessed.length,
    seeds: cell.seeds.length,
  };
}

/** Where poisoned and gold passages stood in the pool and where they ended, counts as area. */
export function rankMovement(result: BenchResult, cell: ResultCell, id: string): Markup {
  const movement = movementOf(result, cell);
  return html`<div class="panels">${panel(movement, 'poisoned', `${id}-p`)}${panel(movement, 'gold', `${id}-g`)}</div>`;
}

function panel(movement: Movement, kind: 'poisoned' | 'gold', id: string): Markup {
  const counts = movement[kind];
  const places = (counts[0]?.length ?? 1) - 1;
  const total = counts.flat().reduce((sum, number) => sum + number, 0);
  const out = counts.reduce((sum, row) => sum + row[places]!, 0);
  const pools = `the pools of ${count(movement.questions, 'assessed question')}${movement.seeds > 1 ? ` (${movement.seeds} seeds together)` : ''}`;
  const said = `${count(total, `${kind} passage`)} in ${pools}: ${total - out} passed on, ${out} not.`;
  if (total === 0) return html`<figure><figcaption><b>${kind}</b>: none in ${pools}.</figcaption></figure>`;
  const most = Math.max(...counts.flat());
  const x = (rank: number): number => LEFT + (rank + 0.5) * STEP;
  const y = (place: number): number => TOP + (place + 0.5) * STEP + (place === places ? 8 : 0);
  const width = Math.max(LEFT + counts.length * STEP + 12, 210);
  const height = TOP + (places + 1) * STEP + 18;
  const marks = counts.flatMap((row, rank) =>
    row.flatMap((number, place) => {
      if (number === 0) return [];
      const radius = Math.max(1.5, Math.sqrt(number / most) * (STEP / 2 - 1));
      const where = place === places ? 'not passed on' : `place ${place + 1}`;
      const digits =
        radius > 3.4 * String(number).length + 1 ? html`<text x="${px(x(rank))}" y="${px(y(place) + 3.5)}">${number}</text>` : '';
      return [
        html`<g><title>rank ${rank + 1} to ${where}: ${number}</title><circle cx="${px(x(rank))}" cy="${px(y(place))}" r="${px(radius)}"/>${digits}</g>`,
      ];
    }),
  );
  const unmoved = Math.min(counts.length, places);
  return html`<figure>${drawing(
    id,
    width,
    height,
    `Where ${kind} passages stood and where they ended`,
    said,
    html`<text class="title" x="4" y="12">rank in the pool</text>${counts.map((_, rank) => html`<text class="tick" x="${px(x(rank))}" y="30" text-anchor="middle">${rank + 1}${movement.ranksCut && rank === counts.length - 1 ? '+' : ''}</text>`)}${Array.from({ length: places + 1 }, (_, place) => html`<text class="tick" x="${LEFT - 6}" y="${px(y(place) + 4)}" text-anchor="end">${place === places ? 'out' : `${place === 0 ? 'to ' : ''}${place + 1}${movement.placesCut && place === places - 1 ? '+' : ''}`}</text>`)}<path class="unmoved" d="M${LEFT} ${TOP}L${px(LEFT + unmoved * STEP)} ${px(TOP + unmoved * STEP)}"/><path class="rule" d="M${LEFT} ${TOP + places * STEP + 4}H${LEFT + counts.length * STEP}"/><g class="${kind}">${marks}</g>`,
  )}<figcaption><b>${kind}</b>: ${said}</figcaption></figure>`;
}
