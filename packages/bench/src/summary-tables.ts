import { withEncoderLabels } from './encoder-label.ts';
import type { BenchResult, MetricValue, ResultCell } from './types.ts';

/** Rows of strings under a head, not escaped for anything yet: SPECs, names and messages in them may be hostile. */
export interface SummaryTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The cells that may be compared with one another: one dataset under one setting. */
export interface SummarySection {
  readonly title: string;
  /** What was measured, in a line. */
  readonly facts: string;
  readonly tables: readonly SummaryTable[];
  readonly notAssessed: readonly string[];
}

export interface Summary {
  readonly title: string;
  /** How the run differs from the paper that its suite follows. */
  readonly differs: readonly string[];
  readonly sections: readonly SummarySection[];
  /** Warnings, each with the mark that its cells bear. */
  readonly notes: readonly string[];
  readonly legend: readonly string[];
}

/** What stands where nothing could be assessed. */
const DASH = '–';
/** More warnings than anyone reads are counted; JSON has them all. */
const MAX_NOTES = 50;
const BAR = 20;
/** Settings that a sweep may vary, as it calls them. */
const SWEPT_SETTINGS: Readonly<Record<string, keyof ResultCell>> = {
  pool: 'pool',
  keep: 'keep',
  poisons: 'poisons',
  placement: 'placement',
  retriever: 'retriever',
  'passage-text': 'passageText',
};

const LEGEND = [
  `All figures are percentages, with the 95 % interval in brackets. ${DASH} is where nothing could be assessed; it is not 0. What is empty was not measured.`,
  'Attack success at retrieval: questions with at least one of their own poisoned passages among what goes on. ×3: three poisoned passages planted for each question.',
  'Clean success: questions with a gold passage among what goes on when nothing is poisoned. Success under attack: the same with the poison there, the lowest over the attacks.',
  'False removals: clean passages of a pool that do not go on, the most over the attacks and without one; a reranker that keeps 5 of 10 removes half by design. Detection F1: of removal as detection of poison, the lowest over the attacks.',
];

/** What an engineer wants first of a result, for the terminal and for Markdown. The other formats have every metric of every cell. */
export function summaryTables(given: BenchResult): Summary {
  const result = withEncoderLabels(given);
  const notes = new Map<string, number>();
  for (const { code, message } of result.cells.flatMap(({ warnings }) => warnings)) {
    const note = `${code}: ${message}`;
    if (!notes.has(note)) notes.set(note, notes.size + 1);
  }
  const marked = (text: string, cells: readonly ResultCell[]): string => {
    const marks = new Set(cells.flatMap(({ warnings }) => warnings.map(({ code, message }) => notes.get(`${code}: ${message}`)!)));
    return marks.size === 0 ? text : `${text} †${[...marks].sort((a, b) => a - b).join(',')}`;
  };
  const { run, cells } = result;
  const said = [...notes].map(([note, number]) => `†${number} ${note}`);
  return {
    title: [
      run.suite?.title ?? 'Corpus poisoning bench',
      plural(cells.length, 'cell'),
      `seed ${run.seed}`,
      `started ${run.startedAt}`,
    ].join(' · '),
    differs: run.suite?.differs ?? [],
    sections: grouped(cells, sectionKey).map((group) => sectionOf(group, marked)),
    notes: said.length > MAX_NOTES ? [...said.slice(0, MAX_NOTES), `and ${said.length - MAX_NOTES} more warnings, in the JSON`] : said,
    legend: LEGEND,
  };
}

type Marked = (text: string, cells: readonly ResultCell[]) => string;

function grouped<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
const isAttacked = ({ attack }: ResultCell): boolean => attack !== 'none';
const sweptNames = ({ sweep }: ResultCell): string[] => Object.keys(sweep ?? {});

/** A setting, or null where the cell's sweep varies it. */
const settled = (cell: ResultCell, key: keyof ResultCell): unknown =>
  sweptNames(cell).some((name) => Object.hasOwn(SWEPT_SETTINGS, name) && SWEPT_SETTINGS[name] === key) ? null : cell[key];

