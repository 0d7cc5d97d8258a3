import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Box, placeLabels } from './place-labels.ts';

const FRAME = { left: 0, top: 0, right: 400, bottom: 300 };
const overlap = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

describe('placeLabels', () => {
  it('puts a lone label above and to the right', () => {
    expect(placeLabels([{ x: 100, y: 100, widths: [50] }], 14, FRAME)).toEqual([
      { choice: 0, box: { left: 106, top: 80, right: 156, bottom: 94 } },
    ]);
  });

  it('turns to the other side at the edge', () => {
    expect(placeLabels([{ x: 390, y: 100, widths: [50] }], 14, FRAME)[0]!.box).toEqual({ left: 334, top: 80, right: 384, bottom: 94 });
  });

  it('falls back to the short form, and gives up where nothing fits', () => {
    expect(placeLabels([{ x: 200, y: 150, widths: [500, 10] }], 14, FRAME)[0]!.choice).toBe(1);
    expect(placeLabels([{ x: 200, y: 150, widths: [500] }], 14, FRAME)).toEqual([null]);
    expect(placeLabels([], 14, FRAME)).toEqual([]);
  });

  it('never covers a marker or a label, nor leaves the frame', () => {
    const point = fc.record({ x: fc.integer({ min: 0, max: 400 }), y: fc.integer({ min: 0, max: 300 }) });
    fc.assert(
      fc.property(fc.array(point, { maxLength: 30 }), (points) => {
        const boxes = placeLabels(
          points.map((one) => ({ ...one, widths: [120, 15] })),
          14,
          FRAME,
        ).flatMap((label) => (label ? [label.box] : []));
        for (const [index, box] of boxes.entries()) {
          expect(box.left >= 0 && box.top >= 0 && box.right <= 400 && box.bottom <= 300).toBe(true);
          for (const other of boxes.slice(index + 1)) expect(overlap(box, other)).toBe(false);
          for (const { x, y } of points) expect(x > box.left && x < box.right && y > box.top && y < box.bottom).toBe(false);
        }
      }),
    );
  });
});
