import { LATIN_LOOKALIKES } from './confusables.ts';

/** A text as patterns see it, and where each of its UTF-16 units came from. */
export interface MatchingText {
  readonly text: string;
  /** For each unit of `text`, where its source began in the original. */
  readonly starts: readonly number[];
  /** For each unit of `text`, where its source ended in the original. */
  readonly ends: readonly number[];
}

const SKIPPED = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{M}]/u;
const IS_SPACE = /\s/;
const IS_LINE_END = /[\n\r\u2028\u2029]/;
// Signs that compatibility decomposition leaves apart.
const SAME: ReadonlyMap<string, string> = new Map(
  ["'‘’‚‛′`´", '"“”„‟«»「」『』″', '-‐‑‒–—―', '.。', ',、'].flatMap((signs) =>
    [...signs.slice(1)].map((sign): [string, string] => [sign, signs[0]!]),
  ),
);
const OTHER_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['ı', 'i'],
]);
// U+FDFA stands for a phrase of 18 letters; a text of nothing else must not grow so much.
const MAX_FOLDED = 4;
// Three letters or more, each apart from the next by the same sign, e.g. "i g n o r e".
const SPACED_LETTERS = /(?<![\p{L}\p{N}])\p{L}([ .*_-])\p{L}(?:\1\p{L})+(?![\p{L}\p{N}])/gu;

/**
 * Folds away what an attacker can vary without changing how a text reads: invisible characters, compatibility forms, accents and other marks,
 * look-alikes of Latin letters, case, shapes of quotes and dashes, runs of white space (a line break where there was one, else a space) and
 * letters that are set apart. Linear time.
 */
export function matchingText(original: string): MatchingText {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of original) {
    const end = at + character.length;
    const folded = fold(character);
    for (let i = 0; i < folded.length; i++) {
      units.push(folded[i]!);
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return collapse({ text: units.join(''), starts, ends });
}

function fold(character: string): string {
  if (character >= ' ' && character <= '~') return character.toLowerCase();
  if (IS_SPACE.test(character)) return IS_LINE_END.test(character) ? '\n' : ' ';
  if (SKIPPED.test(character)) return '';
  let folded = '';
  for (const part of character.normalize('NFKD')) {
    if (SKIPPED.test(part)) continue;
    const letter = (LATIN_LOOKALIKES.get(part) ?? SAME.get(part) ?? part).toLowerCase();
    folded += OTHER_LETTERS.get(letter) ?? letter;
  }
  return folded.slice(0, MAX_FOLDED);
}

/** Joins letters that are set apart and makes one unit of each run of white space. */
function collapse({ text, starts, ends }: MatchingText): MatchingText {
  const apart = new Set<number>();
  for (const { 0: run, index } of text.matchAll(SPACED_LETTERS)) {
    let at = index;
    for (const [position, character] of [...run].entries()) {
      if (position % 2 === 1) apart.add(at);
      at += character.length;
    }
  }
  const kept: number[] = [];
  const units: string[] = [];
  for (let i = 0; i < text.length; i++) {
    if (apart.has(i)) continue;
    const unit = text[i]!;
    if (IS_SPACE.test(unit) && i > 0 && IS_SPACE.test(text[i - 1]!)) {
      if (unit === '\n') units[units.length - 1] = unit;
      continue;
    }
    units.push(unit);
    kept.push(i);
  }
  return { text: units.join(''), starts: kept.map((i) => starts[i]!), ends: kept.map((i) => ends[i]!) };
}
