/** Text that is HTML already. Only `html` makes it, so that nothing from a result can pass for it. */
export class Markup {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** What may stand in a template: markup goes in as it is, everything else is escaped. */
export type Content = Markup | string | number | readonly Content[];

/** Controls, direction marks, invisible characters, line separators, lone surrogates and noncharacters: what hides, reorders or breaks. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Line feed and tab are frequent enough to have a sign of their own, one that every font has; the rest stands as its code. */
const SIGNS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '⇥' };

const signOf = (character: string): string =>
  SIGNS[character] ?? `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The text with everything in sight: what a reader cannot see, or what would reorder what they see, stands as a sign or its code. */
export const visible = (text: string): string => text.replace(UNSEEN, signOf);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The visible text as it may stand in HTML, between tags and in quoted attributes. */
const escaped = (text: string): string => visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);

function sourceOf(content: Content): string {
  if (content instanceof Markup) return content.source;
  if (typeof content === 'string') return escaped(content);
  if (typeof content === 'number') return String(content);
  return content.map(sourceOf).join('');
}

/** HTML by construction: the template's own words are markup, whatever is put in is escaped unless `html` made it. Attributes are quoted. */
export function html(words: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let source = words[0]!;
  for (const [index, content] of contents.entries()) source += sourceOf(content) + words[index + 1]!;
  return new Markup(source);
}
