/** Controls and marks of direction that JSON leaves as they are, and the two line ends that only some readers take for such. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A value as JSON on one line, with nothing in it that acts on a terminal; whoever parses it gets the same value, lone surrogates included. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
