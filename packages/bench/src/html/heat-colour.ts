/** How many steps the colours of the heat map have: 0 for 0 to 5 %, 10 for 95 to 100 %. */
export const HEAT_STEPS = 11;

type Rgb = readonly [red: number, green: number, blue: number];

/**
 * Stops of the scale from nothing breached to everything. Lightness runs one way along each, so that it reads without colour, in print and with
 * any colour vision: in light mode more is darker, in dark mode more is brighter.
 */
const STOPS: Readonly<Record<'light' | 'dark', readonly Rgb[]>> = {
  light: [
    [246, 246, 240],
    [250, 207, 140],
    [214, 96, 40],
    [96, 16, 44],
  ],
  dark: [
    [34, 38, 46],
    [96, 50, 70],
    [196, 92, 56],
    [252, 214, 130],
  ],
};

const hex = (colour: Rgb): string => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** WCAG's relative luminance, 0 to 1. */
export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => (part <= 10.31475 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function colourAt(share: number, scheme: 'light' | 'dark'): Rgb {
  const stops = STOPS[scheme];
  const place = share * (stops.length - 1);
  const before = Math.min(Math.floor(place), stops.length - 2);
  const [from, to] = [stops[before]!, stops[before + 1]!];
  return from.map((part, index) => part + (to[index]! - part) * (place - before)) as unknown as Rgb;
}

/** Background and ink of one step, of which the ink is black or white, whichever stands out more. */
export function heatColour(
  step: number,
  scheme: 'light' | 'dark',
): { readonly background: string; readonly ink: string; readonly luminance: number } {
  const colour = colourAt(step / (HEAT_STEPS - 1), scheme);
  const bright = luminance(colour);
  // Contrast with black beats contrast with white above this luminance: (L + 0.05)² = 0.05 · 1.05.
  return { background: hex(colour), ink: bright > 0.1791 ? '#000000' : '#ffffff', luminance: bright };
}

/** The step of a share. */
export const heatStep = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * (HEAT_STEPS - 1));

/** The rules `.h0` to `.h10` for one scheme. */
export const heatRules = (scheme: 'light' | 'dark'): string =>
  Array.from({ length: HEAT_STEPS }, (_, step) => {
    const { background, ink } = heatColour(step, scheme);
    return `.h${step}{background:${background};color:${ink}}`;
  }).join('');