const sectionKey = (cell: ResultCell): unknown => [
  cell.part,
  cell.dataset,
  cell.seeds,
  ...(['retriever', 'pool', 'placement', 'shortPools', 'keepDuplicates', 'isolated', 'limit'] as const).map((key) => settled(cell, key)),
];

function sectionOf(cells: readonly ResultCell[], marked: Marked): SummarySection {
  const first = cells[0]!;
  const plain = cells.filter(({ sweep }) => sweep === null);
  const label = rowLabel(cells);
  const tables = [
    ...(plain.length === 0 ? [] : plainTables(plain, label, marked)),
    ...grouped(
      cells.filter(({ sweep }) => sweep !== null),
      (cell) => sweepKey(cell, label),
    ).map((swept) => sweepTable(swept, label, marked)),
  ];
  return {
    title: first.part === null ? first.dataset : `${first.part}: ${first.dataset}`,
    facts: factsOf(cells),
    tables,
    notAssessed: [...notAssessedLines(cells, label), ...withoutGold(cells)],
  };
}

/** A setting's value where all cells share it; null where they differ, and their rows say it. */
function shared<K extends keyof ResultCell>(cells: readonly ResultCell[], key: K): ResultCell[K] | null {
  const values = cells.map((cell) => cell[key]);
  return new Set(values).size === 1 ? values[0]! : null;
}

function factsOf(cells: readonly ResultCell[]): string {
  const first = cells[0]!;
  const queries = Math.max(...cells.map((cell) => cell.queries));
  const fact = (key: 'pool' | 'keep' | 'placement' | 'retriever'): string => `${key} ${shared(cells, key) ?? 'as each row says'}`;
  const encoders = [...new Set(cells.flatMap(({ encoder }) => encoder ?? []))];
  return [
    plural(queries, 'question'),
    fact('pool'),
    fact('keep'),
    fact('placement'),
    fact('retriever'),
    ...(encoders.length === 1 ? [`encoder ${encoders[0]}`] : []),
    ...(shared(cells, 'passageText') === 'text' ? ['texts without titles'] : []),
    ...(first.shortPools ? ['short pools assessed'] : []),
    ...(first.keepDuplicates ? ['duplicates kept'] : []),
    ...(first.isolated ? ["only a question's own poisons planted"] : []),
    ...(first.limit === null ? [] : [`the first ${first.limit} questions`]),
    first.seeds.length > 1 ? `mean over ${first.seeds.length} seeds ± standard deviation` : `seed ${first.seeds[0] ?? first.seed}`,
  ].join(' · ');
}

/** The defense with whatever else tells the section's rows apart. */
function rowLabel(cells: readonly ResultCell[]): (cell: ResultCell) => string {
  const severalEncoders = new Set(cells.flatMap(({ encoder }) => encoder ?? [])).size > 1;
  const keeps = new Set(cells.flatMap((cell) => (settled(cell, 'keep') as number | null) ?? [])).size > 1;
  const texts = new Set(cells.flatMap((cell) => (settled(cell, 'passageText') as string | null) ?? [])).size > 1;
  return (cell) =>
    [
      withoutSwept(cell.defense, cell),
      ...(severalEncoders && cell.encoder !== null ? [cell.encoder] : []),
      ...[cell.answerer, cell.model].filter((one) => one !== null),
      ...(keeps && settled(cell, 'keep') !== null ? [`keep ${cell.keep}`] : []),
      ...(texts && settled(cell, 'passageText') !== null ? [cell.passageText === 'text' ? 'no titles' : 'titles'] : []),
    ].join(' · ');
}

/** A SPEC without the options that the cell's sweep varies. */
function withoutSwept(spec: string, cell: ResultCell): string {
  const start = spec.indexOf('?');
  if (start < 0 || cell.sweep === null) return spec;
  const names = sweptNames(cell);
  const left = spec
    .slice(start + 1)
    .split('&')
    .filter((option) => !names.includes(option.split('=')[0]!));
  return left.length === 0 ? spec.slice(0, start) : `${spec.slice(0, start)}?${left.join('&')}`;
}

const columnName = (cell: ResultCell): string => {
  if (!isAttacked(cell)) return 'no attack';
  if (settled(cell, 'poisons') === null) return withoutSwept(cell.attack, cell);
  return `${withoutSwept(cell.attack, cell)} ${cell.placement === 'ratio' ? `${+(100 * cell.poisons).toFixed(1)} %` : `×${cell.poisons}`}`;
};

