import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bandPath, linear, linePath, px, ticks } from './scale.ts';

describe('linear', () => {
  it('maps ends to ends and the middle to the middle, also upside down', () => {
    const y = linear(0, 1, 300, 100);
    expect([y(0), y(0.5), y(1)]).toEqual([300, 200, 100]);
  });

  it('puts a domain without extent into the middle', () => {
    expect(linear(3, 3, 0, 100)(3)).toBe(50);
  });
});

describe('ticks', () => {
  it.each([
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-0.5, 0.5, 5, [-0.4, -0.2, 0, 0.2, 0.4]],
    [0, 20, 5, [0, 5, 10, 15, 20]],
    [0.2, 0.6, 6, [0.2, 0.3, 0.4, 0.5, 0.6]],
    [1, 10, 6, [2, 4, 6, 8, 10]],
    [0, 0.003, 3, [0, 0.001, 0.002, 0.003]],
    [4, 4, 5, [4]],
  ])('from %d to %d, about %d', (from, to, wanted, expected) => {
    expect(ticks(from, to, wanted)).toEqual(expected);
  });

  it('stay within, ascend, and are not many more than wanted', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (from, extent) => {
        const to = from + extent;
        const found = ticks(from, to, 5);
        expect(found.length).toBeLessThanOrEqual(6);
        expect(found.length).toBeGreaterThanOrEqual(1);
        for (const [index, tick] of found.entries()) {
          expect(tick).toBeGreaterThanOrEqual(from - extent * 1e-6);
          expect(tick).toBeLessThanOrEqual(to + extent * 1e-6);
          if (index > 0) expect(tick).toBeGreaterThan(found[index - 1]!);
        }
      }),
    );
  });
});

describe('paths', () => {
  const points = [
    { x: 0, y: 1 },
    { x: 2.06, y: 3 },
  ];

  it('are rounded to a tenth', () => {
    expect(px(2.06)).toBe(2.1);
    expect(linePath(points)).toBe('M0 1L2.1 3');
    expect(linePath([])).toBe('');
  });

  it('go out along one line and back along the other', () => {
    expect(
      bandPath(points, [
        { x: 0, y: 5 },
        { x: 2, y: 6 },
      ]),
    ).toBe('M0 1L2.1 3L2 6L0 5Z');
    expect(bandPath([], [])).toBe('');
  });
});
