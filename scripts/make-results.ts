/**
 * `npm run results`: measures everything that docs/results.md, docs/defenses.md and the README say of the defenses, and writes it there. Every
 * table is made from the result of a `bezoar bench` command, which is run as it stands above the table. The first run embeds all passages with
 * the ONNX encoder, which takes some minutes; later ones find them in the cache.
 *
 *   npm run results [-- --results DIR] [--reuse]
 *
 * Results are kept in DIR (default: a folder in the system's temporary one); --reuse takes those that are there instead of measuring again.
 * Data and encoder are in the folder that BEZOAR_SHARED names, default ../shared. Numbers of papers are typed here, with their place.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BenchResult, compareDefenses, type MetricValue, type ResultCell } from '@bezoar/bench';
import { wrap } from '@bezoar/bench/layout';
import { DEFENSES } from '@bezoar/core';
import { withEncoderLabels } from '../packages/bench/src/encoder-label.ts';
import { summaryTables } from '../packages/bench/src/summary-tables.ts';

const { values: options } = parseArgs({
  options: { results: { type: 'string', default: join(tmpdir(), 'bezoar-results') }, reuse: { type: 'boolean', default: false } },
});
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where commands on the pages say that the data is. */
const SHARED = '../shared';

// ---- what is run -------------------------------------------------------------------------------------------------

const SNIPPETS = `${SHARED}/data/realtimeqa,${SHARED}/data/simpleqa`;
const ENCODERS = `static,onnx:${SHARED}/models/all-MiniLM-L6-v2`;
const ATTACKS = 'none,misinformation,poisonedrag,query-as-poison,prompt-injection,corruptrag-as';
const COMPARED = [
  'none',
  'deduplicate',
  'sanitize',
  'injection-filter',
  'lexical-anomaly',
  'question-echo',
  'grada',
  'grada?weights=bm25',
  'grada?weights=embedding',
  'grada?similarity=embedding',
  'trustrag-filter',
  'trustrag-filter?gate=off',
  'pra-rag',
  'standard',
].join(',');

/** Without variants, for datasets of long passages. */
const FEWER = 'none,deduplicate,injection-filter,lexical-anomaly,question-echo,grada,grada?weights=bm25,trustrag-filter,pra-rag,standard';

const everything = { attack: ATTACKS, defense: COMPARED, encoder: ENCODERS, poisons: '1,3' };
const suite = (name: string) => ({ suite: name, dataset: SNIPPETS, encoder: ENCODERS });

/** Options of `bezoar bench` by the name of the result file. */
const RUNS = {
  slot: { dataset: SNIPPETS, ...everything, placement: 'slot' },
  retrieval: { dataset: SNIPPETS, ...everything, placement: 'retrieval' },
  hotpotqa: { dataset: `${SHARED}/data/hotpotqa`, ...everything, defense: FEWER, retriever: 'dense', placement: 'slot,retrieval' },
  ramdocs: { dataset: `${SHARED}/data/ramdocs`, ...everything, defense: FEWER, retriever: 'dense', placement: 'slot,retrieval' },
  duplicates: {
    dataset: `${SHARED}/data/realtimeqa`,
    attack: 'poisonedrag',
    defense: 'none,grada?weights=bm25,grada?weights=hybrid',
    poisons: '1,2,5',
    placement: 'slot',
    'keep-duplicates': true,
  },
  significance: {
    dataset: SNIPPETS,
    attack: 'poisonedrag',
    defense: 'none,question-echo,grada,grada?weights=bm25,grada?similarity=embedding,trustrag-filter,pra-rag,standard',
    poisons: '1,3',
    placement: 'slot',
  },
  'paper-grada': suite('paper-grada'),
  'paper-trustrag': suite('paper-trustrag'),
  'paper-pra-rag': suite('paper-pra-rag'),
} as const satisfies Readonly<Record<string, Readonly<Record<string, string | true>>>>;
type RunName = keyof typeof RUNS;

function argumentsOf(name: RunName): string[][] {
  const given = Object.entries(RUNS[name]).map(([option, value]) => [`--${option}`, ...(value === true ? [] : [value])]);
  return [...given, ['--out', `${name}.json`]];
}

/** The command as it may be typed into a shell. */
function commandOf(name: RunName): string {
  const quoted = (argument: string): string => (/[?&*]/.test(argument) ? `'${argument}'` : argument);
  const lines = argumentsOf(name).map((words) => words.map(quoted).join(' '));
  return ['```', `bezoar bench ${lines.join(' \\\n  ')}`, '```'].join('\n');
}

