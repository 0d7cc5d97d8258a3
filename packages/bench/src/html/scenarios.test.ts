import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import type { BenchResult, MetricValue, ResultCell } from '../types.ts';
import { breachedQuestions, questionsPerCell } from './breached-questions.ts';
import { findings } from './findings.ts';
import { meanContext } from './heat-map.ts';
import { outline } from './histograms.ts';
import { movementOf } from './rank-movement.ts';
import { paretoFront } from './scatter.ts';
import { columnOf, metricOf, scenariosOf, standingOf } from './scenarios.ts';
import { sweepsOf } from './sweep-lines.ts';

const share = (value: number | null, n = 100): MetricValue =>
  value === null
    ? { value, low: null, high: null, n: 0, notAssessed: n }
    : { value, low: Math.max(0, value - 0.05), high: Math.min(1, value + 0.05), n, notAssessed: 0 };

const plain = sampleResult({ cells: 1 }).cells[0]!;

const cellOf = (changes: Partial<ResultCell> & { readonly breached?: number | null; readonly clean?: number | null }): ResultCell => {
  const { breached = null, clean = null, ...cell } = changes;
  return {
    ...plain,
    attack: 'poisonedrag',
    poisons: 1,
    ...cell,
    metrics: { poisonInContext: share(breached), cleanSuccessRate: share(clean) },
  };
};

const resultOf = (cells: readonly ResultCell[]): BenchResult => ({ ...sampleResult({ cells: 0 }), cells });

describe('scenariosOf', () => {
  it('puts attacks with their number of poisons in columns and defenses in rows; no attack is no column', () => {
    const [alpha, beta, ...more] = scenariosOf(sampleResult());
    expect(more).toEqual([]);
    expect([alpha!.dataset, beta!.dataset]).toEqual(['alpha', 'beta']);
    expect(alpha!.columns).toEqual(['poisonedrag, 1 poisoned', 'poisonedrag, 3 poisoned', 'query-as-poison?position=prefix, 1 poisoned']);
    expect(alpha!.rows.map(({ label }) => label)).toEqual(['none', 'grada?weights=bm25', 'trustrag-filter', 'pra-rag']);
    expect(alpha!.rows.every(({ unattacked, attacked }) => unattacked !== null && attacked.size === 3)).toBe(true);
  });

  it('keeps every cell, and swept ones apart', () => {
    const result = sampleResult({ sweep: true });
    const scenarios = scenariosOf(result);
    expect(scenarios.flatMap(({ cells }) => cells.map(({ index }) => index)).sort((a, b) => a - b)).toEqual([...result.cells.keys()]);
    expect(scenarios.filter(({ swept }) => swept)).toHaveLength(6);
  });

  it('separates what may not be compared, and names encoders where they tell rows apart', () => {
    const cells = [cellOf({ encoder: 'static' }), cellOf({ encoder: 'onnx:a' }), cellOf({ pool: 20 }), cellOf({ placement: 'retrieval' })];
    const scenarios = scenariosOf(resultOf(cells));
    expect(scenarios).toHaveLength(3);
    expect(scenarios[0]!.rows.map(({ label }) => label)).toEqual(['none · static', 'none · onnx:a']);
  });

  it('says a ratio as a share', () => {
    expect(columnOf(cellOf({ placement: 'ratio', poisons: 0.2 }))).toBe('poisonedrag, 20 % poisoned');
  });
});

describe('standingOf', () => {
  const standings = (cells: readonly ResultCell[]) => {
    const [scenario] = scenariosOf(resultOf(cells));
    return scenario!.rows.map((row) => standingOf(row, scenario!.columns));
  };

  it('takes the worst attack and the clean run with most questions', () => {
    const [only] = standings([
      cellOf({ breached: 0.2, clean: 0.9 }),
      cellOf({ attack: 'query-as-poison', breached: 0.7, clean: 0.8 }),
      cellOf({ attack: 'misinformation', breached: null }),
      { ...cellOf({ attack: 'none', poisons: 0 }), metrics: { cleanSuccessRate: share(0.85, 200) } },
    ]);
    expect(only!.worst!.column).toBe('query-as-poison, 1 poisoned');
    expect(only!.worst!.metric.value).toBe(0.7);
    expect(only!.assessedAgainst).toBe(2);
    expect(only!.clean!.value).toBe(0.85);
  });

  it('is null, not zero, where nothing was assessed', () => {
    const [only] = standings([cellOf({})]);
    expect(only).toMatchObject({ worst: null, assessedAgainst: 0, clean: null });
    expect(metricOf(cellOf({}), 'toString')).toBeNull();
  });
});

