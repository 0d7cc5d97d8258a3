import { describe, expect, it } from 'vitest';
import { summaryTables } from './summary-tables.ts';
import { sampleResult } from './testing/sample-result.ts';
import type { BenchResult, MetricValue, ResultCell } from './types.ts';

const sample = sampleResult();
const plain: ResultCell = { ...sample.cells[0]!, warnings: [], records: [], outcomes: { breached: 0, resisted: 7, notAssessed: 0 } };

const metric = (value: number | null, n = 7): MetricValue => ({
  value,
  low: value === null ? null : value / 2,
  high: value,
  n: value === null ? 0 : n,
  notAssessed: 7 - n,
});

interface Figures {
  readonly [name: string]: number | null | MetricValue;
}

const cell = (settings: Partial<ResultCell>, figures: Figures = {}): ResultCell => ({
  ...plain,
  ...settings,
  metrics: Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, typeof value === 'object' && value !== null ? value : metric(value)]),
  ),
});

const attacked = (settings: Partial<ResultCell>, figures: Figures = {}): ResultCell =>
  cell({ attack: 'poisonedrag', poisons: 1, ...settings }, figures);

const sectionsOf = (...cells: readonly ResultCell[]) => summaryTables({ ...sample, cells }).sections;

describe('summaryTables', () => {
  it('takes what is worst over the attacks, and clean success where most questions were assessed', () => {
    const [section] = sectionsOf(
      cell({}, { cleanSuccessRate: metric(0.5, 6), cleanRetention: 0.75 }),
      attacked({}, { poisonInContext: 0.25, successRate: 0.5, cleanSuccessRate: metric(0.75, 7), cleanRetention: 0.5, detectionF1: 0.5 }),
      attacked(
        { poisons: 3 },
        { poisonInContext: null, successRate: 0.25, cleanSuccessRate: metric(1, 5), cleanRetention: 1, detectionF1: 0.75 },
      ),
    );
    expect(section!.tables).toEqual([
      {
        caption: 'Attack success at retrieval, % of questions',
        head: ['defense', 'poisonedrag ×1', 'poisonedrag ×3'],
        rows: [['none', ' 25.0 (13–25)', '    –']],
      },
      {
        caption: 'What it costs and what it catches, %',
        head: ['defense', 'clean success', 'success under attack', 'false removals', 'detection F1'],
        rows: [['none', ' 75.0 (38–75)', ' 25.0 (13–25)', ' 50.0 (50–75)', ' 50.0 (25–50)']],
      },
    ]);
  });

  it('shows a cell without metrics as dashes, and what was not measured as empty', () => {
    const [section] = sectionsOf(attacked({}), attacked({ defense: 'grada', attack: 'misinformation' }));
    expect(section!.tables[0]!.rows).toEqual([
      ['none', '    –', ''],
      ['grada', '', '    –'],
    ]);
    expect(section!.tables[1]!.rows[0]).toEqual(['none', '    –', '    –', '    –', '    –']);
  });

  it('has no table of attacks where there is none', () => {
    const [section] = sectionsOf(cell({}, { cleanSuccessRate: 1 }));
    expect(section!.tables.map(({ rows }) => rows)).toEqual([[['none', '100.0 (50–100)', '    –', '    –', '    –']]]);
  });

  it('tells rows apart by encoder, keep and titles where these differ, and gives a cell that needed no encoder to all of them', () => {
    const [section] = sectionsOf(
      cell({ encoder: null }, { cleanSuccessRate: 1 }),
      attacked({ encoder: 'static' }),
      attacked({ encoder: 'onnx:DIR' }),
      attacked({ defense: 'grada', encoder: 'static', keep: 5, passageText: 'text' }),
    );
    expect(section!.tables[1]!.rows.map(([name, clean]) => [name, clean])).toEqual([
      ['none · static · keep 3 · titles', '100.0 (50–100)'],
      ['none · onnx:DIR · keep 3 · titles', '100.0 (50–100)'],
      ['grada · static · keep 5 · no titles', '    –'],
    ]);
    expect(section!.facts).toBe('7 questions · pool 6 · keep as each row says · placement slot · retriever candidates · seed 1');
  });

  it('says every setting that is not the usual one, and never leaves out the placement', () => {
    const unusual = {
      shortPools: true,
      keepDuplicates: true,
      isolated: true,
      limit: 50,
      passageText: 'text',
      placement: 'ratio',
      poisons: 0.2,
    } as const;
    const [section] = sectionsOf(attacked({ ...unusual, encoder: 'static', seeds: [1, 2], part: 'Table 5', queries: 1 }));
    expect(section!.title).toBe('Table 5: alpha');
    expect(section!.facts).toBe(
      "1 question · pool 6 · keep 3 · placement ratio · retriever candidates · encoder static · texts without titles · short pools assessed · duplicates kept · only a question's own poisons planted · the first 50 questions · mean over 2 seeds ± standard deviation",
    );
    expect(section!.tables[0]!.head).toEqual(['defense', 'poisonedrag 20 %']);
  });

  it('keeps datasets, parts, pools and placements apart', () => {
    const titles = sectionsOf(plain, { ...plain, pool: 10 }, { ...plain, dataset: 'beta' }, { ...plain, placement: 'retrieval' }, plain, {
      ...plain,
      part: 'p',
    });
    expect(titles.map(({ title }) => title)).toEqual(['alpha', 'alpha', 'beta', 'alpha', 'p: alpha']);
  });

  it('shows a deviation over seeds', () => {
    const [section] = sectionsOf(attacked({}, { poisonInContext: { ...metric(0.5), deviation: 0.0123 } }));
    expect(section!.tables[0]!.rows[0]![1]).toBe(' 50.0 ± 1.2 (25–50)');
  });

  it('charts a sweep with one row a value, whatever it sweeps', () => {
    const swept = (alpha: string, poisonInContext: number | null): ResultCell =>
      attacked(
        { defense: `grada?weights=bm25&alpha=${alpha}`, sweep: { alpha } },
        { poisonInContext, cleanSuccessRate: 1, successRate: 0.5, cleanRetention: 0.75, detectionF1: 0 },
      );
    const [section] = sectionsOf(swept('0.2', 0.5), swept('0.4', 1), swept('0.6', null));
    expect(section!.tables).toEqual([
      {
        caption: 'Sweep of alpha: grada?weights=bm25, poisonedrag ×1',
        head: ['alpha', 'attack success', '', 'clean success', 'success under attack', 'false removals', 'detection F1'],
        rows: [
          ['0.2', ' 50.0 (25–50)', '██████████░░░░░░░░░░', '100.0 (50–100)', ' 50.0 (25–50)', ' 25.0 (25–63)', '  0.0 (0–0)'],
          ['0.4', '100.0 (50–100)', '████████████████████', '100.0 (50–100)', ' 50.0 (25–50)', ' 25.0 (25–63)', '  0.0 (0–0)'],
          ['0.6', '    –', '', '100.0 (50–100)', ' 50.0 (25–50)', ' 25.0 (25–63)', '  0.0 (0–0)'],
        ],
      },
    ]);
    const poisons = sectionsOf(
      attacked({ sweep: { poisons: '1', keep: '2' }, keep: 2 }, { poisonInContext: 0 }),
      attacked({ sweep: { poisons: '3', keep: '4' }, keep: 4, poisons: 3 }, { poisonInContext: 0.02 }),
    );
    expect(poisons.map(({ tables }) => tables.map(({ caption, rows }) => [caption, rows.map((row) => row.slice(0, 3))]))).toEqual([
      [
        [
          'Sweep of poisons, keep: none, poisonedrag',
          [
            ['1, 2', '  0.0 (0–0)', '░'.repeat(20)],
            ['3, 4', '  2.0 (1–2)', '░'.repeat(20)],
          ],
        ],
      ],
    ]);
    const [unattacked] = sectionsOf(
      cell({ defense: 'grada?alpha=0.2', sweep: { alpha: '0.2' } }, { cleanSuccessRate: 1, cleanRetention: 0.5 }),
    );
    expect(unattacked!.tables).toEqual([
      {
        caption: 'Sweep of alpha: grada, no attack',
        head: ['alpha', 'clean success', 'false removals'],
        rows: [['0.2', '100.0 (50–100)', ' 50.0 (50–75)']],
      },
    ]);
  });

  it('numbers warnings by what they say, at the cells that bear them', () => {
    const warning = (message: string) => ({ code: 'null-attack' as const, message });
    const summary = summaryTables({
      ...sample,
      cells: [
        { ...plain, warnings: [warning('b')] },
        attacked({ warnings: [warning('a'), warning('b')] }),
        attacked({ warnings: [warning('a')], defense: 'grada', sweep: { alpha: '1' } }),
      ],
    });
    expect(summary.notes).toEqual(['†1 null-attack: b', '†2 null-attack: a']);
    const [attack, cost, sweep] = summary.sections[0]!.tables;
    expect([attack!.rows[0]![1], cost!.rows[0]![1], sweep!.rows[0]![1]]).toEqual(['    – †1,2', ' 66.7 (30–90) †1', '    – †2']);
  });

  it('counts warnings that nobody would read', () => {
    const cells = Array.from({ length: 53 }, (_, index) => ({
      ...plain,
      warnings: [{ code: 'null-attack' as const, message: `${index}` }],
    }));
    const { notes } = summaryTables({ ...sample, cells });
    expect(notes.slice(48)).toEqual(['†49 null-attack: 48', '†50 null-attack: 49', 'and 3 more warnings, in the JSON']);
  });

  it('says how many questions were not assessed, why and where', () => {
    const missing = (settings: Partial<ResultCell>, ...why: ResultCell['records'][number]['why'][]): ResultCell => ({
      ...attacked(settings),
      outcomes: { breached: 1, resisted: 2, notAssessed: why.length },
      records: why.map((one) => ({ ...sample.cells[0]!.records[0]!, why: one })),
    });
    const lines = (...cells: ResultCell[]): readonly string[] => sectionsOf(...cells).flatMap(({ notAssessed }) => notAssessed);
    const two = ['no-candidates', 'no-candidates', 'defense-failed'] as const;
    expect(lines(missing({}, ...two))).toEqual(['3 of 6 not assessed (2 no-candidates, 1 defense-failed), in every cell']);
    expect(lines(missing({}, 'no-candidates'), attacked({ attack: 'b' }), missing({ defense: 'grada' }, ...two))).toEqual([
      '1 of 4 not assessed (1 no-candidates), in none, poisonedrag ×1',
      '3 of 6 not assessed (2 no-candidates, 1 defense-failed), in every cell of grada',
    ]);
    const many = Array.from({ length: 5 }, (_, index) => missing({ defense: `d${index}` }, 'no-candidates'));
    expect(lines(...many, attacked({}))).toEqual(['1 of 4 not assessed (1 no-candidates), in 5 of 6 cells']);
    expect(lines(missing({ sweep: { alpha: '1' } }, 'no-candidates'), attacked({ sweep: { alpha: '2' } }))).toEqual([
      '1 of 4 not assessed (1 no-candidates), in none, poisonedrag ×1, alpha = 1',
    ]);
    expect(lines({ ...attacked({}), outcomes: { breached: 0, resisted: 0, notAssessed: 2 } })).toEqual([
      '2 of 2 not assessed, in every cell',
    ]);
  });

  it('says of how many questions success is, where some have no gold passage', () => {
    const lines = (n: number, settings: Partial<ResultCell> = {}): readonly string[] =>
      sectionsOf(cell(settings, { cleanSuccessRate: metric(n === 0 ? null : 1, n) }), cell({ ...settings, defense: 'grada' })).flatMap(
        ({ notAssessed }) => notAssessed,
      );
    expect(lines(7)).toEqual([]);
    expect(lines(6)).toEqual(['success is of the 6 questions with a gold passage']);
    expect(lines(1)).toEqual(['success is of the 1 question with a gold passage']);
    expect(lines(0)).toEqual(['no assessed question has a gold passage']);
    expect(lines(7, { seeds: [1, 2], outcomes: { breached: 0, resisted: 14, notAssessed: 0 } })).toEqual([]);
  });

  it('begins with the suite and how it differs from its paper', () => {
    const result: BenchResult = {
      ...sample,
      cells: [plain],
      run: { ...sample.run, suite: { name: 's', title: 'Table 1 of someone', differs: ['our own data'] } },
    };
    const { title, differs } = summaryTables(result);
    expect(title).toBe('Table 1 of someone · 1 cell · seed 1 · started 2026-01-02T03:04:05.678Z');
    expect(differs).toEqual(['our own data']);
  });
});
