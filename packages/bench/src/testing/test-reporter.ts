import type { Reporter, ReportSettings } from '../define-reporter.ts';
import { cells } from '../layout.ts';
import type { BenchResult, ResultCell } from '../types.ts';
import { HOSTILE_STRINGS, type SampleSettings, sampleResult } from './sample-result.ts';

/** What the suite checks, by name; a reporter that cannot meet one lists it in `skip` with the reason. */
const PROPERTIES = [
  'renders a result without cells',
  'renders one cell',
  'renders metrics that are all null, and none as 0',
  'renders every part of a result',
  'shows every cell',
  'gives the same text for the same result',
  'leaves the result as it was',
  'keeps hostile text in its own cell',
  'keeps hostile names in their own cell',
  'writes no control characters but line ends',
  'has no title, text or message in it that acts',
] as const;

export type ReporterProperty = (typeof PROPERTIES)[number];

export interface ReporterSuite {
  /** The test runner's own `test(name, run)`: vitest, node:test and others fit. */
  readonly test: (name: string, run: () => void) => void;
  /** Registers a test that is skipped, so that it is counted. */
  readonly skipTest?: (name: string) => void;
  /** What must be the same whether strings in a result are hostile or not: rows and columns, the tree of elements, keys and types. JSON-safe. */
  readonly structure: (text: string) => unknown;
  /** Whether a text shows a cell. Default: it holds its dataset and the names of its defense and its attack. */
  readonly shows?: (text: string, cell: ResultCell) => boolean;
  /** Strings that must never stand in the text as they are, since there they would act. */
  readonly forbidden?: readonly string[];
  /** Strings that stand for a number where a value is null, e.g. `0.0`; looked for where every metric is null. */
  readonly zeros?: RegExp;
  readonly settings?: ReportSettings;
  readonly skip?: Partial<Record<ReporterProperty, string>>;
}

const EVERYTHING: SampleSettings = { sweep: true, repeats: true, diagnose: true };

/** The public conformance suite of a reporter: what every one must do whatever it looks like. Throws through the given `test`. */
export function testReporter(reporter: Reporter, suite: ReporterSuite): void {
  const { structure, settings = { columns: 100, colour: false }, skip = {}, forbidden = [] } = suite;
  const render = (result: BenchResult): string => [...reporter.render(result, settings)].join('');
  const shows =
    suite.shows ??
    ((text: string, { dataset, defense, attack }: ResultCell): boolean =>
      [dataset, defense, attack].every((one) => text.includes(one.split('?')[0]!)));
  const showsAll = (options: SampleSettings): string => {
    const result = sampleResult(options);
    const text = render(result);
    verify(text !== '', 'nothing was written');
    for (const [index, cell] of result.cells.entries())
      verify(shows(text, cell), `cell ${index} (${cell.defense}, ${cell.attack}) is not shown`);
    return text;
  };
  const sameStructure = (benign: BenchResult, hostile: BenchResult): void =>
    equal(structure(render(hostile)), structure(render(benign)), 'the structure with hostile strings');
  const checks: Record<ReporterProperty, () => void> = {
    'renders a result without cells': () => void showsAll({ cells: 0 }),
    'renders one cell': () => void showsAll({ cells: 1 }),
    'renders metrics that are all null, and none as 0': () => {
      const text = showsAll({ questions: [1, 0] });
      const zero = suite.zeros?.exec(text);
      verify(!zero, `what could not be assessed is given as ${JSON.stringify(zero?.[0])}`);
    },
    'renders every part of a result': () => void showsAll(EVERYTHING),
    'shows every cell': () => void showsAll({}),
    'gives the same text for the same result': () => equal(render(sampleResult(EVERYTHING)), render(sampleResult(EVERYTHING)), 'the text'),
    'leaves the result as it was': () => {
      const result = sampleResult(EVERYTHING);
      const before = JSON.stringify(result);
      render(frozen(result));
      equal(JSON.stringify(result), before, 'the result');
    },
    'keeps hostile text in its own cell': () => {
      for (const options of [{}, EVERYTHING, { cells: 1 }])
        sameStructure(sampleResult(options), sampleResult({ ...options, hostile: true }));
    },
    'keeps hostile names in their own cell': () => {
      for (const name of HOSTILE_STRINGS) sameStructure(renamed('x'.repeat(cells(name))), renamed(name));
    },
    'writes no control characters but line ends': () => {
      for (const result of [sampleResult({ ...EVERYTHING, hostile: true }), ...HOSTILE_STRINGS.map(renamed)]) {
        const found = /(?!\r?\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u.exec(render(result));
        verify(!found, `there is a ${JSON.stringify(found?.[0])} at ${found?.index}`);
      }
    },
    'has no title, text or message in it that acts': () => {
      for (const result of [sampleResult({ ...EVERYTHING, hostile: true }), ...HOSTILE_STRINGS.map(renamed)]) {
        const text = render(result);
        for (const one of forbidden) verify(!text.includes(one), `there is ${JSON.stringify(one)}`);
      }
    },
  };
  for (const property of PROPERTIES) {
    const reason = skip[property];
    if (reason === undefined) suite.test(property, checks[property]);
    else suite.skipTest?.(`${property} (${reason})`);
  }
}

/** A sample in which datasets, SPECs, encoders and parts begin with a text: no attacker's, but a folder may be called anything. */
function renamed(name: string): BenchResult {
  const result = sampleResult({ cells: 8 });
  const named = (plain: string): string => `${name}${plain}`;
  return {
    ...result,
    run: { ...result.run, datasets: result.run.datasets.map((dataset) => ({ ...dataset, name: named(dataset.name) })) },
    questions: result.questions.map((question) => ({ ...question, dataset: named(question.dataset) })),
    cells: result.cells.map((cell) => ({
      ...cell,
      dataset: named(cell.dataset),
      part: name,
      attack: cell.attack === 'none' ? 'none' : named(cell.attack),
      defense: named(cell.defense),
      encoder: cell.encoder === null ? null : named(cell.encoder),
      sweep: cell.defense === 'none' ? null : { [name]: name },
    })),
  };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part);
  return value;
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a === b) return;
  const from = Math.max(0, [...a].findIndex((character, index) => character !== b[index]) - 60);
  throw new Error(`${what} differs: ${a.slice(from, from + 300)}, expected ${b.slice(from, from + 300)}`);
}

function verify(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