function plainTables(cells: readonly ResultCell[], label: (cell: ResultCell) => string, marked: Marked): SummaryTable[] {
  const attacked = cells.filter(isAttacked);
  const columns = [...new Set(attacked.map(columnName))];
  // Without an attack nothing may need an encoder; such a cell belongs to all rows of its defense.
  const unattachable = (cell: ResultCell): boolean => !isAttacked(cell) && attacked.some((other) => sameDefense(cell, other));
  const rows = new Map<string, ResultCell[]>();
  for (const cell of cells.filter((one) => !unattachable(one))) rows.set(label(cell), [...(rows.get(label(cell)) ?? []), cell]);
  const inOrder = [...rows].map(([name, own]) => {
    const alone = cells.filter((cell) => unattachable(cell) && own.some((other) => sameDefense(cell, other)));
    return { name, own: [...own.filter(isAttacked)], alone: [...own.filter((cell) => !isAttacked(cell)), ...alone] };
  });
  const attackTable: SummaryTable = {
    caption: 'Attack success at retrieval, % of questions',
    head: ['defense', ...columns],
    rows: inOrder.map(({ name, own }) => [
      name,
      ...columns.map((column) => {
        const there = own.filter((cell) => columnName(cell) === column);
        return there.length === 0 ? '' : marked(there.map((cell) => share(metricOf(cell, 'poisonInContext'))).join(' / '), there);
      }),
    ]),
  };
  const costTable: SummaryTable = {
    caption: 'What it costs and what it catches, %',
    head: ['defense', 'clean success', 'success under attack', 'false removals', 'detection F1'],
    rows: inOrder.map(({ name, own, alone }) => [name, marked(share(cleanSuccess([...alone, ...own])), alone), ...worstOf(own, alone)]),
  };
  return columns.length === 0 ? [costTable] : [attackTable, costTable];
}

const sameDefense = (cell: ResultCell, other: ResultCell): boolean =>
  cell.defense === other.defense &&
  cell.keep === other.keep &&
  cell.passageText === other.passageText &&
  cell.answerer === other.answerer &&
  cell.model === other.model &&
  (cell.encoder === null || cell.encoder === other.encoder);

/** Success under attack, false removals and detection F1, each at its worst. */
const worstOf = (attacked: readonly ResultCell[], unattacked: readonly ResultCell[]): string[] => [
  share(lowest(attacked, 'successRate')),
  share(complement(lowest([...unattacked, ...attacked], 'cleanRetention'))),
  share(lowest(attacked, 'detectionF1')),
];

const NOTHING: MetricValue = { value: null, low: null, high: null, n: 0, notAssessed: 0 };

const metricOf = (cell: ResultCell, name: string): MetricValue => (Object.hasOwn(cell.metrics, name) ? cell.metrics[name]! : NOTHING);

function lowest(cells: readonly ResultCell[], name: string): MetricValue {
  const found = cells.map((cell) => metricOf(cell, name)).filter(({ value }) => value !== null);
  return found.reduce((worst, one) => (one.value! < worst.value! ? one : worst), found[0] ?? NOTHING);
}

/** Clean runs of a defense are the same under every attack, but for the questions that an attack cannot be run on: the cell with most of them. */
function cleanSuccess(cells: readonly ResultCell[]): MetricValue {
  const found = cells.map((cell) => metricOf(cell, 'cleanSuccessRate'));
  return found.reduce((most, one) => (one.n > most.n ? one : most), NOTHING);
}

const complement = (metric: MetricValue): MetricValue => ({
  ...metric,
  value: metric.value === null ? null : 1 - metric.value,
  low: metric.high === null ? null : 1 - metric.high,
  high: metric.low === null ? null : 1 - metric.low,
});

/** `55.0 (48–62)`, with ` ± 1.2` over seeds; the figure is padded so that points stand under each other. */
function share({ value, low, high, deviation }: MetricValue): string {
  if (value === null) return DASH.padStart(5);
  const spread = deviation === undefined || deviation === null ? '' : ` ± ${(100 * deviation).toFixed(1)}`;
  const interval = low === null || high === null ? '' : ` (${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)})`;
  return `${(100 * value).toFixed(1).padStart(5)}${spread}${interval}`;
}

