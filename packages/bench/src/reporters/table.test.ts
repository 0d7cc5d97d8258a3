import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells } from '../layout.ts';
import { HOSTILE_STRINGS, type SampleSettings, sampleResult } from '../testing/sample-result.ts';
import type { BenchResult } from '../types.ts';
import { table } from './table.ts';

const textOf = (result: BenchResult, columns = 100, colour = false): string => [...table.render(result, { columns, colour })].join('');

describe('table', () => {
  it('shows attack success, cost, what was measured, what was not assessed, and warnings', () => {
    const lines = textOf(sampleResult()).split('\n');
    const beta = lines.indexOf('beta');
    expect(lines.slice(beta, beta + 20)).toEqual([
      'beta',
      '5 questions · pool 6 · keep 3 · placement slot · retriever candidates · encoder static · seed 1',
      '',
      'Attack success at retrieval, % of questions',
      'defense             poisonedrag ×1    poisonedrag ×3      query-as-',
      '                                                          poison?',
      '                                                          position=',
      '                                                          prefix ×1',
      'none                 40.0 (12–77) †1  100.0 (57–100) †1    20.0 (4–62)',
      'grada?weights=bm25    0.0 (0–43) †1    40.0 (12–77) †1     20.0 (4–62)',
      'trustrag-filter      25.0 (5–70) †1    50.0 (15–85) †1,2   25.0 (5–70)',
      'pra-rag               0.0 (0–43) †1    80.0 (38–96) †1      0.0 (0–43)',
      '',
      'What it costs and what it catches, %',
      'defense             clean success   success under   false          detection F1',
      '                                    attack          removals',
      'none                100.0 (51–100)   50.0 (15–85)    57.1 (40–77)   38.1 (19–50)',
      'grada?weights=bm25   50.0 (15–85)   100.0 (51–100)   50.0 (50–50)   47.6 (20–70)',
      'trustrag-filter     100.0 (44–100)  100.0 (44–100)    9.1 (0–33)    66.7 (25–100)',
      'pra-rag             100.0 (51–100)   50.0 (15–85)    50.0 (50–50)   57.1 (50–70)',
    ]);
    expect(lines).toContain('1 of 5 not assessed (1 defense-failed), in every cell of trustrag-filter');
    expect(lines).toContain('†2 utility-collapse: success without attack is less than half of what it is without a defense');
  });

  it('puts columns that have no room into bands, and breaks names without losing a character', () => {
    const text = textOf(sampleResult({ cells: 12 }), 40);
    expect(text).toContain(
      [
        'defense        poisonedrag',
        '               ×1',
        'none            33.3 (10–70)',
        'grada?          16.7 (3–56)',
        'weights=bm25',
      ].join('\n'),
    );
    expect(text).toContain(['', 'defense        poisonedrag ×3', 'none           100.0 (61–100)'].join('\n'));
  });

  const samples: fc.Arbitrary<SampleSettings> = fc.record({
    hostile: fc.boolean(),
    sweep: fc.boolean(),
    repeats: fc.boolean(),
    cells: fc.constantFrom(0, 1, 5, 12),
  });

  it('is never wider than the terminal', () => {
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: 24, max: 120 }),
        fc.constantFrom('', ...HOSTILE_STRINGS, 'x'.repeat(300)),
        (options, columns, name) => {
          const result = sampleResult(options);
          const named: BenchResult = {
            ...result,
            cells: result.cells.map((cell) => ({ ...cell, dataset: name + cell.dataset, defense: name + cell.defense, encoder: name })),
          };
          for (const line of textOf(named, columns).split('\n')) expect(cells(line)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stays within what it can be on a terminal without width', () => {
    for (const line of textOf(sampleResult(), 0).split('\n')) expect(cells(line)).toBeLessThanOrEqual(24);
  });

  it('paints headings where there is colour, and nothing else', () => {
    const painted = textOf(sampleResult(), 100, true);
    expect(painted.match(/\u001b\[1m.+?\u001b\[22m/g)).toEqual(['alpha', 'beta', 'Warnings'].map((text) => `\u001b[1m${text}\u001b[22m`));
    expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(textOf(sampleResult()));
  });

  it('says that nothing was measured', () => {
    expect(textOf(sampleResult({ cells: 0 }))).toContain('\n\nNothing was measured.\n');
  });
});
