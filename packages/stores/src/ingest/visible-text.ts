const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A stranger's text as a reviewer may see it in one line: white space is one space, what cannot be seen or would act on a terminal is written
 * `<U+200B>`, and what is longer than `limit` ends in `...`.
 */
export function visibleText(text: string, limit = 200): string {
  const line = text
    .slice(0, limit + 1)
    .replace(/[ \t\n\r]+/g, ' ')
    .replace(HIDDEN, (character) => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`)
    .trim();
  return line.length > limit || text.length > limit ? `${line.slice(0, limit - 3).replace(/[\ud800-\udbff]$/, '')}...` : line;
}