async function resultOf(name: RunName): Promise<BenchResult> {
  const out = join(options.results, `${name}.json`);
  // Beside the result stands what made it: a result of another command is not taken for this one's.
  const made = join(options.results, `${name}.command`);
  const known = options.reuse && existsSync(out) && existsSync(made) && readFileSync(made, 'utf8') === commandOf(name);
  if (!known) {
    const there = process.env.BEZOAR_SHARED ?? SHARED;
    const words = argumentsOf(name)
      .flat()
      .map((word) => (word === `${name}.json` ? out : word.replaceAll(`${SHARED}/`, `${there}/`)));
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(process.execPath, [join(ROOT, 'packages/cli/bin/bezoar.js'), 'bench', ...words], { cwd: ROOT, stdio: 'inherit' });
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (code !== 0) throw new Error(`bezoar bench for ${name} ended with ${code}`);
    writeFileSync(made, commandOf(name));
  }
  return withEncoderLabels(JSON.parse(readFileSync(out, 'utf8')) as BenchResult);
}

// ---- reading results ---------------------------------------------------------------------------------------------

const STATIC = /^static$/;
const MINILM = /^onnx/;
const BOTH = [STATIC, MINILM] as const;
const nameOf = (encoder: RegExp): string => (encoder === STATIC ? 'static' : 'MiniLM');

type Wanted = Partial<Omit<ResultCell, 'encoder'>> & { readonly encoder?: RegExp | undefined };

/** The cell with these settings. With no `encoder` wanted it is one that uses none, or the built-in one. */
function cellOf(result: BenchResult, { encoder = STATIC, ...wanted }: Wanted): ResultCell {
  const found = result.cells.find(
    (cell) =>
      Object.entries(wanted).every(([key, value]) => JSON.stringify(cell[key as keyof ResultCell]) === JSON.stringify(value)) &&
      (cell.encoder === null || encoder.test(cell.encoder)),
  );
  if (!found) throw new Error(`no cell has ${JSON.stringify(wanted)}, ${encoder}`);
  return found;
}

const metricOf = (cell: ResultCell, name: string): MetricValue => cell.metrics[name]!;

const DASH = '–';
const percent = (value: number | null, digits = 1): string => (value === null ? DASH : (100 * value).toFixed(digits));

/** `55.0 (45–64)`. */
const share = ({ value, low, high }: MetricValue): string =>
  value === null ? DASH : `${percent(value)} (${percent(low, 0)}–${percent(high, 0)})`;

const plain = ({ value }: MetricValue, digits = 2): string => (value === null ? DASH : value.toFixed(digits));

/** A defense with the encoder it judges by. */
const rowOf = (defense: string, encoder: RegExp | undefined): string =>
  `\`${defense}\`${encoder === undefined ? '' : `, ${nameOf(encoder)}`}`;

const judges = (spec: string): boolean => /^(trustrag|pra-rag)|=embedding/.test(spec);

/** Every compared defense, those that compare embeddings with each encoder. */
const rowsOf = (defenses: string): readonly { readonly defense: string; readonly encoder?: RegExp }[] =>
  defenses.split(',').flatMap((defense) => (judges(defense) ? BOTH.map((encoder) => ({ defense, encoder })) : [{ defense }]));
const ROWS = rowsOf(COMPARED);

const PAIR = ['realtimeqa', 'simpleqa'] as const;

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map((_, index) => (index === 0 ? '---' : ':--'))), ...rows.map(line)].join('\n');

// ---- the page of results -----------------------------------------------------------------------------------------

