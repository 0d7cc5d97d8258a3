import { createRandom } from '@bezoar/core/kernels/random';
import { describe, expect, it } from 'vitest';
import golden from '../../../../tests/golden/combination-map.json' with { type: 'json' };
import { mapCombinations } from './map-combinations.ts';

const vectorsOf = (rows: readonly (readonly number[])[]): Float32Array[] => rows.map((row) => Float32Array.from(row));

describe('mapCombinations', () => {
  it.each(golden.cases.map((expected, index) => [index, expected] as const))(
    'agrees with the joined vectors themselves in numpy, case %d',
    (_, { vectors, poisoned, selectedIndex, marks, radius, nearestPoisoned, points, explained }) => {
      const map = mapCombinations(vectorsOf(vectors), poisoned, 0)!;
      expect(map.marks).toEqual(marks.map((mark, index) => ({ poisoned: mark, selected: index === selectedIndex })));
      expect(map.radius).toBeCloseTo(radius, 9);
      if (nearestPoisoned === null) expect(map.nearestPoisoned).toBeNull();
      else expect(map.nearestPoisoned).toBeCloseTo(nearestPoisoned, 9);
      const plane = map.plane();
      expect(plane.explained).toBeCloseTo(explained, 9);
      expect(plane.points).toHaveLength(points.length);
      for (const [index, point] of plane.points.entries()) {
        expect(point.x).toBeCloseTo(points[index][0], 6);
        expect(point.y).toBeCloseTo(points[index][1], 6);
        expect({ poisoned: point.poisoned, selected: point.selected }).toEqual(map.marks[index]);
      }
    },
  );

  it('has no map of fewer than three passages', () => {
    expect(mapCombinations([], [], 0)).toBeNull();
    expect(mapCombinations(vectorsOf([[1], [2]]), [true, false], 0)).toBeNull();
  });

  it('is 0 from poison where the selection holds some', () => {
    const map = mapCombinations(
      vectorsOf([
        [1, 0],
        [1, 0],
        [1, 0],
        [0, 1],
      ]),
      [true, true, true, false],
      0,
    )!;
    expect(map.marks.map(({ selected }) => selected)).toEqual([true, false, false, false]);
    expect([map.nearestPoisoned, map.radius]).toEqual([0, 0]);
  });

  it('draws 2,000 combinations where there are more, by its seed', () => {
    const random = createRandom(3);
    const vectors = Array.from({ length: 30 }, () => Float32Array.from({ length: 8 }, () => random.next() - 0.3));
    const poisoned = vectors.map((_, index) => index === 0);
    const map = mapCombinations(vectors, poisoned, 5)!;
    expect(map.marks).toHaveLength(2000);
    expect(map.marks.filter(({ selected }) => selected)).toHaveLength(1);
    expect(mapCombinations(vectors, poisoned, 5)).toMatchObject({ radius: map.radius, marks: map.marks });
    expect(mapCombinations(vectors, poisoned, 6)!.marks).not.toEqual(map.marks);
    expect(map.plane().points).toHaveLength(2000);
  });
});
