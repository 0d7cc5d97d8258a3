interface Span {
  readonly start: number;
  readonly end: number;
}

/** What ends a sentence, with closing quotes and brackets; the next one starts behind it. Full-width marks need no space after them. */
const SENTENCE_END = /[.!?]["')\]\u2019\u201d]{0,4}(?=\s)|[\u3002\uff01\uff1f]/gu;

/**
 * Cuts a text into contiguous fragments of nearly equal numbers of tokens: `fragments` of them, or one a token where there are fewer tokens; none
 * without tokens. Fragment i starts at token floor(i T / N) of T; with `sentences` at the start of the sentence nearest to there, unless there are
 * too few sentences for that: whoever writes no full stop is cut by tokens.
 *
 * @param spans - Where the tokens stand in the text, ascending.
 */
export function splitFragments(text: string, spans: readonly Span[], fragments: number, split: 'tokens' | 'sentences'): string[] {
  const count = Math.min(fragments, spans.length);
  const targets = Array.from({ length: count }, (_, i) => Math.floor((i * spans.length) / count));
  const starts = (split === 'sentences' ? nearestSentences(text, spans, targets) : null) ?? targets;
  return starts.map((start, i) => text.slice(spans[start]!.start, spans[(starts[i + 1] ?? spans.length) - 1]!.end));
}

/** The sentence start nearest to each target, the earlier of two as near; null where two targets have the same. */
function nearestSentences(text: string, spans: readonly Span[], targets: readonly number[]): number[] | null {
  const sentences = [0];
  let token = 0;
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END)) {
    while (token < spans.length && spans[token]!.start < index + mark.length) token++;
    if (token < spans.length && token > sentences.at(-1)!) sentences.push(token);
  }
  let nearest = 0;
  const starts = targets.map((target) => {
    while (nearest + 1 < sentences.length && Math.abs(sentences[nearest + 1]! - target) < Math.abs(sentences[nearest]! - target)) nearest++;
    return sentences[nearest]!;
  });
  return new Set(starts).size === starts.length ? starts : null;
}
