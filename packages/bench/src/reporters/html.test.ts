import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import type { BenchResult } from '../types.ts';
import { html } from './html.ts';

const pageOf = (result: BenchResult): string => [...html.render(result, { columns: 100, colour: false })].join('');
const whole = pageOf(sampleResult({ sweep: true, diagnose: true, repeats: true }));

describe('the page', () => {
  it('runs nothing and loads nothing', () => {
    expect(whole).not.toMatch(/<(script|link|img|iframe|object|embed|base|form|use|image)\b/i);
    expect(whole).not.toMatch(/\b(src|srcset|on\w+|xlink:href)=/i);
    expect(whole).not.toMatch(/url\(|@import|https?:/i);
    expect([...whole.matchAll(/href="([^"]*)"/g)].every(([, target]) => target!.startsWith('#'))).toBe(true);
    expect(whole).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`);
  });

  it('has an anchor for every link, and every id once', () => {
    const ids = [...whole.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of whole.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
    for (const [, labels] of whole.matchAll(/aria-labelledby="([^"]*)"/g)) for (const id of labels!.split(' ')) expect(ids).toContain(id);
  });

  it('has a caption for every table, a scope for every head, and a title for every drawing that is read', () => {
    expect(whole.match(/<table\b/g)!.length).toBe(whole.match(/<caption\b/g)!.length);
    expect(whole).not.toMatch(/<th(?! scope=| ?ead)/);
    for (const [drawing] of whole.matchAll(/<svg\b[^>]*>(<title\b)?/g)) expect(drawing).toMatch(/aria-hidden="true"|role="img".*<title/);
  });

  it('holds every cell in the table of all metrics', () => {
    const { cells } = sampleResult({ sweep: true, diagnose: true, repeats: true });
    expect(whole.match(/<tr id="cell-\d+">/g)).toHaveLength(cells.length);
  });

  it('is the same twice, and changes nothing of the result', () => {
    const result = sampleResult({ sweep: true, diagnose: true });
    const before = JSON.stringify(result);
    expect(pageOf(result)).toBe(pageOf(result));
    expect(JSON.stringify(result)).toBe(before);
  });

  it('prints neither NaN nor undefined, whatever is missing', () => {
    const full = sampleResult({ sweep: true, diagnose: true, repeats: true });
    const bare: BenchResult = {
      ...full,
      cells: full.cells.map((cell) => ({
        ...cell,
        metrics: Object.fromEntries(
          Object.keys(cell.metrics).map((name) => [
            name,
            { value: null, low: null, high: null, n: 0, notAssessed: cell.queries, deviation: null },
          ]),
        ),
      })),
      pools: [],
      passages: [],
      diagnoses: full.diagnoses.map((found) => ({
        ...found,
        combinations: null,
        margins: { from: 0, to: 0, counts: [], mean: null },
        similarities: found.similarities.map((one) => ({
          ...one,
          histogram: { ...one.histogram, counts: one.histogram.counts.map(() => 0), mean: null },
        })),
      })),
    };
    for (const result of [full, bare, sampleResult({ cells: 0 }), sampleResult({ cells: 1 }), sampleResult({ questions: [1, 0] })]) {
      const page = pageOf(result);
      expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
      expect(page.endsWith('</html>\n')).toBe(true);
    }
    expect(pageOf(bare)).not.toMatch(/>0\.0\u00a0%<\/a>/);
    expect(pageOf(sampleResult({ cells: 0 }))).toContain('Nothing was measured.');
  });

  it('stays small: listing is bounded, and says so', () => {
    const base = sampleResult({ questions: [40, 40] });
    const text = 'A long account of a bridge. '.repeat(36).slice(0, 1000);
    const cells = Array.from({ length: 11 }, (_, copy) =>
      base.cells.map((cell) => ({ ...cell, defense: `${cell.defense}, copy ${copy}` })),
    ).flat();
    const result = { ...base, cells, passages: base.passages.map((passage) => ({ ...passage, text })) };
    const page = pageOf(result);
    expect(cells.length).toBeGreaterThan(340);
    expect(page.length).toBeLessThan(8e6);
    expect(page).toMatch(/Showing 60 of \d+ cells/);
    expect(page).toMatch(/showing 1 of \d\d/);
  });

  it('shows a suite with what differs from its paper', () => {
    const base = sampleResult({ cells: 2 });
    const page = pageOf({
      ...base,
      run: { ...base.run, suite: { name: 'paper', title: 'What the paper ran', differs: ['Another <encoder>.'] } },
    });
    expect(page).toContain('<h1>What the paper ran</h1>');
    expect(page).toContain('<li>Another &lt;encoder&gt;.</li>');
  });
});

it('where everything is swept, the swept cells are the result', () => {
  const swept = sampleResult({ sweep: true });
  const page = pageOf({ ...swept, cells: swept.cells.filter(({ sweep }) => sweep !== null) });
  expect(page).toContain('has the lowest worst case');
  expect(page.match(/<table class="heatmap">/g)).toHaveLength(6);
});
