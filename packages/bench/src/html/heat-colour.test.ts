import { describe, expect, it } from 'vitest';
import { HEAT_STEPS, heatColour, heatRules, heatStep, luminance } from './heat-colour.ts';

const steps = Array.from({ length: HEAT_STEPS }, (_, step) => step);

describe.each(['light', 'dark'] as const)('the %s scale', (scheme) => {
  it('runs one way in luminance, so that it reads without colour', () => {
    const bright = steps.map((step) => heatColour(step, scheme).luminance);
    const sorted = [...bright].sort((a, b) => (scheme === 'light' ? b - a : a - b));
    expect(bright).toEqual(sorted);
    expect(new Set(bright).size).toBe(HEAT_STEPS);
  });

  it('has ink that stands out on every step (WCAG AA)', () => {
    for (const step of steps) {
      const { ink, luminance: background } = heatColour(step, scheme);
      const [light, dark] = [Math.max(background, ink === '#ffffff' ? 1 : 0), Math.min(background, ink === '#ffffff' ? 1 : 0)];
      expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('has a rule for every step', () => {
    expect(heatRules(scheme).match(/\.h\d+\{background:#[0-9a-f]{6};color:#[0-9a-f]{6}\}/g)).toHaveLength(HEAT_STEPS);
  });
});

it('luminance is that of WCAG', () => {
  expect(luminance([0, 0, 0])).toBe(0);
  expect(luminance([255, 255, 255])).toBeCloseTo(1, 12);
  // Worked by hand: 127 / 255 = 0.498; ((0.498 + 0.055) / 1.055) ^ 2.4 = 0.2122.
  expect(luminance([127, 127, 127])).toBeCloseTo(0.2122, 4);
});

it('a share falls on the nearest step, and nothing falls off the scale', () => {
  expect([0, 0.04, 0.05, 0.5, 0.94, 0.96, 1, -1, 2].map(heatStep)).toEqual([0, 0, 1, 5, 9, 10, 10, 0, 10]);
});
