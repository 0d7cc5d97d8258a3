import { nfkc } from './normalize-text.ts';

// Chinese and Japanese write no spaces, so each of their characters is a token; Korean does.
const TOKEN = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}]]+/gv;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The words of a text in any script: lower-cased runs of letters, numbers and the marks on them; Chinese and Japanese per character.
 * Compatibility forms are folded first (NFKC) and invisible characters removed, so a soft hyphen or a full-width letter does not make
 * another word. Scripts that write no spaces otherwise (Thai, Khmer) give one token per run. Empty for a text without such characters.
 */
export function tokenizeUnicode(text: string): string[] {
  return nfkc(text).replace(INVISIBLE, '').toLowerCase().match(TOKEN) ?? [];
}