/** Both tables of every dataset and placement of a result, with what they doubt. */
function summary(result: BenchResult): string {
  const { sections, notes } = summaryTables(result);
  const parts = sections.map(({ title, facts, tables, notAssessed }) =>
    [
      `**${title}**: ${facts}`,
      ...tables.map(({ caption, head, rows }) =>
        [
          `*${caption}*`,
          table(
            head,
            rows.map(([name, ...cells]) => [`\`${name}\``.replace(/ · (.*)`$/, '`, $1'), ...cells.map((cell) => cell.trim())]),
          ),
        ].join('\n\n'),
      ),
      ...(notAssessed.length === 0 ? [] : [notAssessed.map((one) => `- ${one}`).join('\n')]),
    ].join('\n\n'),
  );
  return [...parts, ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')])].join('\n\n');
}

/** Every defense against none, question by question. */
function significance(result: BenchResult): string {
  const metrics = ['poisonInContext', 'successRate', 'cleanSuccessRate'];
  const { cells, tests } = compareDefenses(result, { metrics });
  const points = (value: number | null): string => `${value! > 0 ? '+' : ''}${percent(value)}`.replace(/^-(?=0\.0$)/, '');
  const tables = PAIR.map((dataset) => {
    const own = cells.filter(({ after }) => after.dataset === dataset);
    const rows = own.flatMap(({ after, metrics: compared }) => [
      [
        `\`${after.defense}\``,
        `×${after.poisons}`,
        ...compared.flatMap(({ difference, low, high, adjustedP, verdict }) => {
          if (difference === null || adjustedP === null) return [DASH];
          const p = adjustedP < 0.001 ? 'p < 0.001' : `p = ${adjustedP.toFixed(3)}`;
          const said = verdict === 'better' || verdict === 'worse' ? `**${verdict}**` : 'not significant';
          return [`${points(difference)} (${points(low)} to ${points(high)}), ${p}, ${said}`];
        }),
      ],
    ]);
    return `**${dataset}**\n\n${table(['defense', 'planted', 'poison in the context', 'gold under attack', 'gold without attack'], rows)}`;
  });
  return [`p values are adjusted for all ${tests} tests (Holm).`, ...tables].join('\n\n');
}

function allGold(result: BenchResult): string {
  const attacks = ATTACKS.split(',').flatMap((attack) =>
    attack === 'none' ? [{ attack, poisons: 0 }] : [1, 3].map((poisons) => ({ attack, poisons })),
  );
  const tables = (['slot', 'retrieval'] as const).map((placement) => {
    const rows = rowsOf(FEWER).map(({ defense, encoder }) => [
      rowOf(defense, encoder),
      ...attacks.map(({ attack, poisons }) => share(metricOf(cellOf(result, { attack, poisons, defense, encoder, placement }), 'allGold'))),
    ]);
    return `Placement ${placement}:\n\n${table(['defense', ...attacks.map(({ attack, poisons }) => (attack === 'none' ? 'no attack' : `${attack} ×${poisons}`))], rows)}`;
  });
  return tables.join('\n\n');
}

/** ALGORITHMS section 9: mean poisons among the five, computed apart from this code before it was written. */
const REFERENCE: Readonly<Record<number, readonly number[]>> = { 1: [1, 0.53, 0.05], 2: [2, 1.41, 0.45], 5: [5, 4.74, 3.73] };

function modelFree(result: BenchResult): string {
  const defenses = RUNS.duplicates.defense.split(',');
  return table(
    ['planted', ...defenses.flatMap((defense) => [`\`${defense}\``, 'reference'])],
    [1, 2, 5].map((poisons) => [
      String(poisons),
      ...defenses.flatMap((defense, index) => {
        const { value, low, high } = metricOf(cellOf(result, { defense, poisons }), 'meanPoisons');
        return [`${value!.toFixed(2)} (${low!.toFixed(2)}–${high!.toFixed(2)})`, REFERENCE[poisons]![index]!.toFixed(2)];
      }),
    ]),
  );
}

/** GRADA, Tables 6 to 8: percent of questions with the poison in the context, NQ / MS-MARCO / HotpotQA. */
const GRADA_PRINTED: readonly (readonly [defense: string, name: string, poisonedrag: string, injection: string])[] = [
  ['none', 'None', '99 / 98 / 100', '96 / 89 / 100'],
  ['grada-embedding-zheng-2025', 'EBD', '55 / 69 / 84', '6 / 10 / 52'],
  ['grada-bm25-zheng-2025', 'BM25', '25 / 34 / 64', '6 / 2 / 35'],
  ['grada-hybrid-zheng-2025', 'HRSIM', '13 / 19 / 19', '7 / 1 / 26'],
];

const partOf = (result: BenchResult, start: string): string => {
  const part = result.cells.find((cell) => cell.part?.startsWith(start))?.part;
  if (part == null) throw new Error(`no part begins with ${start}`);
  return part;
};

function gradaPaper(result: BenchResult): string {
  const part = partOf(result, 'Poison in the context');
  const attacks = ['poisonedrag', 'prompt-injection?definition=grada'];
  const rows = GRADA_PRINTED.flatMap(([defense, name, ...printed]) =>
    BOTH.map((encoder) => [
      `${name} (\`${defense}\`), ${nameOf(encoder)}`,
      ...attacks.flatMap((attack, index) => [
        ...['realtimeqa', 'simpleqa'].map((dataset) =>
          share(metricOf(cellOf(result, { part, dataset, defense, attack, encoder }), 'poisonInContext')),
        ),
        printed[index]!,
      ]),
    ]),
  );
  return table(
    [
      'defense, encoder that retrieves',
      'PoisonedRAG: realtimeqa',
      'simpleqa',
      'paper: NQ / MS-MARCO / HotpotQA',
      'injection: realtimeqa',
      'simpleqa',
      'paper: NQ / MS-MARCO / HotpotQA',
    ],
    rows,
  );
}

/** TrustRAG, Table 2, SimCSE: F1 / CRR in percent with 5, 4, 3, 2, 1 and 0 poisoned passages of five. */
const TRUSTRAG_PRINTED: readonly (readonly string[])[] = [
  ['paper, SimCSE: NQ', '97.5 / –', '92.6 / 92.0', '94.3 / 91.5', '84.9 / 89.0', '3.1 / 86.2', '– / 85.0'],
  ['paper, SimCSE: MS-MARCO', '95.6 / –', '84.7 / 88.0', '84.0 / 80.0', '71.7 / 73.0', '4.6 / 72.0', '– / 70.6'],
  ['paper, SimCSE: HotpotQA', '99.2 / –', '95.6 / 91.0', '95.2 / 84.0', '90.0 / 80.6', '6.5 / 80.0', '– / 81.8'],
];

function trustragPaper(result: BenchResult): string {
  const attacked = partOf(result, 'Detection with one to five');
  const clean = partOf(result, 'What is removed without any poison');
  const defenses = [...new Set(result.cells.filter(({ part }) => part === attacked).map(({ defense }) => defense))].filter(
    (one) => one !== 'none',
  );
  const rows = ['realtimeqa', 'simpleqa'].flatMap((dataset) =>
    defenses.flatMap((defense) =>
      BOTH.map((encoder) => {
        const cells = [5, 4, 3, 2, 1].map((poisons) => cellOf(result, { part: attacked, dataset, defense, encoder, poisons }));
        const none = cellOf(result, { part: clean, dataset, defense, encoder });
        return [
          `${dataset}: ${rowOf(defense, encoder)}`,
          ...cells.map((cell) => `${percent(metricOf(cell, 'detectionF1').value)} / ${percent(metricOf(cell, 'cleanRetention').value)}`),
          `– / ${percent(metricOf(none, 'cleanRetention').value)}`,
        ];
      }),
    ),
  );
  return table(
    ['F1 / clean passages kept, %', ...[5, 4, 3, 2, 1, 0].map((poisons) => `${poisons} of 5 poisoned`)],
    [...TRUSTRAG_PRINTED, ...rows],
  );
}

/** PRA-RAG: attack success of answers and certified deviation, Tables 1 and 2 (Mistral-7B) and 5 (Contriever); NQ / MS-MARCO / HotpotQA. */
const PRA_PRINTED: readonly (readonly string[])[] = [
  ['paper: answers that are the attacker’s, no defense, PoisonedRAG', '46 / 18 / 48', ''],
  ['paper: the same, PRA-RAG\\_cat', '9 / 4 / 11', ''],
  ['paper: deviation, Contriever', '', '2.52 / 2.62 / 2.71'],
];

function praPaper(result: BenchResult): string {
  const part = partOf(result, 'Eight passages');
  const rows = ['none', 'pra-rag-anonymous-2026'].flatMap((defense) =>
    (defense === 'none' ? [undefined] : BOTH).flatMap((encoder) =>
      ['poisonedrag', 'corruptrag-as'].map((attack) => {
        const cells = ['realtimeqa', 'simpleqa'].map((dataset) => cellOf(result, { part, dataset, defense, attack, encoder }));
        return [
          `${rowOf(defense, encoder)}, \`${attack}\``,
          cells.map((cell) => share(metricOf(cell, 'poisonInContext'))).join(' / '),
          defense === 'none' ? '' : cells.map((cell) => plain(metricOf(cell, 'pad'))).join(' / '),
        ];
      }),
    ),
  );
  return table(
    ['one of eight poisoned; realtimeqa / simpleqa', 'poison in the context, %', 'mean certified deviation, radians'],
    [...PRA_PRINTED, ...rows],
  );
}

const differs = ({ run }: BenchResult): string => (run.suite?.differs ?? []).map((sentence) => `- ${sentence}`).join('\n');

// ---- sentences ---------------------------------------------------------------------------------------------------

/** `5.0 / 18.7`: realtimeqa / simpleqa. */
const both = (of: (dataset: string) => number | null, digits = 1): string =>
  PAIR.map((dataset) => percent(of(dataset), digits)).join(' / ');

const attackedIn = (result: BenchResult, wanted: Wanted, name = 'poisonInContext'): string =>
  both((dataset) => metricOf(cellOf(result, { dataset, ...wanted }), name).value);

/** Questions of the cell in which no poison is left. */
function stopped(result: BenchResult, wanted: Wanted): string {
  return PAIR.map((dataset) => {
    const { outcomes } = cellOf(result, { dataset, ...wanted });
    return `${outcomes.resisted} of ${outcomes.breached + outcomes.resisted}`;
  }).join(' and ');
}

function plainly(slot: BenchResult, hotpotqa: BenchResult): string {
  const whole = (defense: string): string => share(metricOf(cellOf(hotpotqa, { defense, attack: 'none' }), 'allGold'));
  const worst = (defense: string, encoder: RegExp | undefined, poisons: number): number =>
    Math.min(
      ...PAIR.map((dataset) =>
        Math.max(
          ...ATTACKS.split(',')
            .filter((attack) => attack !== 'none')
            .map((attack) => metricOf(cellOf(slot, { dataset, defense, attack, poisons, encoder }), 'poisonInContext').value!),
        ),
      ),
    );
  const guards = ROWS.filter(({ defense }) => defense !== 'none');
  const halves = [1, 3].map((poisons) => guards.filter(({ defense, encoder }) => worst(defense, encoder, poisons) > 0.5).length);
  const low = guards.filter(({ defense, encoder }) => worst(defense, encoder, 3) < 0.5).map(({ defense }) => `\`${defense}\``);
  return [
    `Of ${guards.length} defenses and encoders, ${halves[0]} let one planted passage of their worst attack into more than half of the contexts on both datasets, and ${halves[1]} one of three. Below half with three, on one dataset at least: ${low.length === 0 ? 'none' : [...new Set(low)].join(', ')}.`,
    `\`injection-filter\` stops our own \`prompt-injection\` attack in ${stopped(slot, { defense: 'injection-filter', attack: 'prompt-injection', poisons: 1 })} questions: its list does not have these wordings, and was not given them.`,
    `\`lexical-anomaly\` stops fluent text in next to nothing: \`misinformation\` in ${stopped(slot, { defense: 'lexical-anomaly', attack: 'misinformation', poisons: 1 })} questions, \`poisonedrag\` in ${stopped(slot, { defense: 'lexical-anomaly', attack: 'poisonedrag', poisons: 1 })}.`,
    `\`deduplicate\` alone: ${stopped(slot, { defense: 'deduplicate', attack: 'poisonedrag', poisons: 3 })} with three of \`poisonedrag\`; \`sanitize\`: ${stopped(slot, { defense: 'sanitize', attack: 'poisonedrag', poisons: 3 })}. Neither is for this.`,
    `\`standard\` owes its zeros to \`question-echo\`. Of three wrong texts without the question in them (\`misinformation\`) one or more gets past \`standard\` in ${attackedIn(slot, { defense: 'standard', attack: 'misinformation', poisons: 3 })} % of the questions, past \`question-echo\` alone in ${attackedIn(slot, { defense: 'question-echo', attack: 'misinformation', poisons: 3 })} %.`,
    `\`grada\` lets one of three \`poisonedrag\` texts through in ${attackedIn(slot, { defense: 'grada', attack: 'poisonedrag', poisons: 3 })} % (one alone: ${attackedIn(slot, { defense: 'grada', attack: 'poisonedrag', poisons: 1 })} %).`,
    `\`pra-rag\` keeps three of ten and with three planted still has one in ${attackedIn(slot, { defense: 'pra-rag', attack: 'poisonedrag', poisons: 3 })} %.`,
    `\`trustrag-filter\` leaves gold in ${attackedIn(slot, { defense: 'trustrag-filter', attack: 'none' }, 'cleanSuccessRate')} % of the questions without any attack; without a defense it is ${attackedIn(slot, { defense: 'none', attack: 'none' }, 'cleanSuccessRate')} %.`,
    `Questions that need two passages: without any attack both are in the context of \`grada\` for ${whole('grada')} % of hotpotqa's questions, of \`pra-rag\` for ${whole('pra-rag')} %, of \`standard\` for ${whole('standard')} %; without a defense for ${whole('none')} %.`,
    `\`trustrag-filter?gate=off\` lets other passages go on than \`trustrag-filter\` in ${gateChanges(slot)} pools of ten. [TrustRAG](#trustrag) below has pools of five.`,
  ]
    .map((sentence) => `- ${sentence}`)
    .join('\n');
}

/** Pools in which the gate makes a difference, of how many. */
function gateChanges({ cells }: BenchResult): string {
  let [changed, all] = [0, 0];
  for (const open of cells.filter(({ defense }) => defense === 'trustrag-filter?gate=off')) {
    const gated = cells.find(
      ({ defense, dataset, attack, poisons, encoder }) =>
        defense === 'trustrag-filter' &&
        dataset === open.dataset &&
        attack === open.attack &&
        poisons === open.poisons &&
        encoder === open.encoder,
    )!;
    for (const [index, { why, context }] of open.records.entries()) {
      if (why !== null) continue;
      all++;
      if (context.join() !== gated.records[index]!.context.join()) changed++;
    }
  }
  return `${changed} of ${all.toLocaleString('en')}`;
}

/** The figures of one defense, realtimeqa / simpleqa, for its section. */
function figures(slot: BenchResult, defense: string): string {
  const uses = judges(defense) ? BOTH : [undefined];
  const base = attackedIn(slot, { defense: 'none', attack: 'none' }, 'cleanSuccessRate');
  const sentences = uses.map((encoder) => {
    const stays = (attack: string, poisons: number): string => attackedIn(slot, { defense, attack, poisons, encoder });
    const clean = { defense, attack: 'none', encoder };
    const removed = both((dataset) => 1 - metricOf(cellOf(slot, { dataset, ...clean }), 'cleanRetention').value!);
    const empty = PAIR.map((dataset) => {
      const { records } = cellOf(slot, { dataset, ...clean });
      const assessed = records.filter(({ outcome }) => outcome !== 'not-assessed');
      return `${assessed.filter(({ context }) => context.length === 0).length} of ${assessed.length}`;
    });
    const left = empty.every((one) => one.startsWith('0 ')) ? '' : `; nothing is left of ${empty.join(' and ')} pools`;
    return (
      `${encoder ? `With ${nameOf(encoder)} o` : 'O'}ne PoisonedRAG text stays in ${stays('poisonedrag', 1)} %, one or more of three in ` +
      `${stays('poisonedrag', 3)} %; without the question ${stays('misinformation', 1)} and ${stays('misinformation', 3)} %. Nothing planted: ` +
      `${attackedIn(slot, clean, 'cleanSuccessRate')} % with gold${defense === 'none' ? '' : ` (\`none\`: ${base})`}, ${removed} % of the passages do not go on${left}.`
    );
  });
  const pads = defense === 'pra-rag' ? [certificates(slot)] : [];
  return [...sentences, ...pads].join(' ');
}

function certificates(slot: BenchResult): string {
  const said = PAIR.map((dataset) => {
    const { records } = cellOf(slot, { dataset, defense: 'pra-rag', attack: 'none' });
    const assessed = records.filter(({ outcome }) => outcome !== 'not-assessed');
    const pads = assessed.flatMap(({ certificate }) => (certificate?.holds && certificate.padTight !== null ? [certificate.padTight] : []));
    const below = pads.filter((pad) => pad < Math.PI / 2).length;
    return `${pads.length} of ${assessed.length} certificates hold, \`padTight\` from ${Math.min(...pads).toFixed(2)} to ${Math.max(...pads).toFixed(2)} radians, below a right angle in ${below}`;
  });
  return `Nothing planted, \`static\`: ${said.join('; ')}.`;
}

/** What the README shows: few rows, few columns. */
function readmeTable(slot: BenchResult): string {
  const guards = ['none', 'trustrag-filter', 'pra-rag', 'grada', 'question-echo', 'standard'];
  const columns = [
    { attack: 'poisonedrag', poisons: 1 },
    { attack: 'poisonedrag', poisons: 3 },
    { attack: 'misinformation', poisons: 1 },
    { attack: 'misinformation', poisons: 3 },
    { attack: 'none', poisons: 0 },
  ];
  const rounded = ({ value, low, high }: MetricValue): string => `${percent(value, 0)} (${percent(low, 0)}–${percent(high, 0)})`;
  const rows = guards.map((defense) => [
    defense === 'none' ? 'no guard' : `\`${defense}\``,
    ...columns.map((column) =>
      PAIR.map((dataset) => {
        const metric = column.attack === 'none' ? 'cleanSuccessRate' : 'poisonInContext';
        return rounded(metricOf(cellOf(slot, { dataset, defense, ...column }), metric));
      }).join(' / '),
    ),
  ]);
  const past = both(
    (dataset) => metricOf(cellOf(slot, { dataset, defense: 'standard', attack: 'misinformation', poisons: 3 }), 'poisonInContext').value,
    0,
  );
  const ns = PAIR.map((dataset) => {
    const assessed = slot.cells
      .filter((cell) => cell.dataset === dataset && cell.defense === 'none')
      .map(({ outcomes }) => outcomes.breached + outcomes.resisted);
    const [least, most] = [Math.min(...assessed), Math.max(...assessed)];
    return `${least === most ? least : `${least} to ${most}`} questions of ${dataset}`;
  });
  const known = PAIR.map((dataset) => metricOf(cellOf(slot, { dataset, defense: 'none', attack: 'none' }), 'cleanSuccessRate').n);
  return [
    `Percent with the 95 % interval, ${ns.join(' / ')}; the last column over the ${known.join(' / ')} of them for which a passage with the answer is known.`,
    table(
      ['', 'one planted', 'three planted', 'one, without the question', 'three, without the question', 'answer there, nothing planted'],
      rows,
    ),
    `The zeros are the work of \`question-echo\`, which an attacker who paraphrases the question walks past: of three wrong texts without the question one or more still reaches the model for ${past} % of the questions.`,
  ].join('\n\n');
}

/** All defenses of docs/defenses.md. */
function defensesTables(slot: BenchResult): string {
  return PAIR.map((dataset) => {
    const columns = [
      ['poisonedrag', 1],
      ['poisonedrag', 3],
      ['misinformation', 1],
      ['misinformation', 3],
    ] as const;
    const sizes = columns.map(
      ([attack, poisons]) => metricOf(cellOf(slot, { dataset, defense: 'none', attack, poisons }), 'poisonInContext').n,
    );
    const rows = ROWS.map(({ defense, encoder }) => {
      const of = (attack: string, poisons: number): ResultCell => cellOf(slot, { dataset, defense, encoder, attack, poisons });
      const clean = of('none', 0);
      const assessed = clean.records.filter(({ outcome }) => outcome !== 'not-assessed');
      const passed = assessed.reduce((sum, { context }) => sum + context.length, 0) / assessed.length;
      return [
        rowOf(defense, encoder),
        ...columns.map(([attack, poisons]) => share(metricOf(of(attack, poisons), 'poisonInContext'))),
        share(metricOf(clean, 'cleanSuccessRate')),
        share(metricOf(of('poisonedrag', 1), 'successRate')),
        passed.toFixed(1),
      ];
    });
    const head = ['one', 'three', 'one without the question', 'three without the question'].map(
      (what, index) => `${what} (n = ${sizes[index]})`,
    );
    return `**${dataset}**\n\n${table(['defense', ...head, 'gold, nothing planted', 'gold, one planted', 'passages that go on, nothing planted'], rows)}`;
  }).join('\n\n');
}

// ---- writing -----------------------------------------------------------------------------------------------------

/** A paragraph of a list, in lines as long as the pages'. */
const wrapped = (text: string): string =>
  wrap(text, 143)
    .map((one) => `\n  ${one}`)
    .join('');

/** Puts text between `<!-- results: NAME -->` and `<!-- /results -->`. */
function write(path: string, regions: Readonly<Record<string, string>>): void {
  const file = join(ROOT, path);
  let page = readFileSync(file, 'utf8');
  for (const [name, text] of Object.entries(regions)) {
    const start = `<!-- results: ${name} -->`;
    const from = page.indexOf(start);
    const to = page.indexOf('<!-- /results -->', from);
    if (from < 0 || to < 0) throw new Error(`${path} has no ${start} … <!-- /results -->`);
    page = page.slice(0, from + start.length) + text + page.slice(to);
  }
  writeFileSync(file, page);
}

const block = (text: string): string => `\n\n${text}\n\n`;

mkdirSync(options.results, { recursive: true });
const results = {} as Record<RunName, BenchResult>;
const names = Object.keys(RUNS) as RunName[];
for (const [index, name] of names.entries()) {
  const started = performance.now();
  process.stderr.write(`[${index + 1}/${names.length}] ${name}\n`);
  results[name] = await resultOf(name);
  process.stderr.write(
    `[${index + 1}/${names.length}] ${name}: ${results[name].cells.length} cells, ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
  );
}
const { slot, retrieval, hotpotqa, ramdocs, duplicates } = results;

const datasets = new Map(Object.values(results).flatMap(({ run }) => run.datasets.map((dataset) => [dataset.name, dataset] as const)));
const page = `# Results

What the defenses do to the attacks here, measured by \`npm run results\`, which writes this page. Every table stands under the command that makes
its numbers; none is typed in but those of papers, which say so. [methodology.md](methodology.md) says how it is measured and what it does not
mean, [metrics.md](metrics.md) what each number is, [attacks.md](attacks.md) and [defenses.md](defenses.md) what was measured. No language model
answers anywhere on this page: a planted passage in the context is a chance for the attack, not its success.

Commands are run at the root of the project, where \`npx --no-install bezoar\` is \`bezoar\`; \`${SHARED}\` is the folder of the development data and weights.

[Plainly](#plainly) · [Poison in front](#poison-in-front) · [Poison that competes](#poison-that-competes) · [Multi-hop](#multi-hop-hotpotqa) ·
[Near copies of true passages](#near-copies-of-true-passages-ramdocs) · [Is it significant](#is-it-significant) · [Against a reference](#against-a-reference) ·
[Beside the papers](#beside-the-papers) · [The data](#the-data)

## Plainly

What is bad, in figures (poison in front, realtimeqa / simpleqa):

${plainly(slot, hotpotqa)}

How to read the tables:

${summaryTables(slot)
  .legend.map((sentence) => `- ${sentence}`)
  .join('\n')}
- \`static\` is the built-in encoder; all-MiniLM-L6-v2, by ONNX, has no calibrated density, so \`trustrag-filter\` takes 0.88 with it.
- Filters let up to ten passages go on, rerankers five, \`pra-rag\` three. Who lets less through has less poison and less gold.
- The attacks were known when our own mechanisms (\`question-echo\`, \`deduplicate\`, \`injection-filter\`, \`sanitize\`, \`standard\`) were written.

## Poison in front

The planted passages are ranked first, as if they had won retrieval; behind them the question's first distinct candidates.

${commandOf('slot')}

${summary(slot)}

## Poison that competes

The planted passages compete with the first ten candidates by the encoder's similarity to the question; what ranks below ten is gone.

${commandOf('retrieval')}

${summary(retrieval)}

## Multi-hop: hotpotqa

Questions with two gold passages. The dataset brings no wrong texts: they are made from templates, which flatters defenses that look for agreement
(\`wrong-texts-made\`). The retriever is the encoder over the whole corpus; poisons of all questions are planted together.

${commandOf('hotpotqa')}

Both gold passages in the context (\`allGold\`), % of questions. An encoder that is named retrieves and judges; where none is, \`static\` retrieves.

${allGold(hotpotqa)}

${summary(hotpotqa)}

## Near copies of true passages: ramdocs

Its wrong texts are near copies of true passages with the answer changed. Most questions have one or none.

${commandOf('ramdocs')}

${summary(ramdocs)}

## Is it significant

Each defense against \`none\`, question by question, with the poison in front: difference in points with its 95 % interval, McNemar's exact test. The
baseline lets five passages go on, a filter up to ten: gold that a filter gains is partly that.

${commandOf('significance')}

\`\`\`
bezoar compare significance.json --baseline none --metric poisonInContext,successRate,cleanSuccessRate
\`\`\`

${significance(results.significance)}

## Against a reference

Mean number of planted passages among the five that go on, beside what an independent implementation (Python, bm25s tokens, networkx PageRank) gave for
the same pools. Duplicates are left in, as the reference did.

${commandOf('duplicates')}

${modelFree(duplicates)}

## Beside the papers

The suites run what each paper ran, as far as that goes here: other questions, other corpora, other encoders, no language model. What is printed in
the paper stands beside ours to compare the order of things, not the numbers. The suites have more parts than these tables; \`bezoar list suites NAME\`
names them, and \`bezoar bench --suite NAME --out result.html\` shows them all.

### GRADA

Questions with the poison in the context, percent: one poisoned passage, ten retrieved, five go on. Printed: Tables 6 to 8 (Contriever).

${commandOf('paper-grada')}

${gradaPaper(results['paper-grada'])}

Hybrid weights come first and no defense last, as in the paper. Between them the order is the other way round: there plain BM25 stops more than
embeddings, here less, probably because in snippets of 25 words the question's words weigh most, which plain BM25 counts as agreement.

What differs:

${differs(results['paper-grada'])}

### TrustRAG

Its first stage, five passages retrieved. Printed: Table 2. Without the gate the paper keeps about half of the clean passages of pools without poison
(47.8 to 52.6 %).

${commandOf('paper-trustrag')}

${trustragPaper(results['paper-trustrag'])}

What the gate does in the paper it does not do here: rows with \`gate=off\` hardly differ from those without. Of five snippets about one event some two
nearly always share wording, which opens it, and about half of the clean passages go, as in the paper without a gate.

What differs:

${differs(results['paper-trustrag'])}

### PRA-RAG

Printed: Tables 2 (Mistral-7B) and 5. Attack success there is of answers, so the columns do not measure the same.

${commandOf('paper-pra-rag')}

${praPaper(results['paper-pra-rag'])}

What differs:

${differs(results['paper-pra-rag'])}

## The data

${table(
  ['dataset', 'questions', 'passages', 'fingerprint (SHA-256)'],
  [...datasets.values()].map(({ name, queries, passages, fingerprint }) => [
    name,
    String(queries),
    String(passages),
    `\`${fingerprint.slice(0, 16)}…\``,
  ]),
)}

Seed ${slot.run.seed} everywhere. Bezoar ${slot.run.versions.bezoar}.
`;
writeFileSync(join(ROOT, 'docs/results.md'), page);
write('README.md', { measured: block(readmeTable(slot)) });
const past = attackedIn(slot, { defense: 'standard', attack: 'misinformation', poisons: 3 });
write('docs/defenses.md', {
  measured: block(defensesTables(slot)),
  'past standard': wrapped(`Of three such texts one or more gets past \`standard\` in ${past} % of the questions.`),
  ...Object.fromEntries(
    [...Object.keys(DEFENSES).filter((name) => ROWS.some(({ defense }) => defense === name)), 'standard'].map((name) => [
      name,
      wrapped(figures(slot, name)),
    ]),
  ),
});
