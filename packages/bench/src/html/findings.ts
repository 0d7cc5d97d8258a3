import type { BenchResult } from '../types.ts';
import { html, type Markup } from './markup.ts';
import { count, percent, span } from './numbers.ts';
import { type Scenario, type Standing, standingOf } from './scenarios.ts';

/** Scenarios that a finding is written about; a reader of more of them reads the tables. */
const MOST_FINDINGS = 3;

const points = (share: number): string => `${(100 * share).toFixed(1)} points`;

/** What a reader should take home, computed: the defense with the lowest worst case, what it costs where nobody attacks, and whether that is settled. */
export function findings(result: BenchResult, scenarios: readonly Scenario[]): Markup {
  const told = scenarios.filter(({ columns }) => columns.length > 0).slice(0, MOST_FINDINGS);
  let [breached, resisted, notAssessed] = [0, 0, 0];
  for (const { outcomes } of result.cells) {
    breached += outcomes.breached;
    resisted += outcomes.resisted;
    notAssessed += outcomes.notAssessed;
  }
  const totals = html`<p>${count(result.cells.length, 'cell')}: ${count(breached, 'question')} breached, ${resisted.toLocaleString('en-US')} resisted or not attacked, <b>${notAssessed.toLocaleString('en-US')} not assessed</b>${result.cells.some(({ seeds }) => seeds.length > 1) ? ' (a question counts once a seed)' : ''}.</p>`;
  return html`<div class="findings">${told.map((scenario) =>
    findingOf(
      scenario,
      told.some(({ settings }) => settings !== told[0]!.settings),
    ),
  )}${totals}</div>`;
}

function findingOf(scenario: Scenario, settingsDiffer: boolean): Markup {
  const standings = scenario.rows.map((row) => standingOf(row, scenario.columns));
  const isBaseline = ({ row }: Standing): boolean => row.label === 'none' || row.label.startsWith('none · ');
  const baseline = standings.find((standing) => isBaseline(standing) && standing.worst);
  const whole = standings
    .filter((standing) => !isBaseline(standing) && standing.worst && standing.assessedAgainst === scenario.columns.length)
    .sort((a, b) => a.worst!.metric.value - b.worst!.metric.value || (b.clean?.value ?? 0) - (a.clean?.value ?? 0));
  const best = whole[0];
  const start = html`On <b>${scenario.dataset}</b>${settingsDiffer ? ` (${scenario.settings})` : ''},`;
  if (!best) return html`<p>${start} no defense was assessed against every attack, so none is said to be best.</p>`;
  const { metric, column } = best.worst!;
  const against = baseline?.worst ? `, ${percent(baseline.worst.metric.value)} without a defense` : '';
  const better = !baseline?.worst || metric.value < baseline.worst.metric.value;
  const first = better
    ? html`${start} <b><bdi>${best.row.label}</bdi></b> has the lowest worst case: poison reached the context of <b>${percent(metric.value)}</b> of questions under ${column} (95 % interval ${span(metric, percent)}, n\u00a0=\u00a0${metric.n})${against}.`
    : html`${start} no defense lowered the worst case: the best, <b><bdi>${best.row.label}</bdi></b>, has ${percent(metric.value)} under ${column} (95 % interval ${span(metric, percent)}, n\u00a0=\u00a0${metric.n})${against}.`;
  const level = whole.filter(
    (other) => other !== best && other.worst!.metric.low !== null && metric.high !== null && other.worst!.metric.low <= metric.high,
  );
  const settled =
    level.length === 0
      ? ''
      : html` Not settled: the ${level.length === 1 ? 'interval of one other defense overlaps' : `intervals of ${level.length} other defenses overlap`} with its own.`;
  return html`<p>${first} ${cost(best, baseline)}${settled}</p>`;
}

function cost(best: Standing, baseline: Standing | undefined): Markup {
  if (!best.clean) return html`What it costs without an attack was not assessed.`;
  const found = html`Without an attack gold was in the context of ${percent(best.clean.value)} (${span(best.clean, percent)}, n\u00a0=\u00a0${best.clean.n})`;
  if (!baseline?.clean) return html`${found}.`;
  const loss = baseline.clean.value - best.clean.value;
  const said = loss > 0 ? `${points(loss)} lower than` : loss < 0 ? `${points(-loss)} higher than` : 'the same as';
  return html`${found}, ${said} the ${percent(baseline.clean.value)} without a defense.`;
}
