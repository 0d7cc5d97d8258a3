export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  /** Widths of what may be written, the best first; the last is tried everywhere before it is given up. */
  readonly widths: readonly number[];
}

export interface PlacedLabel {
  /** Which of the point's widths it is. */
  readonly choice: number;
  readonly box: Box;
}

const overlaps = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Places around a point, as the shift of the label's centre in label halves plus gaps: the corners first, because intervals run to the sides. */
const SIDES = [
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
] as const;

/** How far from the point's centre a label begins, near first; all clear the marker, which has a radius of 5. */
const GAPS = [6, 16, 32];

/** Greedy, in the order of the points: each label takes the first place that covers no marker and no label and lies in the frame; null where there is none. */
export function placeLabels(points: readonly LabelledPoint[], height: number, frame: Box): (PlacedLabel | null)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 5, top: y - 5, right: x + 5, bottom: y + 5 }));
  return points.map((point) => {
    for (const [choice, width] of point.widths.entries()) {
      for (const gap of GAPS) {
        for (const [right, down] of SIDES) {
          const x = point.x + right * (gap + width / 2);
          const y = point.y + down * (gap + height / 2);
          const box = { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
          if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom) continue;
          if (taken.some((other) => overlaps(box, other))) continue;
          taken.push(box);
          return { choice, box };
        }
      }
    }
    return null;
  });
}
