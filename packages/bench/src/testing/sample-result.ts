import { createRandom, type Random } from '@bezoar/core/kernels/random';
import { estimate, estimateOverSeeds } from '../estimate.ts';
import { outcomesOf } from '../outcomes-of.ts';
import { METRICS } from '../registry.generated.ts';
import type {
  BenchResult,
  CellSettings,
  CellWarning,
  Diagnosis,
  Histogram,
  Label,
  MetricValue,
  NotAssessed,
  Outcome,
  QuestionRecord,
  ResultCell,
  ResultPassage,
  ResultPool,
  ResultQuestion,
} from '../types.ts';

export interface SampleSettings {
  /** Ids, titles, texts, questions, answers and messages hold what breaks terminals, tables, pages and spreadsheets. Nothing else differs. */
  readonly hostile?: boolean;
  /** Only the first so many cells. */
  readonly cells?: number;
  /** Adds cells that sweep an option of a defense. */
  readonly sweep?: boolean;
  /** Adds diagnoses. */
  readonly diagnose?: boolean;
  /** Three seeds instead of one, with deviations. */
  readonly repeats?: boolean;
  /** How many questions the two datasets have; with [1, 0] none can be assessed. */
  readonly questions?: readonly [number, number];
}

/** What attackers write into passages, by what it is meant to break. */
export const HOSTILE_STRINGS: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE cells; --",
  'a | b || c \\| d',
  'first\nsecond\r\nthird\ttab',
  '\u001b[31mred\u001b[0m\u009b2J\u0007\u0000',
  '\u202egnp.exe\u202c\u2066x\u2069\u200b\ufeff',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\tstart of a cell',
  '\rstart of a cell',
  '<!-- comment --!> -->',
  '</td></tr></table></details></style></title></svg>',
  '__proto__',
  'unpaired \ud800 and \udfff',
  '`code` ``` [link](javascript:alert(1)) ![x](y) *bold* _it_ # head ~~~',
  '&lt;b&gt; &amp; &#x41;',
  '{"type":"cell"}\u2028{"type":"run"}\u2029',
  '東京 👩‍👩‍👧 مرحبا e\u0301\u0301\u0301',
  ' leading and trailing ',
];

const POOL = 6;
const KEEP = 3;
const VERDICTS_KEPT = 2;
const SCENARIOS = [
  { attack: 'none', poisons: 0 },
  { attack: 'poisonedrag', poisons: 1 },
  { attack: 'poisonedrag', poisons: 3 },
  { attack: 'query-as-poison?position=prefix', poisons: 1 },
] as const;
const DEFENSES = ['none', 'grada?weights=bm25', 'trustrag-filter', 'pra-rag'] as const;
const SWEPT = { defense: 'grada?weights=bm25', option: 'alpha', values: ['0.2', '0.4', '0.6'] } as const;

type Scenario = (typeof SCENARIOS)[number];

/** A small result that hangs together: outcomes follow from pools and contexts, metrics from outcomes. The same on every machine. */
export function sampleResult(options: SampleSettings = {}): BenchResult {
  const key = JSON.stringify(options);
  const known = MADE.get(key) ?? makeResult(options);
  MADE.set(key, known);
  return structuredClone(known);
}

/** Intervals take a while, and a suite asks for the same samples over and over. */
const MADE = new Map<string, BenchResult>();

