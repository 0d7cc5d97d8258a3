import type {
  BenchResult,
  CellWarning,
  Diagnosis,
  Histogram,
  Label,
  MetricValue,
  NotAssessed,
  Outcome,
  QuestionRecord,
  RecordedVerdict,
  ResultCell,
  ResultPassage,
  ResultPool,
  ResultQuestion,
  WarningCode,
} from './types.ts';
import { PLACEMENTS, RETRIEVERS } from './types.ts';

/** The part of JSON Schema 2020-12 that a result needs. `null` is said by a type list or by `anyOf`. */
export interface ResultSchema {
  readonly type?: string | readonly string[];
  readonly const?: number;
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly ResultSchema[];
  readonly minimum?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ResultSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: ResultSchema;
  readonly items?: ResultSchema;
}

/** Names every key of the type, so that one that is added to a result cannot be forgotten here. */
type Shape<T> = { readonly [K in keyof Required<T>]: ResultSchema };

/** Further keys are allowed: a result of a later version that adds some is still read. */
function object<T extends object>(properties: Shape<T>, optional: readonly (keyof T)[] = []): ResultSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((key) => !optional.includes(key as keyof T)) };
}

/** The keys are the choices; a record is how TypeScript notices one that is missing. */
const choice = <T extends string>(choices: Record<T, true>): ResultSchema => ({ enum: Object.keys(choices) });
const list = (items: ResultSchema): ResultSchema => ({ type: 'array', items });
const map = (additionalProperties: ResultSchema): ResultSchema => ({ type: 'object', additionalProperties });
const orNull = (schema: ResultSchema): ResultSchema => ({ anyOf: [schema, { type: 'null' }] });
const said = (schema: ResultSchema, description: string): ResultSchema => ({ ...schema, description });

const text: ResultSchema = { type: 'string' };
const textOrNull: ResultSchema = { type: ['string', 'null'] };
const flag: ResultSchema = { type: 'boolean' };
const number: ResultSchema = { type: 'number' };
const numberOrNull: ResultSchema = { type: ['number', 'null'] };
const count: ResultSchema = { type: 'integer', minimum: 0 };
const countOrNull: ResultSchema = { type: ['integer', 'null'], minimum: 0 };
const rank: ResultSchema = { type: 'integer', minimum: 1 };
const seed = count;

const NOT_ASSESSED: Record<NotAssessed, true> = {
  'too-few-candidates': true,
  'too-few-wrong-texts': true,
  'no-target-answer': true,
  'too-few-passages': true,
  'no-candidates': true,
  'defense-failed': true,
};

const metric = object<MetricValue>(
  {
    value: numberOrNull,
    low: said(numberOrNull, 'Lower end of the 95 % interval.'),
    high: said(numberOrNull, 'Upper end of the 95 % interval.'),
    n: said(count, 'Questions it rests on.'),
    notAssessed: said(count, 'Questions that it could not be computed for.'),
    deviation: said(numberOrNull, 'Standard deviation over seeds.'),
  },
  ['deviation'],
);

const verdict = object<RecordedVerdict>({
  action: choice<RecordedVerdict['action']>({ keep: true, drop: true, rewrite: true }),
  reason: text,
  score: numberOrNull,
  suspicion: number,
});

const record = object<QuestionRecord>(
  {
    queryId: text,
    seed,
    outcome: choice<Outcome>({ breached: true, resisted: true, 'not-assessed': true }),
    why: { enum: [...Object.keys(NOT_ASSESSED), null] },
    pool: said(countOrNull, 'Place in pools, from 0.'),
    context: said(list(rank), 'Ranks in the pool, from 1, in the order they went on.'),
    cleanPool: countOrNull,
    cleanContext: list(rank),
    modelCalls: { type: 'number', minimum: 0 },
    certificate: orNull(object<NonNullable<QuestionRecord['certificate']>>({ holds: flag, pad: numberOrNull, padTight: numberOrNull })),
    verdicts: said(list(verdict), 'One a passage of the pool; only for the first breached questions of a cell.'),
  },
  ['verdicts'],
);

