import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeText, type TextPart } from './compose-text.ts';

describe('composeText', () => {
  it('puts the pieces together and marks each where it is', () => {
    expect(composeText([['who?', 'retrieval'], ['.'], ['Bob', 'payload', 'trigger']], 'T')).toEqual({
      title: 'T',
      text: 'who?.Bob',
      spans: { retrieval: [{ start: 0, end: 4 }], payload: [{ start: 5, end: 8 }], trigger: [{ start: 5, end: 8 }] },
    });
  });

  it('makes one span of neighbours of one role, and two of those apart', () => {
    const { spans } = composeText([
      ['a', 'payload'],
      ['b', 'payload', 'trigger'],
      ['', 'retrieval'],
      ['c', 'payload'],
      ['d'],
      ['e', 'payload'],
    ]);
    expect(spans).toEqual({
      retrieval: [],
      payload: [
        { start: 0, end: 3 },
        { start: 4, end: 5 },
      ],
      trigger: [{ start: 1, end: 2 }],
    });
  });

  it('of nothing is nothing, without a title', () => {
    expect(composeText([])).toEqual({ text: '', spans: { retrieval: [], payload: [], trigger: [] } });
    expect(composeText([], '')).toHaveProperty('title', '');
  });

  it('marks every character of a role and no other', () => {
    const role = fc.constantFrom('retrieval', 'payload', 'trigger');
    const part = fc.tuple(fc.string({ maxLength: 4 }), fc.uniqueArray(role)).map(([text, roles]): TextPart => [text, ...roles]);
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { text, spans } = composeText(parts);
        for (const name of ['retrieval', 'payload', 'trigger'] as const) {
          const marks = parts.flatMap(([piece, ...roles]) => Array.from({ length: piece.length }, () => roles.includes(name)));
          expect(Array.from({ length: text.length }, (_, at) => spans[name].some(({ start, end }) => start <= at && at < end))).toEqual(
            marks,
          );
        }
      }),
    );
  });
});
