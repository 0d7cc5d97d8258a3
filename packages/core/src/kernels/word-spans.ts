/** Chinese and Japanese write no spaces, so each of their characters is a word. Invisible characters belong to the word they stand in. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}]\p{M}*|[[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}]]+/gv;

/** Where the words of a text stand in it (UTF-16, `end` exclusive), in order and apart from each other: for encoders that do not say where their tokens are. */
export function wordSpans(text: string): { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ start: index, end: index + word.length }));
}
