import type { Passage } from '../types.ts';

/** What of a passage is judged: `title-and-text` is title, line break, text where there is a title; papers that left titles out use `text`. */
export type PassageText = 'title-and-text' | 'text';

/** The text of a passage that defenses, encoders and prompts see. */
export function passageText(passage: Passage, mode: PassageText = 'title-and-text'): string {
  return mode === 'title-and-text' && passage.title ? `${passage.title}\n${passage.text}` : passage.text;
}
