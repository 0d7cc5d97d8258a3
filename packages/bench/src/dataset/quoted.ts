import { printable } from '../layout.ts';

/** Longer, an id says no more and fills the screen. */
const MAX_CHARACTERS = 60;

/** Text of a dataset as a message may repeat it: short, on one line, in quotation marks. */
export const quoted = (text: string): string => `"${printable(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)}"`;
