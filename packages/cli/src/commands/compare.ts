import { extname, resolve } from 'node:path';
import {
  type CellComparison,
  type CellSettings,
  COMPARED_METRICS,
  type Comparison,
  compareDefenses,
  compareResults,
  encoderLabel,
  METRICS,
  type Metric,
  type MetricComparison,
  readResult,
  type Verdict,
} from '@bezoar/bench';
import { fit, printable, cells as width, wrap } from '@bezoar/bench/layout';
import { BezoarError } from '@bezoar/core';
import { jsonLine } from '../json-line.ts';
import { type CommonOptions, EXIT } from '../run-command.ts';
import { paint, type Style, type Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface CompareCommandOptions extends CommonOptions {
  readonly baseline?: string;
  readonly metric?: readonly string[];
  /** Default: by the extension of `out`, else table. */
  readonly format?: 'table' | 'json' | 'markdown';
  readonly out: string;
}

/** One metric of one pair of cells, as it is printed. */
interface Row {
  readonly verdict: Verdict;
  readonly metric: string;
  readonly change: string;
  readonly difference: string;
  readonly p: string;
  readonly n: string;
  /** The settings of the cell. */
  readonly facts: readonly string[];
  /** For how many cells the row stands. */
  readonly times: number;
  readonly repeated: boolean;
  /** Size of the difference; rows are sorted by it. */
  readonly effect: number;
}

/** With what tells its cells from the others. */
interface PlacedRow extends Row {
  readonly where: string;
}

/** What is printed, whatever the form. */
interface Page {
  readonly title: string;
  /** Settings that all cells have. */
  readonly everywhere: string;
  readonly sections: readonly { readonly verdict: Verdict; readonly title: string; readonly rows: readonly PlacedRow[] }[];
  readonly notes: readonly string[];
}

const FORMATS: Readonly<Record<string, 'json' | 'markdown'>> = { '.json': 'json', '.md': 'markdown' };

/** More rows of a section than anyone reads are counted; JSON has them all. */
const MAX_ROWS = 60;
const MAX_NAMED = 5;

/** In the order in which they are read. What was not assessed is a note. */
const SECTIONS: readonly { readonly verdict: Verdict; readonly title: string; readonly style: Style }[] = [
  { verdict: 'worse', title: 'Worse', style: 'red' },
  { verdict: 'better', title: 'Better', style: 'green' },
  { verdict: 'different', title: 'Different', style: 'yellow' },
  { verdict: 'no significant difference', title: 'No significant difference', style: 'dim' },
];

/** Says what changed between two results, or between the defenses of one, by how much, and whether it is significant. */
export async function compare(a: string, b: string | undefined, options: CompareCommandOptions, terminal: Terminal): Promise<number> {
  if (b !== undefined && options.baseline !== undefined)
    throw new BezoarError('INVALID_OPTION', '--baseline compares the defenses of one result; leave it out, or the second result');
  const metrics = options.metric ?? COMPARED_METRICS;
  const read = (path: string) => readResult(resolve(terminal.cwd, path), path);
  const before = await read(a);
  const baseline = options.baseline ?? 'none';
  const comparison = b === undefined ? compareDefenses(before, { baseline, metrics }) : compareResults(before, await read(b), { metrics });
  if (comparison.tests === 0) {
    const why = comparison.cells.length === 0 ? 'no cell of one has its settings in the other' : 'no question was assessed in both';
    const alone = comparison.cells.length === 0 ? 'the result holds no other defense in the scenarios of the baseline' : why;
    throw new BezoarError('BAD_INPUT', `nothing can be compared: ${b === undefined ? alone : why}`);
  }
  const format = options.format ?? FORMATS[extname(options.out).toLowerCase()] ?? 'table';
  const names = { before: b === undefined ? baseline : a, after: b ?? 'each defense' };
  await withOutput(options.out, terminal, async ({ write }) => {
    if (format === 'json') await write(jsonLine({ ...names, result: b === undefined ? a : null, ...comparison }, 'the comparison'));
    else {
      const page = pageOf(comparison, names, b === undefined);
      const toTerminal = options.out === '-';
      const settings = { columns: toTerminal ? terminal.columns : 100, colour: toTerminal && terminal.colour };
      await write(format === 'markdown' ? markdown(page) : text(page, settings));
    }
  });
  return EXIT.done;
}

function pageOf(comparison: Comparison, names: { readonly before: string; readonly after: string }, within: boolean): Page {
  const { cells, tests, changedDatasets, onlyBefore, onlyAfter } = comparison;
  const encoders = new Set([...cells.map(({ after }) => after), ...onlyBefore, ...onlyAfter].flatMap(({ encoder }) => encoder ?? []));
  const describe = (cell: CellSettings): readonly string[] => factsOf(cell, encoders);
  const described = cells.map(({ after }) => describe(after));
  const shared = new Set(described[0].filter((fact) => described.every((facts) => facts.includes(fact))));
  const apart = (facts: readonly string[]): string => facts.filter((fact) => !shared.has(fact)).join(', ');
  const all = cells.flatMap((cell, index) => rowsOf(cell, described[index]));
  const missing = all.filter(({ verdict }) => verdict === 'not assessed').length;
  const rows = merged(all)
    .map((row) => ({
      ...row,
      where: [apart(row.facts), row.times === 1 ? '' : `in ${row.times} cells`].filter((part) => part !== '').join(', '),
    }))
    .sort((x, y) => y.effect - x.effect);
  const alone = (settings: readonly CellSettings[], what: string): string[] =>
    settings.length === 0
      ? []
      : [`${what} (${settings.length}): ${named(settings.map((one) => apart(describe(one)) || 'the same settings'))}`];
  return {
    title: within
      ? `${names.before} → each other defense: ${counted(cells.length, 'cell')}, ${counted(tests, 'test')}`
      : `${names.before} → ${names.after}: ${counted(cells.length, 'cell')} in both, ${counted(tests, 'test')}`,
    everywhere: [...shared].join(', '),
    sections: SECTIONS.flatMap(({ verdict, title }) => {
      const found = rows.filter((row) => row.verdict === verdict);
      return found.length === 0 ? [] : [{ verdict, title: `${title} (${found.reduce((sum, { times }) => sum + times, 0)})`, rows: found }];
    }),
    notes: [
      ...changedDatasets.map((name) => `${name} is not the same data in both: differences may be the data's.`),
      ...(missing === 0 ? [] : [`Not assessed: ${counted(missing, 'comparison')} without a question that has the metric on both sides.`]),
      ...alone(onlyBefore, 'Only before'),
      ...alone(onlyAfter, within ? 'Without the baseline' : 'Only after'),
      `Over the same questions. Shares in percent, their differences in points, with 95 % intervals (paired bootstrap); p adjusted for ${counted(tests, 'test')} (Holm), below 0.05 significant.`,
    ],
  };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const named = (all: readonly string[]): string =>
  all.length <= MAX_NAMED ? all.join('; ') : `${all.slice(0, MAX_NAMED).join('; ')}; and ${all.length - MAX_NAMED} more`;

/** A cell's settings in words, the telling ones first. */
function factsOf(cell: CellSettings, encoders: ReadonlySet<string>): readonly string[] {
  const { attack, poisons, placement, sweep } = cell;
  const planted = placement === 'ratio' ? `${Math.round(1000 * poisons) / 10} %` : `x${poisons}`;
  // Values that went into a SPEC or another setting are there already.
  const swept = Object.entries(sweep ?? {}).filter(
    ([name, value]) =>
      ![cell.defense, attack].some((spec) => spec.includes(`${name}=${value}`)) && !(name in cell) && name !== 'passage-text',
  );
  return [
    cell.defense,
    ...(cell.encoder === null ? [] : [encoderLabel(cell.encoder, encoders)]),
    ...swept.map(([name, value]) => `${name} ${value}`),
    attack === 'none' ? 'no attack' : `${attack} ${planted}`,
    cell.dataset,
    ...(attack === 'none' ? [] : [`placement ${placement}`]),
    `${cell.retriever} pool of ${cell.pool}`,
    `keep ${cell.keep}`,
    ...(cell.passageText === 'text' ? ['without titles'] : []),
    ...(cell.shortPools ? ['short pools'] : []),
    ...(cell.keepDuplicates ? ['with duplicates'] : []),
    ...(cell.isolated ? ['isolated'] : []),
    ...(cell.limit === null ? [] : [`first ${cell.limit} questions`]),
  ].map(printable);
}

function rowsOf({ metrics }: CellComparison, facts: readonly string[]): Row[] {
  return metrics.map((comparison): Row => {
    const { metric: name, n, verdict, repeated } = comparison;
    const metric = METRICS.find((candidate) => candidate.name === name)!;
    return { verdict, metric: name, facts, times: 1, repeated, n: `n ${n}`, ...numbersOf(comparison, metric) };
  });
}

/** A test that stands in several cells is one row, with the settings that all of them have. */
function merged(rows: readonly Row[]): readonly Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    const { facts, change, difference, n } = row;
    // The first fact is the defense.
    const first = found.findIndex(
      (other) =>
        row.repeated &&
        [other.metric, other.facts[0], other.change, other.difference, other.n].join() ===
          [row.metric, facts[0], change, difference, n].join(),
    );
    if (first < 0) found.push(row);
    else
      found[first] = { ...found[first], facts: found[first].facts.filter((fact) => facts.includes(fact)), times: found[first].times + 1 };
  }
  return found;
}

