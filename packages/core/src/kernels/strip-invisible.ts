import type { TextEdit } from './text-edits.ts';

export interface InvisibleOptions {
  readonly invisible: boolean;
  readonly bidi: boolean;
  readonly controls: boolean;
}

// A flag of a region, e.g. Scotland's, is the one honest use of tag characters; it comes first so that it is passed over whole.
const SUSPECT = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}|\p{Default_Ignorable_Code_Point}|\p{Cc}|[\ufff9-\ufffb]/gu;
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}/u;
const BEFORE_EMOJI_JOINER = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)/u;
const BEFORE_EMOJI_STYLE = /^(?![#*0-9])\p{Emoji}/u;
// Scripts whose spelling needs joiners: Persian and Urdu, and those that stack or split consonants.
const JOINING =
  /^(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}]/u;
// Scripts that write no spaces and may mark words with U+200B.
const UNSPACED = /^[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
// Glyph variants are registered for ideographs, Myanmar letters and mathematical signs.
const HAS_VARIANTS = /^[\p{sc=Han}\p{sc=Mymr}\p{Sm}]/u;
const MONGOLIAN = /^\p{sc=Mong}/u;
const JAMO = /^[\u1100-\u115e\u1161-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;
const RIGHT_TO_LEFT = /(?=\p{L})[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;

const isMark = (code: number): boolean => code === 0x200e || code === 0x200f || code === 0x61c;
const isBidi = (code: number): boolean => isMark(code) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

/**
 * The edits that take out characters that a reader does not see and a model does: zero-width characters, soft hyphens, fillers, byte order
 * marks and variation selectors (`invisible`), tag characters (`tag-character`), marks of writing direction (`bidi`, `override`), controls other
 * than tab and line ends (`control`; those that separate become a space).
 *
 * Stay: joiners and selectors inside emoji; one joiner after a letter of a script that needs it; U+200B between letters of
 * scripts without spaces; one registered variant selector; lone
 * direction marks and properly closed embeddings and isolates in a text with right-to-left letters. Overrides never stay. Linear time.
 */
export function invisibleEdits(text: string, { invisible, bidi, controls }: InvisibleOptions): TextEdit[] {
  const edits: TextEdit[] = [];
  let rightToLeft: boolean | undefined;
  let paired: ReadonlySet<number> | undefined;
  for (const { 0: match, index } of text.matchAll(SUSPECT)) {
    const code = match.codePointAt(0)!;
    if (code === 0x1f3f4) continue;
    const end = index + match.length;
    let kind = 'invisible';
    let replacement = '';
    if (code < 0xa0) {
      if (!controls || code === 9 || code === 10 || code === 13) continue;
      kind = 'control';
      if (code === 11 || code === 12 || (code >= 28 && code <= 31) || code === 133) replacement = ' ';
    } else if (isBidi(code)) {
      if (!bidi) continue;
      rightToLeft ??= RIGHT_TO_LEFT.test(text);
      if (rightToLeft) {
        paired ??= pairedControls(text);
        if (isMark(code) ? !IGNORABLE.test(text.slice(end, end + 2)) : paired.has(index)) continue;
      }
      kind = code === 0x202d || code === 0x202e ? 'override' : 'bidi';
    } else {
      if (!invisible || stays(code, characterBefore(text, index), text.slice(end, end + 2))) continue;
      if (code >= 0xe0000 && code <= 0xe007f) kind = 'tag-character';
    }
    const last = edits.at(-1);
    if (last && last.end === index && last.kind === kind && last.replacement + replacement === '')
      edits[edits.length - 1] = { ...last, end };
    else edits.push({ start: index, end, kind, replacement });
  }
  return edits;
}

function characterBefore(text: string, index: number): string {
  const pair = text.slice(Math.max(0, index - 2), index);
  return pair.codePointAt(0)! > 0xffff ? pair : pair.slice(-1);
}

/** Whether spelling or drawing needs the ignorable character between what is before and what comes after. */
function stays(code: number, before: string, after: string): boolean {
  if (code === 0x200d && BEFORE_EMOJI_JOINER.test(before) && PICTOGRAPH.test(after)) return true;
  if (code === 0x200c || code === 0x200d) return JOINING.test(before) && !IGNORABLE.test(after);
  if (code === 0x200b) return UNSPACED.test(before) && UNSPACED.test(after);
  if (code === 0xfe0e || code === 0xfe0f) {
    return BEFORE_EMOJI_STYLE.test(before) || (/^[#*0-9]/.test(before) && after.startsWith('\u20e3')) || HAS_VARIANTS.test(before);
  }
  if ((code >= 0xfe00 && code <= 0xfe0d) || (code >= 0xe0100 && code <= 0xe01ef)) return HAS_VARIANTS.test(before);
  if (code >= 0x180b && code <= 0x180f) return MONGOLIAN.test(before);
  return (code === 0x115f || code === 0x1160) && (JAMO.test(before) || JAMO.test(after));
}

/** Places of embeddings and isolates that are closed in order within their line. */
function pairedControls(text: string): Set<number> {
  const paired = new Set<number>();
  let open: { readonly code: number; readonly index: number }[] = [];
  let isolates = 0;
  for (const { 0: character, index } of text.matchAll(/[\u202a-\u202e\u2066-\u2069\n]/g)) {
    const code = character.charCodeAt(0);
    if (code === 10) {
      open = [];
      isolates = 0;
    } else if (code === 0x202c) {
      const top = open.at(-1);
      if (!top || top.code >= 0x2066) continue;
      open.pop();
      if (top.code <= 0x202b) paired.add(top.index).add(index);
    } else if (code === 0x2069) {
      if (isolates === 0) continue;
      let top = open.pop()!;
      while (top.code < 0x2066) top = open.pop()!;
      isolates--;
      paired.add(top.index).add(index);
    } else {
      if (code >= 0x2066) isolates++;
      open.push({ code, index });
    }
  }
  return paired;
}