const warning = object<CellWarning>({
  code: choice<WarningCode>({
    'label-leak': true,
    'poison-never-retrieved': true,
    'null-attack': true,
    'utility-collapse': true,
    nondeterminism: true,
    'short-pools': true,
    'wrong-texts-made': true,
  }),
  message: text,
});

const cell = object<ResultCell>({
  dataset: text,
  attack: said(text, 'SPEC as it was given; none for no attack.'),
  defense: said(text, 'SPEC as it was given.'),
  answerer: textOrNull,
  encoder: textOrNull,
  model: textOrNull,
  keep: count,
  seeds: list(seed),
  sweep: orNull(map(text)),
  part: textOrNull,
  retriever: { enum: RETRIEVERS },
  pool: count,
  poisons: said({ type: 'number', minimum: 0 }, 'Poisoned passages a question; with placement ratio the share of the pool.'),
  placement: { enum: PLACEMENTS },
  passageText: { enum: ['title-and-text', 'text'] },
  shortPools: flag,
  keepDuplicates: flag,
  isolated: flag,
  limit: countOrNull,
  seed,
  queries: said(count, 'Questions asked, assessed or not.'),
  outcomes: object<ResultCell['outcomes']>({ breached: count, resisted: count, notAssessed: count }),
  metrics: said(map(metric), 'By name; docs/metrics.md says what each is. Shares are 0 to 1.'),
  warnings: list(warning),
  records: list(record),
});

const histogram = object<Histogram>({ from: number, to: number, counts: list(count), mean: numberOrNull });

type Similarity = Diagnosis['similarities'][number];
type Combinations = NonNullable<Diagnosis['combinations']>;

const diagnosis = object<Diagnosis>({
  dataset: text,
  attack: text,
  poisons: { type: 'number', minimum: 0 },
  encoder: text,
  similarities: list(
    object<Similarity>({
      similarity: choice<Similarity['similarity']>({ cosine: true, 'rouge-l': true, bm25: true }),
      pairs: choice<Similarity['pairs']>({ 'clean-clean': true, 'clean-poisoned': true, 'poisoned-poisoned': true }),
      histogram,
    }),
  ),
  combinations: orNull(
    object<Combinations>({
      query: text,
      points: list(object<Combinations['points'][number]>({ x: number, y: number, poisoned: count, selected: flag })),
      explained: number,
      radius: numberOrNull,
      nearestPoisoned: numberOrNull,
    }),
  ),
  margins: histogram,
});

type Run = BenchResult['run'];

const run = object<Run>({
  seed,
  versions: map(text),
  environment: object<Run['environment']>({ platform: text, arch: text }),
  startedAt: said(text, 'ISO 8601, UTC.'),
  suite: orNull(object<NonNullable<Run['suite']>>({ name: text, title: text, differs: list(text) })),
  datasets: list(object<Run['datasets'][number]>({ name: text, fingerprint: text, queries: count, passages: count })),
  verdictsKept: count,
  settings: said({ type: 'object' }, 'What was asked for, as it was given.'),
});

const question = object<ResultQuestion>({
  dataset: text,
  id: text,
  text,
  answers: list(text),
  targetAnswer: textOrNull,
  goldGrades: list(number),
});

const pool = object<ResultPool>({
  question: said(count, 'Place in questions, from 0.'),
  planted: count,
  passages: list(
    object<ResultPool['passages'][number]>({
      passage: said(count, 'Place in passages, from 0.'),
      label: choice<Label>({ clean: true, poisoned: true, foreign: true }),
      grade: number,
    }),
  ),
});

/** The parts that are one line each in JSON lines, by the type of the line. */
export const PART_SCHEMAS = {
  run,
  question,
  passage: object<ResultPassage>({ id: text, title: textOrNull, text }),
  pool,
  cell,
  query: record,
  diagnosis,
} as const;

/** What `bench --format json` writes; packages/bench/schema/result.schema.json is made from it, and results that are read are held against it. */
export const RESULT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:bezoar:result:1',
  title: 'Bezoar bench result',
  ...object<BenchResult>({
    schemaVersion: { const: 1 },
    run,
    cells: list(cell),
    questions: list(question),
    passages: list(PART_SCHEMAS.passage),
    pools: list(pool),
    diagnoses: list(diagnosis),
  }),
} as const;
