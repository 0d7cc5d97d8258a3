import type { TextEdit } from './text-edits.ts';

// Pairs of a letter and the Latin letter it is drawn like, from Unicode's confusables.txt (UTS 39), single letters only; there I and l
// stand for each other.
const CYRILLIC = pairs('аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwѵvүyӏiАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSԌGԜWѴVҮYӀIЬb');
const GREEK = pairs('αaοoρpνvιiυuγyσoΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX');
const ARMENIAN = pairs('օoսuհhցgզqոnՕOՍU');

function pairs(flat: string): Map<string, string> {
  return new Map(Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index]!, flat[2 * index + 1]!]));
}

/** Letters of other scripts, each with the Latin letter it is drawn like. */
export const LATIN_LOOKALIKES: ReadonlyMap<string, string> = new Map([...CYRILLIC, ...GREEK, ...ARMENIAN]);

// Only letters of today's Russian, Ukrainian, Serbian and Greek, so that no Latin W becomes the rare Cyrillic one.
const reverse = (map: ReadonlyMap<string, string>): Map<string, string> =>
  new Map([...map].flatMap(([from, to]): [string, string][] => (from <= '\u045f' ? [[to, from]] : [])).reverse());
const FROM_LATIN = { Cyrillic: reverse(CYRILLIC), Greek: reverse(GREEK) };

const OTHER = /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]/u;
const WORD = /[\p{L}\p{M}]+/gu;
const LATIN = /\p{sc=Latn}/u;
const IS_CYRILLIC = /\p{sc=Cyrl}/u;
const IS_GREEK = /\p{sc=Grek}/u;
const IS_GREEK_SMALL = /[α-νπ-ω]/;
const IS_LATIN_SMALL = /[a-z]/;

/**
 * The edits that put the letters of one script where a word mixes look-alikes of another into it ("pаypal" with a Cyrillic a). The script
 * with most letters wins, Latin when equal. A word is left alone unless each of its strange letters is a look-alike, so Russian, Greek and
 * brand names with endings stay, and unless each small Greek letter but omicron stands between small Latin ones, so "TNFα" stays. Linear.
 */
export function confusableEdits(text: string): TextEdit[] {
  if (!OTHER.test(text)) return [];
  const edits: TextEdit[] = [];
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    if (!OTHER.test(word) || !LATIN.test(word)) continue;
    const fold = foldOf(word);
    const found: TextEdit[] = [];
    let strange = 0;
    let at = start;
    for (const letter of word) {
      const replacement = fold.map.get(letter);
      if (fold.isStrange.test(letter)) {
        strange++;
        if (replacement && !(fold.map === LATIN_LOOKALIKES && isSymbol(word, at - start))) {
          found.push({ start: at, end: at + letter.length, kind: 'confusable', replacement });
        }
      }
      at += letter.length;
    }
    if (found.length === strange) edits.push(...found);
  }
  return edits;
}

function foldOf(word: string): { readonly map: ReadonlyMap<string, string>; readonly isStrange: RegExp } {
  let latin = 0;
  let cyrillic = 0;
  let greek = 0;
  for (const letter of word) {
    if (LATIN.test(letter)) latin++;
    else if (IS_CYRILLIC.test(letter)) cyrillic++;
    else if (IS_GREEK.test(letter)) greek++;
  }
  if (cyrillic > latin && cyrillic > greek) return { map: FROM_LATIN.Cyrillic, isStrange: LATIN };
  if (greek > latin && greek > cyrillic) return { map: FROM_LATIN.Greek, isStrange: LATIN };
  return { map: LATIN_LOOKALIKES, isStrange: OTHER };
}

/** A small Greek letter that is likely to be meant as one, as in "IFNγ" or "αβ". */
function isSymbol(word: string, at: number): boolean {
  return IS_GREEK_SMALL.test(word[at]!) && !(IS_LATIN_SMALL.test(word[at - 1] ?? '') && IS_LATIN_SMALL.test(word[at + 1] ?? ''));
}
