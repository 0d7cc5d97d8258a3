import { wordSpans } from '../kernels/word-spans.ts';
import type { Encoder, TokenSpan } from './ports.ts';

/** Where the tokens that an encoder looks at stand in a text; its words where the encoder does not say. */
export const seenTokens = (encoder: Encoder, text: string): readonly TokenSpan[] => encoder.tokenSpans?.([text])[0] ?? wordSpans(text);

/** All tokens of a text, those beyond the encoder's window too: it is read a window at a time. */
export function allTokens(encoder: Encoder, text: string): TokenSpan[] {
  const tokens: TokenSpan[] = [];
  for (let offset = 0; offset < text.length; ) {
    const seen = seenTokens(encoder, text.slice(offset));
    for (const { start, end } of seen) tokens.push({ start: offset + start, end: offset + end });
    const read = seen.at(-1)?.end ?? 0;
    if (read === 0) break;
    offset += read;
  }
  return tokens;
}
