import type { PoisonedText, TextSpan } from './types.ts';

type Role = keyof PoisonedText['spans'];

/** A piece of a poisoned text and what it is there for; a piece may serve several ends, or none. */
export type TextPart = readonly [text: string, ...roles: Role[]];

/** Puts a poisoned text together and marks what is what. Neighbouring pieces of one role are one span; an empty piece leaves none. */
export function composeText(parts: readonly TextPart[], title?: string): PoisonedText {
  const spans: Record<Role, TextSpan[]> = { retrieval: [], payload: [], trigger: [] };
  let text = '';
  for (const [piece, ...roles] of parts) {
    const start = text.length;
    text += piece;
    if (piece === '') continue;
    for (const role of roles) {
      const before = spans[role].at(-1);
      if (before?.end === start) spans[role][spans[role].length - 1] = { start: before.start, end: text.length };
      else spans[role].push({ start, end: text.length });
    }
  }
  return { ...(title === undefined ? {} : { title }), text, spans };
}