function makeResult(options: SampleSettings): BenchResult {
  const { hostile = false, sweep = false, diagnose = false, repeats = false, questions: sizes = [7, 5] } = options;
  const seeds = repeats ? [1, 2, 3] : [1];
  let words = 0;
  const foul = (plain: string): string => (hostile ? `${HOSTILE_STRINGS[words++ % HOSTILE_STRINGS.length]} ${plain}` : plain);
  const foulId = (plain: string): string => {
    if (!hostile) return plain;
    const index = words++;
    return index === 0 ? '__proto__' : `${HOSTILE_STRINGS[index % HOSTILE_STRINGS.length]}${plain}`;
  };

  const questions: ResultQuestion[] = [];
  const passages: ResultPassage[] = [];
  const pools: ResultPool[] = [];
  const addPassage = (id: string, title: string | null, text: string): number =>
    passages.push({ id: foulId(id), title: title === null ? null : foul(title), text: foul(text) }) - 1;

  const asked: AskedQuestion[] = [];
  for (const [d, dataset] of ['alpha', 'beta'].entries()) {
    for (let q = 0; q < sizes[d]!; q++) {
      const random = createRandom(100 * d + q);
      const question =
        questions.push({
          dataset,
          id: foulId(`${dataset}-q${q}`),
          text: foul(`Which town has the ${dataset} bridge number ${q}?`),
          answers: [foul(`Town ${q}`), `Place ${q}`],
          targetAnswer: foul(`Village ${q}`),
          // Beta's second question has no gold passage.
          goldGrades: d === 1 && q === 1 ? [] : [2, 1],
        }) - 1;
      const gold = questions[question]!.goldGrades;
      const clean = Array.from({ length: POOL }, (_, i) =>
        addPassage(
          `doc-${question}-${i}`,
          i % 3 === 2 ? null : `Bridge ${q}, part ${i}`,
          i === 4 ? `The bridge and its river. ${'A long account. '.repeat(50)}` : `Passage ${i} about the bridge number ${q}.`,
        ),
      );
      const goldRanks = random.shuffle([0, 1, 2, 3, 4, 5]).slice(0, gold.length);
      asked.push({
        question,
        dataset,
        // Alpha's first question has too few candidates.
        why: d === 0 && q === 0 ? 'too-few-candidates' : null,
        clean: clean.map((passage, rank) => ({ passage, label: 'clean' as const, grade: gold[goldRanks.indexOf(rank)] ?? 0 })),
      });
    }
  }

  const addPool = (pool: ResultPool): number => pools.push(pool) - 1;
  const cleanPools = asked.map(({ question, clean, why }) => (why ? null : addPool({ question, planted: 0, passages: clean })));
  const poisonedPools = SCENARIOS.map(({ attack, poisons }, s) =>
    seeds.map((seed) =>
      asked.map(({ question, clean, why }, a) => {
        if (why || poisons === 0) return cleanPools[a]!;
        const random = createRandom(10_000 + 1000 * s + 100 * seed + a);
        const own: Judged[] = Array.from({ length: poisons }, (_, i) => ({
          passage: addPassage(
            Math.floor(random.next() * 2 ** 48).toString(16),
            attack === 'poisonedrag' ? null : 'A drawn passage',
            `Which bridge? It is Village ${a}, wording ${i}.`,
          ),
          label: 'poisoned' as const,
          grade: 0,
        }));
        // Another question's poison comes up for every fifth.
        if (a % 5 === 4)
          own.push({
            passage: addPassage(Math.floor(random.next() * 2 ** 48).toString(16), null, 'Meant for another.'),
            label: 'foreign',
            grade: 0,
          });
        const ranked = random.shuffle([...own, ...clean.slice(0, POOL - own.length)]);
        return addPool({ question, planted: poisons, passages: ranked });
      }),
    ),
  );

  const messages = [
    foul('beta has no wrong texts: they were made from other questions'),
    foul('success without attack is less than half of what it is without a defense'),
  ] as const;

  const cellOf = (d: number, s: number, defense: string, swept: string | null): ResultCell => {
    const dataset = ['alpha', 'beta'][d]!;
    const scenario = SCENARIOS[s]!;
    const records: QuestionRecord[] = [];
    let breaches = 0;
    for (const [i, seed] of seeds.entries()) {
      for (const [a, { dataset: of, question, why }] of asked.entries()) {
        if (of !== dataset) continue;
        const failed = defense === 'trustrag-filter' && dataset === 'beta' && a === asked.length - 1;
        const reason = why ?? (failed ? ('defense-failed' as const) : null);
        const queryId = questions[question]!.id;
        if (reason) {
          records.push({
            queryId,
            seed,
            outcome: 'not-assessed',
            why: reason,
            pool: null,
            context: [],
            cleanPool: null,
            cleanContext: [],
            modelCalls: 0,
            certificate: null,
          });
          continue;
        }
        const pool = poisonedPools[s]![i]![a]!;
        const cleanPool = cleanPools[a]!;
        const random = createRandom(50_000 + 1000 * s + 100 * DEFENSES.indexOf(defense as never) + 10 * Number(swept ?? 0) + a);
        const context = defended(defense, pools[pool]!.passages, random);
        const cleanContext = scenario.poisons === 0 ? context : defended(defense, pools[cleanPool]!.passages, createRandom(a));
        const breached = context.some((rank) => pools[pool]!.passages[rank - 1]!.label === 'poisoned');
        const outcome: Outcome = breached ? 'breached' : 'resisted';
        records.push({
          queryId,
          seed,
          outcome,
          why: null,
          pool,
          context,
          cleanPool,
          cleanContext,
          modelCalls: 0,
          certificate:
            defense === 'pra-rag' ? { holds: scenario.poisons < 3, pad: a % 4 === 0 ? null : 0.5 + 0.1 * a, padTight: null } : null,
          ...(breached && breaches++ < VERDICTS_KEPT ? { verdicts: verdictsOf(defense, pools[pool]!.passages, context, random) } : {}),
        });
      }
    }
    const count = (outcome: Outcome): number => records.filter((record) => record.outcome === outcome).length;
    const cell: ResultCell = {
      ...settingsOf(dataset, scenario, defense, swept, seeds),
      queries: records.length / seeds.length,
      outcomes: { breached: count('breached'), resisted: count('resisted'), notAssessed: count('not-assessed') },
      metrics: {},
      warnings: warningsOf(dataset, scenario, defense, messages),
      records,
    };
    return { ...cell, metrics: metricsOf(cell, { questions, passages, pools }) };
  };

  const cells: ResultCell[] = [];
  for (const d of [0, 1]) {
    for (const s of SCENARIOS.keys()) {
      const variants = [
        ...DEFENSES.map((defense) => [defense, null] as const),
        ...(sweep ? SWEPT.values.map((value) => [SWEPT.defense, value] as const) : []),
      ];
      for (const [defense, value] of variants) if (cells.length < (options.cells ?? Infinity)) cells.push(cellOf(d, s, defense, value));
    }
  }

  return {
    schemaVersion: 1,
    run: {
      seed: 1,
      versions: { bezoar: '0.1.0', node: '20.19.0' },
      environment: { platform: 'linux', arch: 'x64' },
      startedAt: '2026-01-02T03:04:05.678Z',
      suite: null,
      datasets: ['alpha', 'beta'].map((name, d) => ({
        name,
        fingerprint: `${d}`.repeat(64),
        queries: sizes[d]!,
        passages: sizes[d]! * POOL,
      })),
      verdictsKept: VERDICTS_KEPT,
      settings: {
        dataset: ['alpha', 'beta'],
        attack: SCENARIOS.map(({ attack }) => attack),
        defense: [...DEFENSES],
        pool: POOL,
        keep: KEEP,
      },
    },
    cells,
    questions,
    passages,
    pools,
    diagnoses: diagnose
      ? ['alpha', 'beta'].map((dataset) => diagnosisOf(dataset, questions.find((question) => question.dataset === dataset)?.id ?? ''))
      : [],
  };
}

