import { defineReporter } from '../define-reporter.ts';
import { withEncoderLabels } from '../encoder-label.ts';
import { breachedQuestions, questionsPerCell } from '../html/breached-questions.ts';
import { diagnosis } from '../html/diagnosis.ts';
import { findings } from '../html/findings.ts';
import { heatLegend, heatMap } from '../html/heat-map.ts';
import { type Content, type Markup, html as markup } from '../html/markup.ts';
import { measured, methods, reproduce } from '../html/methods.ts';
import { metricTable } from '../html/metric-table.ts';
import { count } from '../html/numbers.ts';
import { rankMovement } from '../html/rank-movement.ts';
import { repeatsTable } from '../html/repeats-table.ts';
import { scatter } from '../html/scatter.ts';
import { columnOf, isAttacked, type Placed, type Scenario, scenariosOf, sweepInWords } from '../html/scenarios.ts';
import { style } from '../html/style.ts';
import { sweepCharts, sweepsOf } from '../html/sweep-lines.ts';
import { warnings } from '../html/warnings.ts';
import type { BenchResult } from '../types.ts';

/** What is drawn at most; the tables have everything. Each limit is said on the page where it bites. */
const MOST_SCENARIOS_OPEN = 6;
const MOST_MOVEMENTS = 60;
const MOST_SWEEPS = 40;
const MOST_DIAGNOSES = 20;
const MOST_FAILING_CELLS = 350;

const SECTIONS = [
  ['heat', 'Attack by defense'],
  ['scatter', 'Utility against robustness'],
  ['ranks', 'Rank movement'],
  ['sweeps', 'Sweeps'],
  ['repeats', 'Repeats'],
  ['diagnoses', 'Diagnoses'],
  ['failed', 'Failing questions'],
  ['metrics', 'All metrics'],
  ['methods', 'Methods'],
  ['again', 'Run it again'],
] as const;

type SectionId = (typeof SECTIONS)[number][0];

const nameOf = ({ cell }: Placed): string =>
  [
    cell.dataset,
    cell.defense,
    ...(cell.encoder === null ? [] : [cell.encoder]),
    isAttacked(cell) ? columnOf(cell) : 'no attack',
    ...(cell.sweep === null ? [] : [sweepInWords(cell)]),
  ].join(' · ');

const heading = (id: SectionId): Markup => markup`<h2 id="${id}">${SECTIONS.find(([one]) => one === id)![1]}</h2>`;

/** The first ones in the open, the rest to unfold. */
const folded = (parts: readonly Markup[], open: number, summary: string): Content =>
  parts.length <= open
    ? parts
    : [...parts.slice(0, open), markup`<details><summary>${summary}: ${parts.length - open} more</summary>${parts.slice(open)}</details>`];

const limited = (shown: number, all: number, things: string): Content =>
  shown < all ? markup`<p class="quiet">Showing ${shown} of ${all} ${things}; the tables have them all.</p>` : '';

/** One self-contained page: no script, nothing loaded, everything from a result escaped by construction. */
export const html = defineReporter({
  name: 'html',
  summary: 'one self-contained page with heat map, charts and every failing question',
  *render(result) {
    for (const piece of page(withEncoderLabels(result))) yield piece.source;
  },
});

function* page(result: BenchResult): Generator<Markup> {
  const scenarios = scenariosOf(result);
  const plain = scenarios.filter(({ swept }) => !swept);
  // Swept cells have their lines; where there are no others, they are the result.
  const drawn = plain.length > 0 ? plain : scenarios;
  const sweeps = sweepsOf(result.cells);
  const repeated = result.cells.some(({ seeds }) => seeds.length > 1);
  const { run } = result;
  const title = run.suite ? run.suite.title : 'Corpus poisoning bench';
  const absent: SectionId[] = [
    ...(sweeps.length === 0 ? ['sweeps' as const] : []),
    ...(repeated ? [] : ['repeats' as const]),
    ...(result.diagnoses.length === 0 ? ['diagnoses' as const] : []),
  ];
  yield markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title} · Bezoar</title><style>${style}</style></head><body>
