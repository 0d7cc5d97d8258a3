import { html, type Markup } from './markup.ts';

/** A wide table or chart that scrolls by itself on a narrow screen, with the keyboard too. */
export const scrolling = (name: string, content: Markup): Markup =>
  html`<div class="scroll" role="region" tabindex="0" aria-label="${name}">${content}</div>`;