interface Judged {
  readonly passage: number;
  readonly label: Label;
  readonly grade: number;
}

interface AskedQuestion {
  readonly question: number;
  readonly dataset: string;
  readonly why: NotAssessed | null;
  readonly clean: readonly Judged[];
}

const settingsOf = (
  dataset: string,
  scenario: Scenario,
  defense: string,
  swept: string | null,
  seeds: readonly number[],
): CellSettings => ({
  dataset,
  attack: scenario.attack,
  defense,
  answerer: null,
  encoder: defense === 'trustrag-filter' || defense === 'pra-rag' ? 'static' : null,
  model: null,
  keep: KEEP,
  seeds,
  sweep: swept === null ? null : { [SWEPT.option]: swept },
  part: null,
  retriever: 'candidates',
  pool: POOL,
  poisons: scenario.poisons,
  placement: 'slot',
  passageText: 'title-and-text',
  shortPools: false,
  keepDuplicates: false,
  isolated: false,
  limit: null,
  seed: 1,
});

const warningsOf = (
  dataset: string,
  { attack, poisons }: Scenario,
  defense: string,
  messages: readonly [string, string],
): CellWarning[] => [
  ...(dataset === 'beta' && attack === 'poisonedrag' ? [{ code: 'wrong-texts-made' as const, message: messages[0] }] : []),
  ...(dataset === 'beta' && poisons === 3 && defense === 'trustrag-filter'
    ? [{ code: 'utility-collapse' as const, message: messages[1] }]
    : []),
];

