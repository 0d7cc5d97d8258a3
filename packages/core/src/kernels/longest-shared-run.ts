/**
 * How many consecutive words of `phrase` stand as they are, in one piece, somewhere in `words`. 0 when either is empty.
 *
 * One pass: for each word, the runs that end at its places in the phrase grow by one.
 * Cost: O(length of words x times its words stand in the phrase).
 */
export function longestSharedRun(phrase: readonly string[], words: readonly string[]): number {
  const places = new Map<string, number[]>();
  // Last place first, so that growing a run does not overwrite the one it grows from.
  for (let place = phrase.length - 1; place >= 0; place--) {
    const word = phrase[place]!;
    const known = places.get(word);
    if (known) known.push(place);
    else places.set(word, [place]);
  }
  /** Where a run last ended (position in words, from 1) and how long it was, by place in the phrase. */
  const endedAt = new Int32Array(phrase.length);
  const length = new Int32Array(phrase.length);
  let longest = 0;
  for (let position = 1; position <= words.length; position++) {
    for (const place of places.get(words[position - 1]!) ?? []) {
      const before = place > 0 && endedAt[place - 1] === position - 1 ? length[place - 1]! : 0;
      endedAt[place] = position;
      length[place] = before + 1;
      if (before + 1 > longest) longest = before + 1;
    }
  }
  return longest;
}
