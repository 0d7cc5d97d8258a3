import { type Content, html, type Markup } from './markup.ts';
import { px } from './scale.ts';

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Grid lines, tick texts and titles of both axes. */
export const axes = (frame: Frame, x: { ticks: readonly Tick[]; title: string }, y: { ticks: readonly Tick[]; title: string }): Markup =>
  html`<g class="grid">${x.ticks.map(({ at }) => html`<path d="M${px(at)} ${frame.top}V${frame.bottom}"/>`)}${y.ticks.map(({ at }) => html`<path d="M${frame.left} ${px(at)}H${frame.right}"/>`)}</g>${x.ticks.map(({ at, text }) => html`<text class="tick" x="${px(at)}" y="${frame.bottom + 16}" text-anchor="middle">${text}</text>`)}${y.ticks.map(({ at, text }) => html`<text class="tick" x="${frame.left - 6}" y="${px(at + 4)}" text-anchor="end">${text}</text>`)}<text class="title" x="${px((frame.left + frame.right) / 2)}" y="${frame.bottom + 34}" text-anchor="middle">${x.title}</text><text class="title" x="${frame.left}" y="${frame.top - 9}">${y.title}</text>`;

/** A drawing with a title and a description for those who do not see it. */
export const drawing = (id: string, width: number, height: number, title: string, description: string, content: Content): Markup =>
  html`<svg role="img" aria-labelledby="${id}-t ${id}-d" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title id="${id}-t">${title}</title><desc id="${id}-d">${description}</desc>${content}</svg>`;
