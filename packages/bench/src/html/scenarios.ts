import type { BenchResult, MetricValue, ResultCell } from '../types.ts';

/** A cell and its place in the result, by which the page links to it. */
export interface Placed {
  readonly cell: ResultCell;
  readonly index: number;
}

/** One defense under every attack of its scenario. */
export interface DefenseRow {
  readonly label: string;
  /** By column; a defense need not have been measured against all. */
  readonly attacked: ReadonlyMap<string, Placed>;
  readonly unattacked: Placed | null;
}

/** Cells that may be compared with one another: same dataset and same settings. Attacks (with their number of poisons) are columns, defenses rows. */
export interface Scenario {
  readonly dataset: string;
  /** What is the same in all of its cells, in words. */
  readonly settings: string;
  readonly swept: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly DefenseRow[];
  readonly cells: readonly Placed[];
}

export const metricOf = (cell: ResultCell, name: string): MetricValue | null =>
  Object.hasOwn(cell.metrics, name) && cell.metrics[name]!.value !== null ? cell.metrics[name]! : null;

export const isAttacked = ({ attack }: ResultCell): boolean => attack !== 'none';

/** `poisonedrag, 3 poisoned`. */
export const columnOf = (cell: ResultCell): string =>
  `${cell.attack}, ${cell.placement === 'ratio' ? `${Math.round(100 * cell.poisons)} %` : cell.poisons} poisoned`;

export const sweepInWords = (cell: ResultCell): string =>
  Object.entries(cell.sweep ?? {})
    .map(([option, value]) => `${option} = ${value}`)
    .join(', ');

function settingsInWords(cell: ResultCell): string {
  const seeds = cell.seeds.length > 1 ? `seeds ${cell.seeds.join(', ')}` : `seed ${cell.seed}`;
  return [
    ...(cell.part === null ? [] : [cell.part]),
    ...(cell.sweep === null ? [] : [sweepInWords(cell)]),
    `pool ${cell.pool}`,
    `keep ${cell.keep}`,
    `placement ${cell.placement}`,
    `retriever ${cell.retriever}`,
    ...(cell.passageText === 'text' ? ['text without title'] : []),
    ...(cell.shortPools ? ['short pools allowed'] : []),
    ...(cell.keepDuplicates ? ['duplicates kept'] : []),
    ...(cell.isolated ? ["only the question's own poisons"] : []),
    ...(cell.limit === null ? [] : [`first ${cell.limit} questions`]),
    seeds,
  ].join(' · ');
}

/** The cells by scenario, in the order of the result. */
export function scenariosOf(result: BenchResult): Scenario[] {
  const groups = new Map<string, Placed[]>();
  for (const [index, cell] of result.cells.entries()) {
    const key = JSON.stringify([cell.dataset, settingsInWords(cell), cell.seeds]);
    const group = groups.get(key);
    if (group) group.push({ cell, index });
    else groups.set(key, [{ cell, index }]);
  }
  return [...groups.values()].map(scenarioOf);
}

function scenarioOf(cells: readonly Placed[]): Scenario {
  const first = cells[0]!.cell;
  const label = rowLabels(cells.map(({ cell }) => cell));
  const rows = new Map<string, { label: string; attacked: Map<string, Placed>; unattacked: Placed | null }>();
  for (const placed of cells) {
    const name = label(placed.cell);
    const row = rows.get(name) ?? { label: name, attacked: new Map(), unattacked: null };
    rows.set(name, row);
    if (isAttacked(placed.cell)) row.attacked.set(columnOf(placed.cell), placed);
    else row.unattacked = placed;
  }
  return {
    dataset: first.dataset,
    settings: settingsInWords(first),
    swept: first.sweep !== null,
    columns: [...new Set(cells.filter(({ cell }) => isAttacked(cell)).map(({ cell }) => columnOf(cell)))],
    rows: [...rows.values()],
    cells,
  };
}

/** Names a cell's row: the defense, with encoder, model and answerer where they tell rows of the same defense apart. */
function rowLabels(cells: readonly ResultCell[]): (cell: ResultCell) => string {
  const variants = new Map<string, { encoders: Set<string | null>; models: Set<string | null>; answerers: Set<string | null> }>();
  for (const { defense, encoder, model, answerer } of cells) {
    const known = variants.get(defense) ?? { encoders: new Set(), models: new Set(), answerers: new Set() };
    variants.set(defense, known);
    known.encoders.add(encoder);
    known.models.add(model);
    known.answerers.add(answerer);
  }
  return ({ defense, encoder, model, answerer }) => {
    const { encoders, models, answerers } = variants.get(defense)!;
    const extra = [encoders.size > 1 ? encoder : null, models.size > 1 ? model : null, answerers.size > 1 ? answerer : null];
    return [defense, ...extra.filter((part) => part !== null)].join(' · ');
  };
}

/** The worst that any attack did to a defense, and how well the defense serves where nobody attacks. */
export interface Standing {
  readonly row: DefenseRow;
  /** The cell with the highest `poisonInContext`; null where none was assessed. */
  readonly worst: { readonly column: string; readonly placed: Placed; readonly metric: MetricValue & { readonly value: number } } | null;
  /** Attacks of the scenario that the defense was assessed against. */
  readonly assessedAgainst: number;
  readonly clean: (MetricValue & { readonly value: number }) | null;
}

export function standingOf(row: DefenseRow, columns: readonly string[]): Standing {
  let worst: Standing['worst'] = null;
  let assessedAgainst = 0;
  for (const column of columns) {
    const placed = row.attacked.get(column);
    const metric = placed ? metricOf(placed.cell, 'poisonInContext') : null;
    if (!placed || metric?.value == null) continue;
    assessedAgainst++;
    if (worst === null || metric.value > worst.metric.value) worst = { column, placed, metric: { ...metric, value: metric.value } };
  }
  // Clean runs of one defense are the same under every attack, but for the questions that an attack cannot be run on: most questions win.
  let clean: Standing['clean'] = null;
  for (const placed of [...(row.unattacked ? [row.unattacked] : []), ...row.attacked.values()]) {
    const metric = metricOf(placed.cell, 'cleanSuccessRate');
    if (metric?.value != null && (clean === null || metric.n > clean.n)) clean = { ...metric, value: metric.value };
  }
  return { row, worst, assessedAgainst, clean };
}
