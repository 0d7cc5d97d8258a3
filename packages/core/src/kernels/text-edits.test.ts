import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, composeEdits, originalOffset, type TextEdit } from './text-edits.ts';

const edit = (start: number, end: number, replacement = ''): TextEdit => ({ start, end, kind: 'k', replacement });

/** Edits in order for a text of the given length, from random cut points. */
const editsOf = (length: number) =>
  fc.array(fc.tuple(fc.nat(length), fc.nat(4), fc.constantFrom('', '', 'X')), { maxLength: 8 }).map((pieces) => {
    const edits: TextEdit[] = [];
    for (const [start, size, replacement] of pieces.sort((a, b) => a[0] - b[0])) {
      const end = Math.min(length, start + size);
      if (end > start && start >= (edits.at(-1)?.end ?? 0)) edits.push(edit(start, end, replacement));
    }
    return edits;
  });

/** For each unit of the new text, where it was: written out unit by unit. */
function slowOrigins(original: string, edits: readonly TextEdit[]): { text: string; origins: number[] } {
  let text = '';
  const origins: number[] = [];
  for (let at = 0; at < original.length; at++) {
    const found = edits.find(({ start, end }) => start <= at && at < end);
    const unit = found ? (found.start === at ? found.replacement : '') : original[at]!;
    text += unit;
    if (unit) origins.push(at);
  }
  return { text, origins };
}

describe('text edits', () => {
  it('does what is written', () => {
    expect(applyEdits('abcdef', [])).toBe('abcdef');
    expect(applyEdits('abcdef', [edit(0, 1), edit(2, 4, 'X'), edit(5, 6)])).toBe('bXe');
    expect(applyEdits('', [])).toBe('');
  });

  it('leads back to the original', () => {
    const edits = [edit(0, 1), edit(2, 4, 'X'), edit(5, 6)];
    expect([0, 1, 2, 3].map((offset) => originalOffset(edits, offset))).toEqual([1, 2, 4, 6]);
    expect(originalOffset([], 3)).toBe(3);
  });

  it('agrees with a unit-by-unit twin', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }).chain((text) => fc.tuple(fc.constant(text), editsOf(text.length))),
        ([text, edits]) => {
          const slow = slowOrigins(text, edits);
          expect(applyEdits(text, edits)).toBe(slow.text);
          expect(slow.origins.map((_, offset) => originalOffset(edits, offset))).toEqual(slow.origins);
          expect(originalOffset(edits, slow.text.length)).toBe(text.length);
        },
      ),
    );
  });

  it('composes two rounds into one', () => {
    expect(composeEdits([edit(1, 2)], [edit(0, 2)])).toEqual([edit(0, 3)]);
    expect(composeEdits([edit(1, 2)], [edit(0, 1)])).toEqual([edit(0, 1), edit(1, 2)]);
    expect(composeEdits([edit(1, 3, 'X')], [edit(1, 2, 'Y')])).toEqual([edit(1, 3, 'Y')]);
    expect(composeEdits([], [edit(1, 2)])).toEqual([edit(1, 2)]);
    expect(composeEdits([edit(1, 2)], [])).toEqual([edit(1, 2)]);
    fc.assert(
      fc.property(
        fc
          .string({ maxLength: 20 })
          .chain((text) => fc.tuple(fc.constant(text), editsOf(text.length)))
          .chain(([text, first]) => fc.tuple(fc.constant(text), fc.constant(first), editsOf(applyEdits(text, first).length))),
        ([text, first, second]) => {
          const composed = composeEdits(first, second);
          expect(applyEdits(text, composed)).toBe(applyEdits(applyEdits(text, first), second));
          for (const [index, { start, end }] of composed.entries()) {
            expect(start).toBeGreaterThanOrEqual(composed[index - 1]?.end ?? 0);
            expect(end).toBeGreaterThan(start);
          }
          const edited = applyEdits(text, composed);
          for (let offset = 0; offset < edited.length; offset++) {
            expect(originalOffset(composed, offset)).toBe(originalOffset(first, originalOffset(second, offset)));
          }
        },
      ),
    );
  });
});
