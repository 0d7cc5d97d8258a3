import { cells, fit, printable, wrap } from '@bezoar/bench/layout';
import {
  BezoarError,
  createRetrieval,
  type Defended,
  defend,
  definePolicy,
  type Encoder,
  explain,
  type Passage,
  type Policy,
  passageText,
  policyFromSpecs,
  type Retrieval,
} from '@bezoar/core';
import { cosineSimilarity } from '@bezoar/core/kernels/cosine-similarity';
import { topK } from '@bezoar/core/kernels/top-k';
import { loadStaticEncoder } from '@bezoar/models/static-encoder';
import { type DemoCorpus, type DemoQuestion, readDemoCorpus } from '../demo-corpus.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import { paint, type Style, type Terminal } from '../terminal.ts';

/** GRADA asks for a pool of at least twice what is kept. */
const POOL = 10;
const KEEP = 5;

/** What the totals compare, by the name people read. */
const ROWS: readonly (readonly [label: string, spec: string])[] = [
  ['no guard', 'none'],
  ["TrustRAG's filter (2025)", 'trustrag-filter'],
  ["PRA-RAG's selection (2026)", 'pra-rag'],
  ['GRADA (2025)', 'grada'],
  ['Bezoar standard', 'standard'],
];

/** What only the demo knows of a passage: planted for this question, or for another, about which it says nothing here. */
type Mark = 'POISON' | 'stray' | '';
const MARK_STYLE = { POISON: 'red', stray: 'yellow' } as const;

interface Poisoned {
  readonly passages: readonly Passage[];
  readonly vectors: readonly Float32Array[];
  /** The question that each planted passage is for; only the demo looks, no defense can. */
  readonly planted: ReadonlyMap<string, string>;
}

export async function demo(options: CommonOptions & { readonly question: number }, terminal: Terminal, log: Log): Promise<number> {
  const [corpus, encoder] = await Promise.all([readDemoCorpus(), loadStaticEncoder()]);
  const question = corpus.questions[options.question - 1];
  if (!question)
    throw new BezoarError(
      'INVALID_OPTION',
      `--question is ${options.question}, expected a whole number from 1 to ${corpus.questions.length}`,
    );
  const screen = new Screen(terminal);
  const seed = options.seed ?? 0;
  const withQuestion = (question: DemoQuestion, text: string): string => `${question.text}.${text}`;
  const one = await poison(corpus, encoder, 1, withQuestion);
  const two = await poison(corpus, encoder, 2, withQuestion);
  const bare = await poison(corpus, encoder, 1, (_, text) => text);
  log('debug', `${one.planted.size}, ${two.planted.size} and ${bare.planted.size} passages planted`);

  const about = `${corpus.questions.length} questions, ${corpus.passages.length} passages, built-in encoder; nothing leaves this machine`;
  for (const [index, line] of wrap(about, screen.columns - 14).entries())
    screen.line(`${index === 0 ? screen.paint('bold', 'bezoar demo') : ' '.repeat(11)}   ${line}`);
  const retrieval = await retrieve(question, one, encoder);
  const standard = definePolicy({ ...policyFromSpecs(['standard']), keep: KEEP, seed });
  const guarded = await defend(retrieval, standard, { encoder });
  showAttack(screen, question, one);
  const markOf = (id: string): Mark => (one.planted.get(id) === question.id ? 'POISON' : one.planted.has(id) ? 'stray' : '');
  showContexts(screen, retrieval, guarded, markOf);
  showVerdicts(screen, guarded, standard, markOf);
  await showTotals(screen, corpus, { one, two, bare }, encoder, seed);
  showNext(screen);
  await terminal.write(screen.text());
  return EXIT.done;
}

/** The corpus with so many wrong texts a question. PoisonedRAG puts the question in front, which wins the retrieval; the wrong text wins the answer. */
async function poison(
  corpus: DemoCorpus,
  encoder: Encoder,
  count: number,
  craft: (question: DemoQuestion, text: string) => string,
): Promise<Poisoned> {
  const planted = corpus.questions.flatMap((question) =>
    question.wrongTexts.slice(0, count).map((text) => ({ question: question.id, text: craft(question, text) })),
  );
  const idOf = (index: number): string => `d${corpus.passages.length + index + 1}`;
  const passages = [...corpus.passages, ...planted.map(({ text }, index) => ({ id: idOf(index), text }))];
  const { vectors } = await encoder.encode(
    passages.map((passage) => passageText(passage)),
    { role: 'passage' },
  );
  return { passages, vectors, planted: new Map(planted.map(({ question }, index) => [idOf(index), question])) };
}