describe('findings', () => {
  const said = (cells: readonly ResultCell[]): string => {
    const result = resultOf(cells);
    return findings(result, scenariosOf(result))
      .source.replace(/<[^>]+>/g, '')
      .replaceAll('\u00a0', ' ');
  };
  const none = cellOf({ breached: 1, clean: 0.9 });

  it('names the defense with the lowest worst case, what it costs, and that nothing else reaches it', () => {
    const text = said([
      none,
      cellOf({ defense: 'grada', breached: 0.1, clean: 0.8 }),
      cellOf({ defense: 'grada', attack: 'other', breached: 0.2, clean: 0.8 }),
      cellOf({ attack: 'other', breached: 0.5, clean: 0.9 }),
      cellOf({ defense: 'pra-rag', breached: 0.05, clean: 0.7 }),
      cellOf({ defense: 'pra-rag', attack: 'other', breached: 0.6, clean: 0.7 }),
    ]);
    expect(text).toContain(
      'On alpha, grada has the lowest worst case: poison reached the context of 20.0 % of questions under other, 1 poisoned',
    );
    expect(text).toContain('100.0 % without a defense');
    expect(text).toContain(
      'gold was in the context of 80.0 % (75.0 % to 85.0 %, n = 100), 10.0 points lower than the 90.0 % without a defense',
    );
    expect(text).not.toContain('Not settled');
  });

  it('says when intervals overlap', () => {
    expect(said([none, cellOf({ defense: 'a', breached: 0.2 }), cellOf({ defense: 'b', breached: 0.25 })])).toContain(
      'Not settled: the interval of one other defense overlaps with its own.',
    );
  });

  it('praises nobody who was spared an attack, nor who lowered nothing', () => {
    expect(said([none, cellOf({ attack: 'other', breached: 0.5 }), cellOf({ defense: 'grada', breached: 0.1 })])).toContain(
      'no defense was assessed against every attack',
    );
    expect(said([none, cellOf({ defense: 'grada', breached: 1, clean: 0.9 })])).toContain('no defense lowered the worst case');
  });

  it('says of which settings it speaks where there are several', () => {
    expect(
      said([
        none,
        cellOf({ defense: 'grada', breached: 0.1 }),
        { ...none, pool: 20 },
        cellOf({ defense: 'grada', breached: 0.3, pool: 20 }),
      ]),
    ).toContain('On alpha (pool 20 · keep 3');
  });

  it('counts what was not assessed', () => {
    expect(said([{ ...none, outcomes: { breached: 3, resisted: 2, notAssessed: 7 } }])).toContain(
      '1 cell: 3 questions breached, 2 resisted or not attacked, 7 not assessed.',
    );
  });
});

describe('paretoFront', () => {
  it('keeps what nothing beats, and equals together', () => {
    const points = [
      { x: 0.9, y: 0.1 },
      { x: 0.5, y: 0.8 },
      { x: 0.5, y: 0.7 },
      { x: 0.4, y: 0.8 },
      { x: 0.5, y: 0.8 },
    ];
    expect(paretoFront(points)).toEqual([true, true, false, false, true]);
    expect(paretoFront([])).toEqual([]);
  });
});