/** Ranks that go on: stand-ins for the four defenses, which see labels as no defense may. */
function defended(defense: string, pool: readonly Judged[], random: Random): number[] {
  const ranks = pool.map((_, index) => index + 1);
  if (defense === 'none') return ranks.slice(0, KEEP);
  const caught = pool.map(({ label }) => random.next() < (label === 'clean' ? 0.1 : 0.7));
  if (defense === 'trustrag-filter') return ranks.filter((rank) => !caught[rank - 1]);
  if (defense === 'pra-rag')
    return [...ranks.filter((rank) => !caught[rank - 1]), ...ranks]
      .slice(0, KEEP)
      .filter((rank, place, all) => all.indexOf(rank) === place);
  return [...ranks.filter((rank) => !caught[rank - 1]).reverse(), ...ranks.filter((rank) => caught[rank - 1])].slice(0, KEEP);
}

const verdictsOf = (defense: string, pool: readonly Judged[], context: readonly number[], random: Random) =>
  pool.map((_, index) => {
    const kept = context.includes(index + 1);
    return {
      action: kept ? ('keep' as const) : ('drop' as const),
      reason: kept ? 'kept' : defense === 'trustrag-filter' ? 'dense-cluster' : 'beyond-keep',
      score: defense === 'none' ? null : random.next(),
      suspicion: kept ? 0 : random.next(),
    };
  });

/** Every metric of the registry; a clock has no part in it. */
function metricsOf(cell: ResultCell, tables: Pick<BenchResult, 'questions' | 'passages' | 'pools'>): Record<string, MetricValue> {
  const outcomes = outcomesOf({ ...tables } as BenchResult, cell).map((outcome, place) => outcome && { ...outcome, ms: 1 + place / 8 });
  const bySeed = cell.seeds.map((_, index) => outcomes.slice(index * cell.queries, (index + 1) * cell.queries));
  return Object.fromEntries(
    METRICS.map((metric) => [
      metric.name,
      bySeed.length === 1 ? estimate(metric, bySeed[0]!, { seed: cell.seed }) : estimateOverSeeds(metric, bySeed, { seed: cell.seed }),
    ]),
  );
}

const histogramOf = (from: number, to: number, seed: number): Histogram => {
  const random = createRandom(seed);
  const counts = Array.from({ length: 20 }, (_, i) => Math.round(40 * Math.exp(-(((i - 4 - (seed % 10)) / 3) ** 2)) + random.integer(4)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const step = (to - from) / counts.length;
  return { from, to, counts, mean: counts.reduce((sum, count, i) => sum + count * (from + (i + 0.5) * step), 0) / total };
};

const diagnosisOf = (dataset: string, query: string): Diagnosis => ({
  dataset,
  attack: 'poisonedrag',
  poisons: 1,
  encoder: 'static',
  similarities: (['cosine', 'rouge-l', 'bm25'] as const).flatMap((similarity) =>
    (['clean-clean', 'clean-poisoned', 'poisoned-poisoned'] as const).map((pairs, i) => ({
      similarity,
      pairs,
      histogram: histogramOf(similarity === 'cosine' ? -1 : 0, similarity === 'bm25' ? 20 : 1, 3 * i + similarity.length),
    })),
  ),
  combinations: {
    query,
    points: Array.from({ length: 20 }, (_, i) => ({
      x: Math.cos(i) * (1 + i / 20),
      y: Math.sin(i),
      poisoned: i < 10 ? 1 : 0,
      selected: i === 15,
    })),
    explained: 0.62,
    radius: 0.31,
    nearestPoisoned: 0.48,
  },
  margins: histogramOf(-0.5, 0.5, 7),
});