function numbersOf(
  { before, after, difference, low, high, adjustedP }: MetricComparison,
  { unit }: Metric,
): Pick<Row, 'change' | 'difference' | 'p' | 'effect'> {
  if (before === null || after === null || difference === null || low === null || high === null || adjustedP === null)
    return { change: '–', difference: '–', p: '–', effect: -1 };
  const print = (value: number): string => (unit === 'share' ? (100 * value).toFixed(1) : value.toFixed(3));
  const signed = (value: number): string => (Number(print(value)) > 0 ? `+${print(value)}` : print(value).replace(/^-(?=[0.]+$)/, ''));
  return {
    change: `${print(before)} → ${print(after)}${unit === 'share' ? ' %' : ''}`,
    difference: `${signed(difference)} [${signed(low)}, ${signed(high)}]`,
    p: adjustedP < 0.001 ? 'p <0.001' : `p ${adjustedP.toFixed(3)}`,
    effect: Math.abs(difference),
  };
}

function text(
  { title, everywhere, sections, notes }: Page,
  { columns, colour }: { readonly columns: number; readonly colour: boolean },
): string {
  const style = (name: Style, line: string): string => paint({ colour }, name, line);
  const lines = wrap(printable(title), columns).map((line) => style('bold', line));
  if (everywhere !== '') lines.push(...indented(`everywhere: ${everywhere}`, 0, columns));
  const shown = sections.map(({ rows }) => rows.slice(0, MAX_ROWS));
  const columnOf = (key: 'metric' | 'change' | 'difference' | 'p'): number =>
    Math.max(...shown.flatMap((rows) => rows.map((row) => width(row[key]))));
  const [metric, change, difference, p] = [columnOf('metric'), columnOf('change'), columnOf('difference'), columnOf('p')];
  for (const [index, section] of sections.entries()) {
    const { style: colourOf } = SECTIONS.find(({ verdict }) => verdict === section.verdict)!;
    lines.push('', style(colourOf, section.title));
    for (const row of shown[index]) {
      const cells = [fit(row.metric, metric), fit(row.change, change), fit(row.difference, difference), fit(row.p, p), row.n];
      lines.push(...indented(cells.join('  '), 2, columns));
      if (row.where !== '') lines.push(...indented(row.where, 6, columns));
    }
    const hidden = section.rows.length - shown[index].length;
    if (hidden > 0) lines.push(`  and ${hidden} more; --format json has them all`);
  }
  lines.push('', ...notes.flatMap((note) => indented(printable(note), 0, columns)));
  return `${lines.join('\n')}\n`;
}