/** What a vector store would answer: the passages nearest to the question in the whole corpus, poison of all questions included. */
async function retrieve(question: DemoQuestion, corpus: Poisoned, encoder: Encoder): Promise<Retrieval> {
  const { vectors } = await encoder.encode([question.text], { role: 'query' });
  const embedding = vectors[0]!;
  const relevance = corpus.vectors.map((vector) => cosineSimilarity(embedding, vector));
  const found = topK(relevance, POOL).map((index) => ({
    ...corpus.passages[index]!,
    relevance: relevance[index]!,
    embedding: corpus.vectors[index]!,
  }));
  return createRetrieval({ id: question.id, text: question.text, embedding }, found);
}

function showAttack(screen: Screen, question: DemoQuestion, corpus: Poisoned): void {
  const planted = corpus.passages.find((passage) => corpus.planted.get(passage.id) === question.id)!;
  screen.head('1', 'The attack');
  screen.field('question', `"${question.text}"`);
  const [answer, target] = [screen.paint('green', printable(question.answer)), screen.paint('red', printable(question.target))];
  screen.line(`   ${fit('truth', 10)}${answer}, and the attacker wants ${target}`);
  screen.field('planted', planted.text);
}

function showContexts(screen: Screen, retrieval: Retrieval, guarded: Defended, markOf: (id: string) => Mark): void {
  const row = (passage: Passage | undefined, index: number, width: number): string => {
    if (!passage) return ' '.repeat(width);
    const mark = markOf(passage.id);
    return `${index + 1}  ${screen.mark(mark, `${fit(mark, 6)}  ${fit(printable(passage.text), width - 11)}`)}`;
  };
  const left = 'No guard: what a language model would read';
  const right = 'Bezoar, policy standard';
  // Beside each other where there is room for both to be read.
  if (screen.columns >= 90) {
    const width = Math.floor((screen.columns - 4) / 2) - 3;
    screen.line('');
    screen.line(`${screen.number('2')}  ${screen.paint('bold', fit(left, width))} ${screen.number('3')}  ${screen.paint('bold', right)}`);
    for (let i = 0; i < KEEP; i++)
      screen.line(`   ${row(retrieval.passages[i], i, width)}    ${row(guarded.passages[i], i, width)}`.trimEnd());
  } else {
    for (const [number, head, passages] of [
      ['2', left, retrieval.passages.slice(0, KEEP)],
      ['3', right, guarded.passages],
    ] as const) {
      screen.head(number, head);
      for (const [index, passage] of passages.entries()) screen.line(`   ${row(passage, index, screen.columns - 4)}`.trimEnd());
    }
  }
}

function showVerdicts(screen: Screen, guarded: Defended, policy: Policy, markOf: (id: string) => Mark): void {
  screen.head('4', 'Why');
  const byRank = guarded.verdicts.toSorted(
    (a, b) => (a.rankAfter ?? Number.POSITIVE_INFINITY) - (b.rankAfter ?? Number.POSITIVE_INFINITY) || b.suspicion - a.suspicion,
  );
  for (const verdict of [...byRank.filter(({ action }) => action === 'drop'), ...byRank.filter(({ action }) => action !== 'drop')]) {
    const action =
      verdict.action === 'drop' ? screen.paint('red', 'dropped') : screen.paint('green', verdict.action === 'keep' ? 'kept   ' : 'cleaned');
    const mark = markOf(verdict.passageId);
    const start = `   ${action} ${fit(verdict.passageId, 4)} ${screen.mark(mark, fit(mark, 6))}  suspicion ${verdict.suspicion.toFixed(2)}  `;
    const indent = cells(`   dropped ${fit(verdict.passageId, 4)} POISON  suspicion 0.00  `);
    for (const [index, line] of wrap(printable(explain(verdict, policy)), screen.columns - indent).entries())
      screen.line(`${index === 0 ? start : ' '.repeat(indent)}${line}`);
  }
  if (byRank.some(({ passageId }) => markOf(passageId) === 'stray'))
    screen.line('   stray: planted for another question, and wrong about that one');
}

