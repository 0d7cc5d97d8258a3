import type { BenchResult, QuestionRecord } from '../types.ts';
import { type Content, html, type Markup } from './markup.ts';
import { count, DASH, decimal } from './numbers.ts';
import type { Placed } from './scenarios.ts';
import { scrolling } from './scrolling.ts';

/** Questions of one cell, and of all cells together: a question takes about 12 kB, and a page of more than 5 MB opens slowly. */
const MOST_OF_A_CELL = 10;
const MOST_OF_ALL = 350;
/** Characters of a passage that stand in its row; the rest unfolds. */
const CLIP = 220;
/** Fewer than these are not worth unfolding. */
const LEAST_FOLDED = 80;

/** How many questions of each cell are listed, given how many have any to list. */
export const questionsPerCell = (cells: number): number =>
  Math.max(1, Math.min(MOST_OF_A_CELL, Math.floor(MOST_OF_ALL / Math.max(1, cells))));

/** Every failing question of a cell with its pool: what stood where, what was decided and why. The first ones, and how many there are. */
export function breachedQuestions(result: BenchResult, placed: Placed, title: string, most: number): Markup {
  const breached = placed.cell.records.filter(({ outcome }) => outcome === 'breached');
  const shown = breached.slice(0, most);
  const { notAssessed } = placed.cell.outcomes;
  return html`<details class="failed" id="failed-${placed.index}"><summary><bdi>${title}</bdi>: ${count(breached.length, 'question')} breached of ${breached.length + placed.cell.outcomes.resisted} assessed${notAssessed === 0 ? '' : `, ${notAssessed} not assessed`}; showing ${shown.length} of ${breached.length}</summary>${shown.map((record) => failing(result, record, placed.cell.seeds.length > 1))}</details>`;
}

/** The clipped text, and the rest to unfold; nothing is cut in the middle of a character. */
function clipped(text: string): Markup {
  if (text.length < CLIP + LEAST_FOLDED) return html`<bdi class="text">${text}</bdi>`;
  const end = text.codePointAt(CLIP - 1)! > 0xffff ? CLIP + 1 : CLIP;
  return html`<bdi class="text">${text.slice(0, end)}</bdi>… <details><summary>${count(text.length - end, 'more character')}</summary><bdi class="text">${text.slice(end)}</bdi></details>`;
}

function failing(result: BenchResult, record: QuestionRecord, severalSeeds: boolean): Content {
  const pool = record.pool === null ? undefined : result.pools[record.pool];
  const question = pool && result.questions[pool.question];
  if (!pool || !question) return html`<p>The pool of question <bdi>${record.queryId}</bdi> is not in the result.</p>`;
  const placeOf = new Map(record.context.map((rank, place) => [rank, place + 1]));
  const rows = pool.passages.map(({ passage, label, grade }, index) => {
    const { id, title, text } = result.passages[passage] ?? { id: '?', title: null, text: 'This passage is not in the result.' };
    const place = placeOf.get(index + 1);
    const verdict = record.verdicts?.[index];
    const gold = grade > 0 ? html` <b class="tag gold">gold</b>` : '';
    return html`<tr class="${label}"><td>${index + 1}</td><td>${place ?? 'out'}</td><td><b class="tag ${label}">${label === 'foreign' ? 'poisoned for another' : label}</b>${gold}</td><td class="passage">${title === null ? '' : html`<b><bdi>${title}</bdi></b> `}${clipped(text)} <small><bdi>${id}</bdi></small></td>${
      verdict
        ? html`<td>${verdict.action}</td><td><code>${verdict.reason}</code></td><td>${decimal(verdict.score)}</td><td>${decimal(verdict.suspicion)}</td>`
        : html`<td>${DASH}</td><td>${DASH}</td><td>${DASH}</td><td>${DASH}</td>`
    }</tr>`;
  });
  return html`<article><h4><bdi>${question.text}</bdi></h4>
<dl><dt>Correct</dt><dd>${question.answers.length === 0 ? DASH : question.answers.map((answer, index) => html`${index === 0 ? '' : ' / '}<bdi>${answer}</bdi>`)}</dd><dt>Attacker's</dt><dd>${question.targetAnswer === null ? DASH : html`<bdi>${question.targetAnswer}</bdi>`}</dd><dt>Question</dt><dd><bdi>${question.id}</bdi>${severalSeeds ? html`, seed ${record.seed}` : ''}</dd></dl>
${record.verdicts ? '' : html`<p class="quiet">Verdicts were kept for the first ${result.run.verdictsKept} breached questions of a cell; this is a later one.</p>`}
${scrolling('Passages of the pool', html`<table class="pool"><caption class="quiet">The pool in its order</caption><thead><tr><th scope="col">Rank</th><th scope="col">After</th><th scope="col">Label</th><th scope="col">Passage</th><th scope="col">Verdict</th><th scope="col">Reason</th><th scope="col">Score</th><th scope="col">Suspicion</th></tr></thead><tbody>${rows}</tbody></table>`)}</article>`;
}