const bar = ({ value }: MetricValue): string => {
  if (value === null) return '';
  const full = Math.round(Math.min(1, Math.max(0, value)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
};

const sweepKey = (cell: ResultCell, label: (cell: ResultCell) => string): unknown => [sweptNames(cell), label(cell), columnName(cell)];

const sweepWords = ({ sweep }: ResultCell): string[] => Object.entries(sweep ?? {}).map(([name, value]) => `${name} = ${value}`);

/** One row a value. */
function sweepTable(cells: readonly ResultCell[], label: (cell: ResultCell) => string, marked: Marked): SummaryTable {
  const first = cells[0]!;
  const names = sweptNames(first);
  const attacked = isAttacked(first);
  return {
    caption: `Sweep of ${names.join(', ')}: ${label(first)}, ${columnName(first)}`,
    head: [
      names.join(', '),
      ...(attacked ? ['attack success', ''] : []),
      'clean success',
      ...(attacked ? ['success under attack'] : []),
      'false removals',
      ...(attacked ? ['detection F1'] : []),
    ],
    rows: cells.map((cell) => {
      const [under, removals, f1] = worstOf(attacked ? [cell] : [], attacked ? [] : [cell]);
      const success = metricOf(cell, 'poisonInContext');
      return [
        Object.values(cell.sweep!).join(', '),
        ...(attacked ? [marked(share(success), [cell]), bar(success)] : []),
        attacked ? share(metricOf(cell, 'cleanSuccessRate')) : marked(share(metricOf(cell, 'cleanSuccessRate')), [cell]),
        ...(attacked ? [under!] : []),
        removals!,
        ...(attacked ? [f1!] : []),
      ];
    }),
  };
}

/** More cells than this are counted, not named. */
const MAX_NAMED = 4;

function notAssessedLines(cells: readonly ResultCell[], label: (cell: ResultCell) => string): string[] {
  const groups = grouped(
    cells.filter(({ outcomes }) => outcomes.notAssessed > 0),
    notAssessedIn,
  );
  return groups.map((group) => `${notAssessedIn(group[0]!)}, ${whereOf(group, cells, label)}`);
}

/** Datasets need not name a gold passage for every question; success is a share of those that have one. */
function withoutGold(cells: readonly ResultCell[]): string[] {
  const [most] = [...cells].sort((a, b) => metricOf(b, 'cleanSuccessRate').n - metricOf(a, 'cleanSuccessRate').n);
  const { n } = metricOf(most!, 'cleanSuccessRate');
  const assessed = (most!.outcomes.breached + most!.outcomes.resisted) / Math.max(1, most!.seeds.length);
  if (n >= assessed || !Object.hasOwn(most!.metrics, 'cleanSuccessRate')) return [];
  return [n === 0 ? 'no assessed question has a gold passage' : `success is of the ${plural(n, 'question')} with a gold passage`];
}

function whereOf(group: readonly ResultCell[], cells: readonly ResultCell[], label: (cell: ResultCell) => string): string {
  if (group.length === cells.length) return 'in every cell';
  const labels = new Set(group.map(label));
  const wholeRows = cells.every((cell) => !labels.has(label(cell)) || group.includes(cell));
  if (wholeRows && labels.size <= MAX_NAMED) return `in every cell of ${[...labels].join('; ')}`;
  if (group.length > MAX_NAMED) return `in ${group.length} of ${cells.length} cells`;
  return `in ${group.map((cell) => [label(cell), columnName(cell), ...sweepWords(cell)].join(', ')).join('; ')}`;
}

function notAssessedIn({ outcomes, records }: ResultCell): string {
  const reasons = new Map<string, number>();
  for (const { why } of records) if (why !== null) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const total = outcomes.breached + outcomes.resisted + outcomes.notAssessed;
  const said = [...reasons].map(([why, count]) => `${count} ${why}`).join(', ');
  return `${outcomes.notAssessed} of ${total} not assessed${said === '' ? '' : ` (${said})`}`;
}
