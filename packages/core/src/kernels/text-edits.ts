/** One change of a text: the UTF-16 units from `start` up to `end` of the original give way to `replacement`. */
export interface TextEdit {
  readonly start: number;
  /** Greater than `start`: every edit removes something. */
  readonly end: number;
  readonly kind: string;
  /** Nothing or one UTF-16 unit, so that a place in the new text always has one place in the old. */
  readonly replacement: string;
}

/** The text after the edits, which are in order and do not overlap. O(length). */
export function applyEdits(original: string, edits: readonly TextEdit[]): string {
  let edited = '';
  let from = 0;
  for (const { start, end, replacement } of edits) {
    edited += original.slice(from, start) + replacement;
    from = end;
  }
  return edited + original.slice(from);
}

/**
 * Where the unit at `offset` of the edited text stood in the original; for a replacement, where the replaced piece began. The end of the
 * edited text maps to the end of the original. A span maps as `originalOffset(start)` to `originalOffset(end - 1) + 1`.
 */
export function originalOffset(edits: readonly TextEdit[], offset: number): number {
  let shift = 0;
  for (const { start, end, replacement } of edits) {
    if (offset + shift < start + replacement.length) break;
    shift += end - start - replacement.length;
  }
  return offset + shift;
}

/** The edits of a text that do in one step what `first` and then, on its result, `second` do. Linear in the number of edits. */
export function composeEdits(first: readonly TextEdit[], second: readonly TextEdit[]): TextEdit[] {
  const composed: TextEdit[] = [];
  // What to add to a place in the text between to get its place in the original.
  let shift = 0;
  let next = 0;
  const pass = ({ start, end, replacement }: TextEdit): void => {
    shift += end - start - replacement.length;
    next++;
  };
  for (const edit of second) {
    for (let e = first[next]; e && e.start - shift + e.replacement.length <= edit.start; e = first[next]) {
      composed.push(e);
      pass(e);
    }
    const start = edit.start + shift;
    for (let e = first[next]; e && e.start - shift < edit.end; e = first[next]) pass(e);
    composed.push({ ...edit, start, end: edit.end + shift });
  }
  return composed.concat(first.slice(next));
}