<a class="skip" href="#heat">To the results</a>
<header><h1>${title}</h1><p class="quiet">Bezoar ${run.versions.bezoar ?? ''} · started ${run.startedAt} · seed ${run.seed} · ${count(result.cells.length, 'cell')}</p>${findings(result, drawn)}${warnings(result)}
${measured(result)}${settingsList(drawn)}
<nav aria-label="Sections"><ul>${SECTIONS.filter(([id]) => !absent.includes(id)).map(([id, name]) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav></header><main>
`;
  yield markup`${heading('heat')}${drawn.length === 0 ? markup`<p>Nothing was measured.</p>` : heatLegend()}${folded(drawn.map(heatMap), MOST_SCENARIOS_OPEN, 'Further datasets and settings')}
`;
  const attacked = drawn.filter(({ columns }) => columns.length > 0);
  yield markup`${heading('scatter')}${attacked.length === 0 ? markup`<p>No attack was run.</p>` : ''}${folded(
    attacked.map((scenario, index) => scatter(scenario, `scatter-${index}`)),
    MOST_SCENARIOS_OPEN,
    'Further datasets and settings',
  )}
`;
  yield* rankSection(result, attacked);
  if (sweeps.length > 0) {
    const parts = sweeps
      .slice(0, MOST_SWEEPS)
      .map((sweep, index) => markup`<h3>${sweep.option} on ${sweep.dataset}: ${sweep.fixed}</h3>${sweepCharts(sweep, `sweep-${index}`)}`);
    yield markup`${heading('sweeps')}${limited(parts.length, sweeps.length, 'sweeps')}${folded(parts, MOST_SCENARIOS_OPEN, 'Further sweeps')}
`;
  }
  if (repeated)
    yield markup`${heading('repeats')}${repeatsTable(result)}
`;
  if (result.diagnoses.length > 0) {
    const parts = result.diagnoses.slice(0, MOST_DIAGNOSES).map((found, index) => diagnosis(found, result, `diagnosis-${index}`));
    yield markup`${heading('diagnoses')}${limited(parts.length, result.diagnoses.length, 'diagnoses')}${folded(parts, 2, 'Further diagnoses')}
`;
  }
  yield* failingSection(result);
  yield markup`${heading('metrics')}`;
  for (const scenario of scenarios)
    yield markup`<details><summary><bdi>${scenario.dataset}</bdi> · ${scenario.settings}: ${count(scenario.cells.length, 'cell')}</summary>${metricTable(scenario)}</details>
`;
  yield markup`${heading('methods')}${methods(result)}${heading('again')}${reproduce(result)}</main></body></html>
`;
}

/** The different settings that the cells had. */
function settingsList(scenarios: readonly Scenario[]): Markup {
  const settings = [...new Set(scenarios.map(({ settings }) => settings))];
  const shown = settings.slice(0, MOST_SCENARIOS_OPEN);
  const more = settings.length - shown.length;
  return markup`<p>${shown.map((one, index) => markup`${index === 0 ? '' : markup`<br>`}${one}`)}${more > 0 ? ` and ${more} other settings` : ''}</p>`;
}

function* rankSection(result: BenchResult, scenarios: readonly Scenario[]): Generator<Markup> {
  yield markup`${heading('ranks')}<p>Across: the rank in the pool. Down: the place in the context, or out. Area and number: how many passages; on the grey line nothing moved. Gold is what the dataset calls relevant.</p>
`;
  const attackedIn = ({ cells }: Scenario): Placed[] => cells.filter(({ cell }) => isAttacked(cell));
  const all = scenarios.flatMap(attackedIn);
  const opened = new Set(
    scenarios
      .slice(0, 1)
      .flatMap(attackedIn)
      .filter(({ cell }) => columnOf(cell) === columnOf(all[0]!.cell)),
  );
  const isFirst = (placed: Placed): boolean => opened.has(placed);
  const drawn = [...all.filter(isFirst), ...all.filter((placed) => !isFirst(placed))].slice(0, MOST_MOVEMENTS);
  const open = drawn.filter(isFirst).length;
  const parts = drawn.map(
    (placed) =>
      markup`<section class="movement"><h3><bdi>${nameOf(placed)}</bdi></h3>${rankMovement(result, placed.cell, `ranks-${placed.index}`)}</section>`,
  );
  yield markup`${limited(drawn.length, all.length, 'cells')}<div class="panels">${parts.slice(0, open)}</div>${
    parts.length > open
      ? markup`<details><summary>Other datasets and attacks: ${parts.length - open} more</summary><div class="panels">${parts.slice(open)}</div></details>`
      : ''
  }
`;
}

function* failingSection(result: BenchResult): Generator<Markup> {
  yield markup`${heading('failed')}`;
  const failing = result.cells
    .map((cell, index) => ({ cell, index }))
    .filter(({ cell }) => cell.records.some(({ outcome }) => outcome === 'breached'));
  if (failing.length === 0) yield markup`<p>No question was breached.</p>`;
  const shown = failing.slice(0, MOST_FAILING_CELLS);
  const most = questionsPerCell(shown.length);
  yield markup`${limited(shown.length, failing.length, 'cells with breached questions')}`;
  for (const placed of shown) yield breachedQuestions(result, placed, nameOf(placed), most);
}
