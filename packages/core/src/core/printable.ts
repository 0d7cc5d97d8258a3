/**
 * Text by a stranger as it may stand in one line for people: white space is one space, characters that steer terminals or the direction of
 * text, or that nobody sees, are `?`, and what is longer than `limit` ends in `...`.
 */
export function printable(text: string, limit: number): string {
  const line = text
    .slice(0, limit + 1)
    .replace(/[\t-\r\u2028\u2029]+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '?');
  return text.length > limit ? `${line.slice(0, limit - 3)}...` : line;
}
