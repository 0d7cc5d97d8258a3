import { describe, expect, it } from 'vitest';
import { defineReporter, type Reporter } from '../define-reporter.ts';
import { REPORTERS } from '../registry.generated.ts';
import { jsonl } from '../reporters/jsonl.ts';
import type { BenchResult, ResultCell } from '../types.ts';
import { type ReporterSuite, testReporter } from './test-reporter.ts';

/** Keys and types; what a sweep varies is named by its user, so that its keys are counted only. */
function shapeOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => shapeOf(one));
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const entries = Object.entries(value);
  return key === 'sweep' ? entries.length : entries.map(([name, part]) => [name, shapeOf(part, name)]);
}

/** Fields of RFC 4180, read the slow way. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      row.push(field.replace(/\r$/, ''));
      field = '';
      if (character === '\n') {
        rows.push(row);
        row = [];
      }
    } else field += character;
  }
  return rows;
}

type Kit = Omit<ReporterSuite, 'test'>;

const isAmong = (cells: readonly ResultCell[], { dataset, defense, attack, poisons }: ResultCell): boolean =>
  cells.some((one) => one.dataset === dataset && one.defense === defense && one.attack === attack && one.poisons === poisons);

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const KITS: Readonly<Record<string, Kit>> = {
  json: {
    structure: (text) => shapeOf(JSON.parse(text)),
    shows: (text, cell) => isAmong(JSON.parse(text).cells, cell),
    zeros: /"value":0/,
  },
  jsonl: {
    structure: (text) => jsonLines(text).map((line) => [line.type, shapeOf(line)]),
    shows: (text, cell) =>
      isAmong(
        jsonLines(text).filter(({ type }) => type === 'cell'),
        cell,
      ),
    zeros: /"value":0/,
  },
  csv: {
    structure: (text) => csvRows(text).map(({ length }) => length),
    shows: (text, cell) => csvRows(text).some((row) => row[1] === cell.dataset && row[2] === cell.attack && row[4] === cell.defense),
    forbidden: ['\n=', ',=', ',@', ',+', ',-'],
  },
  // So wide that no row is broken; heads are, so only blank lines and the figures of each row count.
  table: {
    structure: (text) =>
      text
        .split('\n')
        .map((line) => (line === '' ? 'blank' : (line.match(/\d+\.\d \(\d+–\d+\)/g)?.length ?? 0)))
        .filter((figures) => figures !== 0),
    shows: (text, { dataset, defense, attack }) =>
      [dataset, defense.split('?')[0]!, ...(attack === 'none' ? [] : attack.split(/(?<=[-?=])/))].every((one) => text.includes(one)),
    settings: { columns: 2000, colour: false },
    zeros: /\b0\.0/,
  },
  markdown: {
    structure: (text) =>
      text.split('\n').map((line) => [/^(# |## |- |\*\*|\||$)?/.exec(line)![0], line.split('|').length, line.split('*').length]),
    forbidden: ['<', '](', '![', '`', '=cmd|'],
    zeros: /\b0\.0/,
  },
  html: {
    structure: (text) => [...text.matchAll(/<(\/?[a-z][a-z0-9]*)[\s/>]/g)].map(([, name]) => name),
    forbidden: ['<script', '<img', '<!-- comment', '</style></title>'],
  },
};

describe.each(Object.keys(REPORTERS))('%s', (name) => {
  testReporter(REPORTERS[name]!, { test: it, skipTest: it.skip, ...KITS[name]! });
});

interface Writable {
  cells: BenchResult['cells'];
}

describe('testReporter', () => {
  /** Names of the properties that a reporter fails. */
  function failures(render: Reporter['render'], kit: Partial<Kit> = {}): string[] {
    const failed: string[] = [];
    testReporter(defineReporter({ name: 'own', summary: '', render }), {
      structure: (text) => text.split('\n').length,
      ...kit,
      test: (name, run) => {
        try {
          run();
        } catch {
          failed.push(name);
        }
      },
    });
    return failed;
  }

  it('finds nothing in a sound reporter', () => {
    expect(failures((result, settings) => jsonl.render(result, settings), KITS.jsonl)).toEqual([]);
  });

  it('finds one that writes strings as they are', () => {
    const raw: Reporter['render'] = (result, settings) => [
      ...jsonl.render(result, settings),
      ...result.passages.map(({ text }) => `${text}\n`),
      ...result.cells.map(({ defense }) => `${defense}\n`),
    ];
    expect(failures(raw, { forbidden: ['<script>'] })).toEqual([
      'keeps hostile text in its own cell',
      'keeps hostile names in their own cell',
      'writes no control characters but line ends',
      'has no title, text or message in it that acts',
    ]);
  });

  it('finds one that leaves out a cell, fails on none, or gives null as 0', () => {
    expect(failures((result, settings) => jsonl.render({ ...result, cells: result.cells.slice(0, 2) }, settings), KITS.jsonl)).toEqual([
      'renders metrics that are all null, and none as 0',
      'renders every part of a result',
      'shows every cell',
    ]);
    expect(failures((result) => [String(result.cells[0]!.queries)])).toContain('renders a result without cells');
    const zeros: Reporter['render'] = (result) => result.cells.map(({ metrics }) => `${Number(metrics.ndcg?.value ?? 0).toFixed(1)}\n`);
    expect(failures(zeros, { zeros: /0\.0/, shows: () => true })).toContain('renders metrics that are all null, and none as 0');
  });

  it('finds one that changes the result, or its own text', () => {
    let times = 0;
    expect(failures((result, settings) => [`${times++}\n`, ...jsonl.render(result, settings)])).toEqual([
      'gives the same text for the same result',
    ]);
    expect(
      failures((result, settings) => {
        (result as Writable).cells = [...result.cells].reverse();
        return jsonl.render(result, settings);
      }),
    ).toContain('leaves the result as it was');
  });

  it('counts what is skipped', () => {
    const run: string[] = [];
    const skipped: string[] = [];
    testReporter(jsonl, {
      ...KITS.jsonl!,
      test: (name) => run.push(name),
      skipTest: (name) => skipped.push(name),
      skip: { 'renders one cell': 'for a reason' },
    });
    expect([run.length, skipped]).toEqual([10, ['renders one cell (for a reason)']]);
  });
});
