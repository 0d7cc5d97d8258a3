import type { TextEdit } from './text-edits.ts';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** Elements that stand inside a line: taking out their tags leaves no gap. "!" is a comment. */
const INLINE = set(
  '! a abbr b bdi bdo big cite code del em font i ins kbd label mark q s small span strike strong sub sup time tt u var wbr',
);
const OTHERS = set(
  'address article aside audio base blockquote body br button canvas caption center col colgroup dd details dialog div dl dt embed fieldset figcaption figure footer form frame h1 h2 h3 h4 h5 h6 head header hr html iframe img input li link main map math menu meta nav noscript object ol optgroup option p picture pre script section select source style summary svg table tbody td template textarea tfoot th thead title tr track ul video' +
    // Not HTML: the delimiters that prompts use, which a passage must not forge.
    ' assistant context document human instruction instructions prompt system user',
);
const VOID = set('base br col embed frame hr img input link meta source track wbr');
/** Elements whose contents are not text, with their end. */
const RAW: ReadonlyMap<string, RegExp> = new Map(
  ['script', 'style', 'template'].map((name) => [name, new RegExp(`</${name}[\\s/>]`, 'gi')]),
);
const NAME = /<(?:!--|[!?](?=[a-z[])|(\/?)([a-z][a-z0-9]*(?:-[a-z0-9-]*)?)(?=[\s/>]))/iy;
const QUOTED = /"[^"]*"|'[^']*'/g;
const HIDDEN_ATTRIBUTE = /\shidden(?=[\s=/>])/i;
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?![.\d]*[1-9])/i;

interface Tag {
  readonly end: number;
  readonly name: string;
  readonly closes: boolean;
  readonly attributes: string;
}

/**
 * The edits that take HTML out of a text and leave what a browser would show: tags (`markup`), comments (`comment`), the contents of scripts,
 * styles and templates (`script`) and of elements hidden by attribute or inline style (`hidden`). Tags of block elements become a space.
 *
 * Only known element names, names with a hyphen and prompt delimiters count as tags, so "a <b" and `List<String>` stay. What a browser would
 * hide until the end of the page, because nothing closes it, is removed until the end. Linear time.
 */
export function htmlEdits(text: string): TextEdit[] {
  const edits: TextEdit[] = [];
  const read = tagReader(text);
  // What stands before the removed piece in the new text.
  let before = '';
  let at = text.indexOf('<');
  while (at >= 0) {
    const tag = read(at);
    if (!tag) {
      at = text.indexOf('<', at + 1);
      continue;
    }
    const { end, kind } = extent(text, tag, read);
    if (at > (edits.at(-1)?.end ?? 0)) before = text[at - 1]!;
    // A space where a block ends, and where the pieces could otherwise join to a new tag.
    const gap = before === '<' || (!INLINE.has(tag.name) && before.trim() !== '');
    if (gap) before = ' ';
    edits.push({ start: at, end, kind, replacement: gap ? ' ' : '' });
    at = text.indexOf('<', end);
  }
  return edits;
}

type ReadTag = (at: number) => Tag | null;

function tagReader(text: string): ReadTag {
  const lastBracket = text.lastIndexOf('>');
  // Once a quote swallows the rest of the text, quotes are no longer believed, so that the text is not scanned again and again.
  let believeQuotes = true;
  const lastQuote = { '"': text.lastIndexOf('"'), "'": text.lastIndexOf("'") };
  return (at) => {
    NAME.lastIndex = at;
    const match = NAME.exec(text);
    if (!match) return null;
    const from = NAME.lastIndex;
    if (match[0] === '<!--') {
      const close = text.indexOf('-->', at + 2);
      return { end: close < 0 ? text.length : close + 3, name: '!', closes: false, attributes: '' };
    }
    const name = match[2]?.toLowerCase() ?? '?';
    if (from > lastBracket || !(name === '?' || name.includes('-') || INLINE.has(name) || OTHERS.has(name))) return null;
    let end = from;
    let afterEquals = false;
    while (end < text.length && text[end] !== '>') {
      const character = text[end]!;
      if (believeQuotes && afterEquals && (character === '"' || character === "'") && lastQuote[character] > end) {
        end = text.indexOf(character, end + 1);
      }
      afterEquals = character === '=' || (afterEquals && character.trim() === '');
      end++;
    }
    if (end >= text.length) {
      believeQuotes = false;
      end = text.indexOf('>', from);
    }
    return { end: end + 1, name, closes: match[1] === '/', attributes: text.slice(from, end + 1) };
  };
}