interface Attacks {
  readonly one: Poisoned;
  readonly two: Poisoned;
  /** The wrong text alone: retrieved less often, and harder to tell from the truth. */
  readonly bare: Poisoned;
}

interface Total {
  poisoned: number;
  gold: number;
  readonly times: number[];
}

async function total(corpus: DemoCorpus, poisoned: Poisoned, encoder: Encoder, policy: Policy): Promise<Total> {
  const sum: Total = { poisoned: 0, gold: 0, times: [] };
  for (const question of corpus.questions) {
    const { passages, stages } = await defend(await retrieve(question, poisoned, encoder), policy, { encoder });
    if (passages.some(({ id }) => poisoned.planted.get(id) === question.id)) sum.poisoned += 1;
    if (passages.some(({ id }) => question.gold.has(id))) sum.gold += 1;
    sum.times.push(stages.reduce((ms, stage) => ms + stage.ms, 0));
  }
  return sum;
}

async function showTotals(screen: Screen, corpus: DemoCorpus, attacks: Attacks, encoder: Encoder, seed: number): Promise<void> {
  const count = corpus.questions.length;
  const label = Math.max(...ROWS.map(([name]) => name.length)) + 2;
  const bar = (value: number): string => '█'.repeat(Math.round((5 * value) / count)).padEnd(5);
  // Bars where there is room for them.
  const wide = screen.columns >= 96;
  screen.head('5', `All ${count} questions: how many have poison in their context`);
  for (const heads of [
    ['one', 'two', 'without', 'answer', ''],
    ['planted', 'planted', 'question', 'kept', 'time'],
  ])
    screen.line(`   ${' '.repeat(label)}${heads.map((head, index) => fit(head, wide && index < 3 ? 16 : 10)).join('')}`.trimEnd());
  for (const [name, spec] of ROWS) {
    const policy = definePolicy({ ...policyFromSpecs([spec]), keep: KEEP, seed });
    const totals = await Promise.all([attacks.one, attacks.two, attacks.bare].map((poisoned) => total(corpus, poisoned, encoder, policy)));
    const cells = totals.map(({ poisoned }) => {
      const style = poisoned === 0 ? 'green' : 'red';
      const number = fit(`${poisoned} of ${count}`, 9);
      return wide ? `${number}${screen.paint(style, bar(poisoned))}  ` : `${screen.paint(style, number)} `;
    });
    const times = totals.flatMap((sum) => sum.times).toSorted((a, b) => a - b);
    const time = spec === 'none' ? '' : `${times[Math.floor(times.length / 2)]!.toFixed(1)} ms`;
    screen.line(`   ${fit(name, label)}${cells.join('')}${fit(`${totals[0]!.gold} of ${count}`, 10)}${time}`.trimEnd());
  }
}

function showNext(screen: Screen): void {
  screen.line('');
  const next = [
    ['npx --no-install bezoar list defenses', 'what else there is'],
    ['npx --no-install bezoar defend --help', 'guard your own passages'],
    ['npx --no-install bezoar demo --question 7', 'another question'],
  ] as const;
  for (const [index, [command, what]] of next.entries())
    screen.line(`${index === 0 ? 'Next' : '    '}  ${screen.paint('cyan', fit(command, 42))} ${what}`);
}

/** Collects lines and knows the terminal's width and colours. */
class Screen {
  readonly columns: number;
  private readonly lines: string[] = [];

  constructor(private readonly terminal: Terminal) {
    this.columns = Math.max(terminal.columns, 72);
  }

  paint(style: Style, text: string): string {
    return paint(this.terminal, style, text);
  }

  /** What belongs to a marked passage, in the mark's colour. */
  mark(mark: Mark, text: string): string {
    return mark === '' ? text : this.paint(MARK_STYLE[mark], text);
  }

  number(number: string): string {
    return this.paint('cyan', number);
  }

  line(text: string): void {
    this.lines.push(text);
  }

  head(number: string, text: string): void {
    this.line('');
    this.line(`${this.number(number)}  ${this.paint('bold', text)}`);
  }

  field(name: string, text: string): void {
    for (const [index, line] of wrap(printable(text), this.columns - 14).entries())
      this.line(`   ${fit(index === 0 ? name : '', 10)}${line}`);
  }

  text(): string {
    return `${this.lines.join('\n')}\n`;
  }
}
