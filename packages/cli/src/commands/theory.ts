import { wrap } from '@bezoar/bench/layout';
import { type RagpartTheory, ragpartCost, ragpartTheory } from '@bezoar/core/kernels/ragpart-theory';
import { type CommonOptions, EXIT } from '../run-command.ts';
import { paint, type Terminal } from '../terminal.ts';

export interface TheoryOptions extends CommonOptions {
  readonly fragments?: number;
  readonly combine?: number;
  readonly poisoned?: number;
  readonly adversarial: number;
  readonly format: 'table' | 'json';
}

/** What the paper's tables 2 to 5 go over. */
const RANGE = Array.from({ length: 13 }, (_, i) => i + 3);
/** The sizes of the paper's example, section 6.2. */
const SIZES = { passages: 1_000_000, dimensions: 512, encoderFlops: 1e9 };

const LABEL =
  'Descriptive only, no certificate: the model takes a mean with one poisoned fragment for clean, whatever k, and knows nothing of your encoder, corpus or attacker. Measure with bezoar bench.';

interface Cell extends RagpartTheory {
  readonly fragments: number;
  readonly combine: number;
  readonly poisoned: number;
  readonly adversarial: number;
}

/** Prints for which fragments and combinations the robustness condition of RAGPart's paper holds. */
export async function theory(options: TheoryOptions, terminal: Terminal): Promise<number> {
  const { adversarial, format } = options;
  const asked = options.fragments !== undefined || options.combine !== undefined;
  const fragments = asked ? [options.fragments ?? 5] : RANGE;
  const cells = fragments.flatMap((n) => {
    const combined = options.combine !== undefined ? [options.combine] : asked ? upTo(n) : RANGE.filter((k) => k <= n);
    const poisoned = options.poisoned !== undefined ? [options.poisoned] : asked ? upTo(n) : [2, 3];
    return combined.flatMap((combine) =>
      poisoned.map((count): Cell => {
        const setting = { fragments: n, combine, poisoned: count, adversarial };
        return { ...setting, ...ragpartTheory(setting) };
      }),
    );
  });
  const costs = asked
    ? [...new Set(cells.map(({ combine }) => combine))].map((combine) => ({
        fragments: fragments[0]!,
        combine,
        ...SIZES,
        ...ragpartCost({ fragments: fragments[0]!, combine, ...SIZES }),
      }))
    : [];
  if (format === 'json') {
    await terminal.write(`${JSON.stringify({ mechanism: 'ragpart', descriptive: LABEL, cells, costs }, null, 2)}\n`);
    return EXIT.done;
  }
  const title = `RAGPart's robustness condition, ${adversarial} adversarial ${adversarial === 1 ? 'document' : 'documents'}`;
  const lines = [
    paint(terminal, 'bold', title),
    ...wrap(LABEL, terminal.columns).map((line) => paint(terminal, 'yellow', line)),
    '',
    ...(asked ? [...rowsOf(cells), '', ...costLines(costs)] : grids(cells, terminal)),
    '',
    ...wrap(
      'Source: Pathmanathan et al. 2025, RAGPart & RAGMask, section 6 and tables 2 to 5, https://arxiv.org/abs/2512.24268',
      terminal.columns,
    ),
  ];
  await terminal.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

/** The paper's tables: for each number of poisoned fragments, N down, k across, and both mechanisms beside each other where there is room. */
function grids(cells: readonly Cell[], { columns }: Terminal): string[] {
  const lines: string[] = [];
  for (const poisoned of [...new Set(cells.map((cell) => cell.poisoned))]) {
    const own = cells.filter((cell) => cell.poisoned === poisoned);
    const naive = grid('naive combination', own, ({ robustNaive }) => robustNaive);
    const part = grid('RAGPart', own, ({ robustPart }) => robustPart);
    lines.push(`${poisoned} poisoned ${poisoned === 1 ? 'fragment' : 'fragments'} a document: N down, k across`);
    if (naive[1]!.length + part[1]!.length + 4 <= columns)
      lines.push(...naive.map((line, i) => `${line.padEnd(naive[1]!.length)}    ${part[i]}`.trimEnd()));
    else lines.push(...naive, ...part);
    lines.push('');
  }
  return [...lines, '✓ holds   ✗ does not   · k is more than N'];
}

function grid(title: string, cells: readonly Cell[], holds: (cell: Cell) => boolean): string[] {
  const mark = (n: number, k: number): string => {
    const cell = cells.find(({ fragments, combine }) => fragments === n && combine === k);
    return cell ? (holds(cell) ? '✓' : '✗') : '·';
  };
  const line = (first: string, rest: readonly string[]): string => `${first.padStart(3)}${rest.map((text) => text.padStart(3)).join('')}`;
  return [
    title,
    line('N\\k', RANGE.map(String)),
    ...RANGE.map((n) =>
      line(
        String(n),
        RANGE.map((k) => mark(n, k)),
      ),
    ),
  ];
}

function rowsOf(cells: readonly Cell[]): string[] {
  const head = ['N', 'k', 'poisoned', 'databases', 'naive: poisoned', 'holds', 'for up to', 'RAGPart: poisoned', 'holds', 'for up to'];
  const most = (count: number | null): string => (count === null ? 'any' : String(count));
  const rows = cells.map((cell) => [
    String(cell.fragments),
    String(cell.combine),
    String(cell.poisoned),
    String(cell.total),
    String(cell.xNaive),
    cell.robustNaive ? '✓' : '✗',
    most(cell.mostNaive),
    String(cell.xPart),
    cell.robustPart ? '✓' : '✗',
    most(cell.mostPart),
  ]);
  return [head, ...rows].map((row) =>
    row
      .map((text, column) => text.padStart(head[column]!.length))
      .join(' ')
      .trimEnd(),
  );
}

function costLines(costs: readonly (ReturnType<typeof ragpartCost> & { readonly combine: number })[]): string[] {
  const shown = (operations: number): string => operations.toExponential(2);
  return [
    "Operations for 1,000,000 passages of 512 numbers, 1e9 to encode a fragment (the paper's example):",
    ...costs.flatMap(({ combine, ingestNaive, ingestPart, ingestHere, query, queryHere }) => [
      `  k ${combine}: index ${shown(ingestNaive)} naive, ${shown(ingestPart)} RAGPart, ${shown(ingestHere)} as built here`,
      `  ${' '.repeat(String(combine).length + 3)} question ${shown(query)} against all databases, ${shown(queryHere)} as built here`,
    ]),
  ];
}