/** How far a removed piece reaches from its first tag, and of what kind it is. */
function extent(text: string, tag: Tag, read: ReadTag): { readonly end: number; readonly kind: string } {
  const { name, closes, attributes } = tag;
  if (name === '!') return { end: tag.end, kind: 'comment' };
  const raw = closes ? undefined : RAW.get(name);
  if (raw) {
    raw.lastIndex = tag.end;
    const bracket = raw.test(text) ? text.indexOf('>', raw.lastIndex - 1) : -1;
    return { end: bracket < 0 ? text.length : bracket + 1, kind: 'script' };
  }
  if (closes || VOID.has(name) || !isHidden(attributes)) return { end: tag.end, kind: 'markup' };
  let depth = 1;
  let end = tag.end;
  for (let at = text.indexOf('<', end); at >= 0; at = text.indexOf('<', end)) {
    const inner = read(at);
    end = inner ? inner.end : at + 1;
    if (inner?.name === name) depth += inner.closes ? -1 : 1;
    if (depth === 0) return { end, kind: 'hidden' };
  }
  return { end: text.length, kind: 'hidden' };
}

function isHidden(attributes: string): boolean {
  return HIDDEN_STYLE.test(attributes) || HIDDEN_ATTRIBUTE.test(attributes.replace(QUOTED, ''));
}

const BRACKET = /\\[[\]\\]|[[\]]/g;
const SCRIPT_SCHEME = /^[\s<]*(?:(?:java|vb)script|data):|^[a-z\s]{0,12}&(?:#|tab|newline|colon)/i;
const TITLE = /[ \t]{1,20}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')[ \t]{0,20}\)/y;

/**
 * The edits that reduce Markdown images, and links whose address runs a script or carries data, to their text. Other links stay. Linear.
 */
export function markdownEdits(text: string): TextEdit[] {
  if (!text.includes('](')) return [];
  const edits: TextEdit[] = [];
  const open: number[] = [];
  BRACKET.lastIndex = 0;
  for (let match = BRACKET.exec(text); match; match = BRACKET.exec(text)) {
    const at = match.index;
    if (match[0] === '[') open.push(at);
    if (match[0] !== ']') continue;
    const start = open.pop();
    if (start === undefined || text[at + 1] !== '(') continue;
    const isImage = text[start - 1] === '!';
    if (!isImage && !SCRIPT_SCHEME.test(text.slice(at + 2, at + 60))) continue;
    const end = destinationEnd(text, at + 2);
    edits.push({ start: isImage ? start - 1 : start, end: start + 1, kind: 'link', replacement: '' });
    edits.push({ start: at, end, kind: 'link', replacement: '' });
    BRACKET.lastIndex = end;
  }
  return edits.sort((a, b) => a.start - b.start);
}

/** After the bracket that closes an address and its title, or where the address breaks off at white space. */
function destinationEnd(text: string, from: number): number {
  let depth = 1;
  let start = from;
  while (text[start] === ' ') start++;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (character === '(') depth++;
    if (character === ')' && --depth === 0) return at + 1;
    if (character.trim() === '') {
      TITLE.lastIndex = at;
      return TITLE.test(text) ? TITLE.lastIndex : at;
    }
  }
  return text.length;
}