describe('movementOf', () => {
  it('counts where passages stood and where they ended', () => {
    const base = sampleResult({ cells: 0 });
    const result: BenchResult = {
      ...base,
      pools: [
        {
          question: 0,
          planted: 1,
          passages: [
            { passage: 0, label: 'poisoned', grade: 0 },
            { passage: 1, label: 'clean', grade: 1 },
            { passage: 2, label: 'foreign', grade: 0 },
            { passage: 3, label: 'clean', grade: 0 },
          ],
        },
      ],
    };
    const record = { ...plain.records.find(({ outcome }) => outcome === 'resisted')!, pool: 0 };
    const cell = {
      ...plain,
      records: [
        { ...record, context: [2, 1] },
        { ...record, context: [4, 2] },
        { ...record, pool: null, context: [] },
      ],
    };
    expect(movementOf(result, cell)).toEqual({
      poisoned: [
        [0, 1, 1],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      gold: [
        [0, 0, 0],
        [1, 1, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
      ranksCut: false,
      placesCut: false,
      questions: 2,
      seeds: 1,
    });
  });

  it('draws what lies beyond twenty as one', () => {
    const base = sampleResult({ cells: 0 });
    const passages = Array.from({ length: 30 }, (_, passage) => ({ passage, label: 'poisoned' as const, grade: 0 }));
    const record = {
      ...plain.records.find(({ outcome }) => outcome === 'resisted')!,
      pool: 0,
      context: passages.map((_, index) => index + 1),
    };
    const movement = movementOf({ ...base, pools: [{ question: 0, planted: 30, passages }] }, { ...plain, records: [record] });
    expect([movement.ranksCut, movement.placesCut]).toEqual([true, true]);
    expect(movement.poisoned).toHaveLength(20);
    expect(movement.poisoned[19]).toEqual([...new Array(19).fill(0), 11, 0]);
  });

  it('agrees with the breached questions of every cell', () => {
    const result = sampleResult();
    for (const cell of result.cells.filter(({ poisons }) => poisons === 1)) {
      const { poisoned } = movementOf(result, cell);
      const passedOn = poisoned.reduce((sum, row) => sum + row.slice(0, -1).reduce((a, b) => a + b, 0), 0);
      expect(passedOn).toBe(cell.outcomes.breached);
    }
  });
});

describe('sweepsOf', () => {
  it('makes one line of the cells that differ in the swept option alone', () => {
    const sweeps = sweepsOf(sampleResult({ sweep: true }).cells);
    expect(sweeps).toHaveLength(8);
    expect(sweeps.map(({ option }) => option)).toEqual(new Array(8).fill('alpha'));
    expect(sweeps[0]!.series.map(({ label, points }) => [label, points.map(({ value }) => value)])).toEqual([
      ['grada?weights=bm25', ['0.2', '0.4', '0.6']],
    ]);
  });

  it('does not tell lines apart by what is swept', () => {
    const [byPoisons, ...more] = sweepsOf([1, 3].map((poisons) => cellOf({ poisons, sweep: { poisons: String(poisons) } })));
    expect(more).toEqual([]);
    expect(byPoisons!.series).toHaveLength(1);
    const [byOption] = sweepsOf(['0.1', '0.2'].map((alpha) => cellOf({ defense: `grada?alpha=${alpha}&keep=3`, sweep: { alpha } })));
    expect(byOption!.series.map(({ label }) => label)).toEqual(['grada?keep=3']);
  });

  it('finds none where nothing is swept', () => {
    expect(sweepsOf(sampleResult().cells)).toEqual([]);
  });
});

it('the mean context leaves out what was not assessed, and is null, not zero, without anything', () => {
  const record = plain.records.find(({ outcome }) => outcome === 'resisted')!;
  const skipped = { ...record, outcome: 'not-assessed' as const, context: [] };
  expect(
    meanContext([
      { ...plain, records: [{ ...record, context: [1, 2, 3] }, skipped] },
      { ...plain, records: [{ ...record, context: [] }] },
    ]),
  ).toBe(1.5);
  expect(meanContext([{ ...plain, records: [skipped] }])).toBeNull();
});

it('the outline of a histogram begins and ends on the floor, with shares of its total', () => {
  expect(outline({ from: 0, to: 2, counts: [1, 3], mean: 1 })).toEqual([
    { x: 0, y: 0 },
    { x: 0, y: 0.25 },
    { x: 1, y: 0.25 },
    { x: 1, y: 0.75 },
    { x: 2, y: 0.75 },
    { x: 2, y: 0 },
  ]);
  expect(outline({ from: 0, to: 1, counts: [0, 0], mean: null })).toEqual([]);
});

describe('breachedQuestions', () => {
  it('lists fewer a cell where there are more cells, and always one', () => {
    expect([0, 1, 35, 50, 350, 1000].map(questionsPerCell)).toEqual([10, 10, 10, 7, 1, 1]);
  });

  it('says how many there are when it shows fewer', () => {
    const result = sampleResult();
    const index = result.cells.findIndex(({ outcomes }) => outcomes.breached >= 3);
    const cell = result.cells[index]!;
    const { source } = breachedQuestions(result, { cell, index }, 'x', 2);
    expect(source).toContain(`showing 2 of ${cell.outcomes.breached}`);
    expect(source.match(/<article>/g)).toHaveLength(2);
  });

  it('clips a long passage between characters and loses nothing', () => {
    const base = sampleResult();
    const text = `${'a'.repeat(219)}🏰${'b'.repeat(300)}`;
    const result = { ...base, passages: base.passages.map((passage) => ({ ...passage, text })) };
    const index = result.cells.findIndex(({ outcomes }) => outcomes.breached > 0);
    const { source } = breachedQuestions(result, { cell: result.cells[index]!, index }, 'x', 1);
    const pieces = [...source.matchAll(/<bdi class="text">([^<]*)<\/bdi>/g)].map(([, piece]) => piece!);
    expect(pieces.slice(0, 2)).toEqual([`${'a'.repeat(219)}🏰`, 'b'.repeat(300)]);
    expect(source).toContain('300 more characters');
  });
});