/** A line under an indent, wrapped only where it does not fit. */
function indented(line: string, indent: number, columns: number): string[] {
  const room = Math.max(20, columns - indent);
  const parts = width(line) <= room ? [line] : wrap(line, room);
  return parts.map((part) => ' '.repeat(indent) + part);
}

function markdown({ title, everywhere, sections, notes }: Page): string {
  const line = (row: readonly string[]): string => `| ${row.map(escaped).join(' | ')} |`;
  const tables = sections.flatMap((section) => [
    '',
    `## ${escaped(section.title)}`,
    '',
    line(['metric', 'before → after', 'difference', 'adjusted p', 'questions', 'where']),
    '| --- | --- | --- | --- | --- | --- |',
    ...section.rows.map((row) => line([row.metric, row.change, row.difference, row.p.slice(2), row.n.slice(2), row.where])),
  ]);
  return `${[`# ${escaped(title)}`, '', escaped(everywhere), ...tables, '', ...notes.map((note) => `- ${escaped(note)}`)].join('\n')}\n`;
}

/** A character reference is never taken for syntax: SPECs and names of datasets stay what they are. */
const escaped = (said: string): string => printable(said).replace(/[\\`*_{}[\]<>#|~!^$&@]/g, (syntax) => `&#${syntax.charCodeAt(0)};`);
