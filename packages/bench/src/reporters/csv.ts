import { defineReporter } from '../define-reporter.ts';
import { printable } from '../layout.ts';
import type { BenchResult, ResultCell } from '../types.ts';

type Field = string | number | boolean | null;

/** What a column holds of a cell. */
const SETTINGS: readonly (readonly [name: string, of: (cell: ResultCell) => Field])[] = [
  ...(['part', 'dataset', 'attack', 'poisons', 'defense', 'encoder', 'answerer', 'model'] as const).map(plain),
  [
    'sweep',
    ({ sweep }) =>
      sweep === null
        ? null
        : Object.entries(sweep)
            .map((entry) => entry.join('='))
            .join('; '),
  ],
  ...(['retriever', 'pool', 'keep', 'placement', 'passageText', 'shortPools', 'keepDuplicates', 'isolated', 'limit', 'seed'] as const).map(
    plain,
  ),
  ['seeds', ({ seeds }) => seeds.join(' ')],
  ['queries', ({ queries }) => queries],
  ['breached', ({ outcomes }) => outcomes.breached],
  ['resisted', ({ outcomes }) => outcomes.resisted],
  ['unassessed', ({ outcomes }) => outcomes.notAssessed],
  ['warnings', ({ warnings }) => warnings.map(({ code }) => code).join(' ')],
];

const METRIC = ['metric', 'value', 'low', 'high', 'n', 'notAssessed', 'deviation'];

/** One row a cell and metric, unrounded, for spreadsheets and data frames; RFC 4180. What could not be assessed is empty. */
export const csv = defineReporter({
  name: 'csv',
  summary: 'One row for every metric of every cell, with all settings as columns.',
  *render({ cells }: BenchResult) {
    yield row([...SETTINGS.map(([name]) => name), ...METRIC]);
    for (const cell of cells) {
      const settings = SETTINGS.map(([, of]) => of(cell));
      const metrics = Object.entries(cell.metrics);
      if (metrics.length === 0) yield row([...settings, ...METRIC.map(() => null)]);
      for (const [name, { value, low, high, n, notAssessed, deviation }] of metrics)
        yield row([...settings, name, value, low, high, n, notAssessed, deviation ?? null]);
    }
  },
});

function plain<K extends keyof ResultCell>(key: K): readonly [string, (cell: ResultCell) => Field] {
  return [key, (cell) => cell[key] as Field];
}

const row = (fields: readonly Field[]): string => `${fields.map(field).join(',')}\r\n`;

/** A text that a spreadsheet would compute gets an apostrophe in front; a number may begin with a minus. */
function field(value: Field): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = printable(value);
  const guarded = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${text}` : text;
  return /[",\s]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
