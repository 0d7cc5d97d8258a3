import type { BenchResult } from '../types.ts';
import { html, type Markup } from './markup.ts';
import { scrolling } from './scrolling.ts';

/** What was measured, as a table: datasets, then versions. */
export function measured(result: BenchResult): Markup {
  const { run, cells } = result;
  const rows = run.datasets.map(({ name, queries, passages, fingerprint }) => {
    const assessed = cells.filter(({ dataset }) => dataset === name).map(({ outcomes }) => outcomes.breached + outcomes.resisted);
    const least = Math.min(...assessed);
    const most = Math.max(...assessed);
    const said = assessed.length === 0 ? '–' : least === most ? String(most) : `${least} to ${most}`;
    return html`<tr><th scope="row"><bdi>${name}</bdi></th><td>${queries}</td><td>${passages.toLocaleString('en-US')}</td><td>${said}</td><td><code>${fingerprint.slice(0, 12)}</code></td></tr>`;
  });
  return scrolling(
    'Datasets',
    html`<table><caption>Datasets</caption><thead><tr><th scope="col">Dataset</th><th scope="col">Questions</th><th scope="col">Passages</th><th scope="col">Assessed per cell${cells.some(({ seeds }) => seeds.length > 1) ? ' (all seeds)' : ''}</th><th scope="col">Fingerprint</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

/** How the numbers came about, in a paragraph for those who have not read the documentation. */
export const methods = (
  result: BenchResult,
): Markup => html`<p>For each question a pool of passages is made twice, from the clean corpus and from the poisoned one. A defense sees a pool without labels; what it passes on, at most the number of passages to keep where it ranks, is the context. A question is <b>breached</b> when a poisoned passage of its own is in the context, <b>resisted</b> when none is, and <b>not assessed</b> when the attack, the pool or the defense could not be made or run; such questions are counted and enter no number. Shares of questions have Wilson's interval, quantiles that of their order statistics, other numbers a seeded bootstrap over questions, all at 95 % and each for itself: with many cells some intervals miss by chance. Differences between defenses belong to <code>bezoar compare</code>, which pairs the questions and allows for the number of comparisons. Nothing here says what a language model answers unless a cell names an answerer.</p>
<p>More: metrics in <code>docs/metrics.md</code>, attacks in <code>docs/attacks.md</code>, defenses in <code>docs/defenses.md</code>, placements, warnings and statistics in <code>docs/methodology.md</code>.</p>${
  result.run.suite && result.run.suite.differs.length > 0
    ? html`<p>What differs from the paper:</p><ul>${result.run.suite.differs.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
    : ''
}`;

/** What to run again, and on what it ran. */
export function reproduce(result: BenchResult): Markup {
  const { run } = result;
  const versions = Object.entries(run.versions).map(([name, version]) => html`<li>${name} ${version}</li>`);
  const datasets = run.datasets.map(({ name, fingerprint }) => html`<li><bdi>${name}</bdi> <code class="long">${fingerprint}</code></li>`);
  return html`<p>Settings as they were given to <code>bezoar bench</code>; with the same versions, datasets (by fingerprint) and seed ${run.seed} every number but the latencies comes out the same.</p>
<pre tabindex="0">${settingsLines(run.settings)}</pre><ul>${versions}<li>${run.environment.platform} ${run.environment.arch}</li>${datasets}</ul>`;
}

/** One setting a line; each line is escaped by itself, so that a line break in a value stays in its own line. */
const settingsLines = (settings: BenchResult['run']['settings']): Markup[] =>
  Object.entries(settings).map(
    ([name, value]) => html`${name}: ${JSON.stringify(value)}
`,
  );
