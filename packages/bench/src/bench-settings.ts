import { BezoarError, closestName, DEFENSES, type Defense, type Policy, parseSpec, parseStages, policyFromSpecs } from '@bezoar/core';
import { ATTACKS, type Attack, attackFromSpec } from '@bezoar/redteam';
import { indexDefenseOf, indexDefenseOptions } from './index-defense-of.ts';
import { type CellSettings, PLACEMENTS, type Placement, RETRIEVERS, type RetrieverName } from './types.ts';

/** One measurement: every attack by every defense, at every number of poisons and placement. What is left out has its default. */
export interface BenchPart {
  /** Set in suites, where a run has several parts. */
  readonly title?: string;
  /** SPECs, or attacks of your own; `none` measures without one. Default: `none`. */
  readonly attacks?: readonly (string | Attack)[];
  /** SPECs (also names of recipes and policies), or defenses of your own. */
  readonly defenses: readonly (string | Defense)[];
  /** SPECs; each defense that compares embeddings is measured with each. Default: `static`. */
  readonly encoders?: readonly string[];
  /** Default: `candidates` where the dataset has candidates.jsonl, else `hybrid`; `dense` where a defense works inside the index. */
  readonly retriever?: RetrieverName;
  /** Default: 10. */
  readonly pool?: number;
  /** Default: 5. A SPEC that says its own keeps that. */
  readonly keep?: number;
  /** Default: 1; for placement `ratio`, 0.2. */
  readonly poisons?: readonly number[];
  /** Default: `retrieval`. */
  readonly placements?: readonly Placement[];
  /** Of pools and defenses. Default: title and text. A SPEC that says its own keeps that for itself. */
  readonly passageText?: 'title-and-text' | 'text';
  readonly shortPools?: boolean;
  readonly keepDuplicates?: boolean;
  readonly isolated?: boolean;
  /** The first so many queries of each dataset. */
  readonly limit?: number;
  /** Over so many seeds, counted up from the run's. Default: 1. */
  readonly repeats?: number;
  /** Values of settings (`pool`, `keep`, `poisons`, `placement`, `retriever`, `passage-text`) or of options of defenses and attacks, by name. */
  readonly sweep?: Readonly<Record<string, readonly string[]>>;
}

/** A cell before it is measured, with what its SPECs name. */
export interface PlannedCell {
  readonly settings: CellSettings;
  readonly attack: Attack | null;
  readonly policy: Policy;
  /** Whether pools are made with the encoder, so that they differ by it. */
  readonly encoderRetrieves: boolean;
}

const SETTINGS_TO_SWEEP = ['pool', 'keep', 'poisons', 'placement', 'retriever', 'passage-text'] as const;
type Sweepable = (typeof SETTINGS_TO_SWEEP)[number];

/**
 * What a defense is in the bench: nothing is cut short by a clock, and a stage that fails is seen. Where duplicates are kept, stages that judge
 * passages against each other keep them too.
 */
export function benchPolicy(
  defense: string | Defense,
  cell: Pick<CellSettings, 'keep' | 'passageText' | 'keepDuplicates'>,
  seed: number,
): Policy {
  const own = { budgetMs: null, onError: 'refuse', mode: 'enforce', keep: cell.keep, passageText: cell.passageText, seed } as const;
  if (typeof defense !== 'string') return { ...policyFromSpecs([], own), name: defense.name, stages: [defense] };
  const policy = policyFromSpecs([defense], own);
  return cell.keepDuplicates ? { ...policy, stages: policy.stages.flatMap(({ spec }) => parseStages(keepingDuplicates(spec))) } : policy;
}

function keepingDuplicates(spec: string): string {
  const { name, options } = parseSpec(spec);
  const collapses = 'collapseDuplicates' in DEFENSES[name as keyof typeof DEFENSES].optionSpecs && options.collapseDuplicates === undefined;
  return collapses ? `${spec}${spec.includes('?') ? '&' : '?'}collapseDuplicates=off` : spec;
}

/**
 * The cells of a part over one dataset, in the order in which they are reported: attack, poisons, placement, swept values, defense, encoder.
 *
 * @throws {BezoarError} `UNKNOWN_NAME` and `INVALID_OPTION` for SPECs, `INVALID_OPTION` for settings out of range and for a swept name that nothing has.
 */
export function planCells(
  part: BenchPart,
  dataset: { readonly name: string; readonly hasCandidates: boolean },
  seed: number,
): PlannedCell[] {
  for (const name of ['attacks', 'defenses', 'encoders', 'poisons', 'placements'] as const) {
    if (part[name]?.length === 0)
      throw new BezoarError('INVALID_OPTION', `${name} is an empty list: name at least one`, { details: { field: name } });
  }
  const sweeps = sweepsOf(part);
  const cells: PlannedCell[] = [];
  const seen = new Set<string>();
  for (const attack of part.attacks ?? ['none']) {
    for (const placement of part.placements ?? ['retrieval']) {
      for (const poisons of part.poisons ?? [null]) {
        for (const sweep of sweeps) {
          for (const defense of part.defenses) {
            for (const encoder of part.encoders ?? ['static']) {
              const cell = planCell(part, dataset, { attack, placement, poisons, sweep, defense, encoder }, seed);
              // A sweep over an option that a defense lacks, an encoder it does not use, poisons that are not planted: measured once.
              const key = JSON.stringify(cell.settings);
              if (!seen.has(key)) cells.push(cell);
              seen.add(key);
            }
          }
        }
      }
    }
  }
  return cells;
}

interface Choice {
  readonly attack: string | Attack;
  readonly placement: Placement;
  readonly poisons: number | null;
  readonly sweep: Readonly<Record<string, string>>;
  readonly defense: string | Defense;
  readonly encoder: string;
}

function planCell(part: BenchPart, dataset: { name: string; hasCandidates: boolean }, choice: Choice, seed: number): PlannedCell {
  const swept: Record<string, string> = {};
  const take = (name: Sweepable): string | undefined => {
    const value = Object.hasOwn(choice.sweep, name) ? choice.sweep[name] : undefined;
    if (value !== undefined) swept[name] = value;
    return value;
  };
  const options = Object.entries(choice.sweep).filter(([name]) => !(SETTINGS_TO_SWEEP as readonly string[]).includes(name));
  const [attackSpec, attackOptions] = withOptions(choice.attack, options, attackOptionNames);
  const [defenseSpec, defenseOptions] = withOptions(choice.defense, options, defenseOptionNames);
  const attack = attackSpec === 'none' ? null : typeof attackSpec === 'string' ? attackFromSpec(attackSpec) : attackSpec;
  const placement = oneOf('placement', take('placement') ?? choice.placement, PLACEMENTS);
  const index = typeof defenseSpec === 'string' ? indexDefenseOf(defenseSpec) : null;
  const retriever = oneOf(
    'retriever',
    take('retriever') ?? part.retriever ?? (part.defenses.some(isIndexDefense) ? 'dense' : dataset.hasCandidates ? 'candidates' : 'hybrid'),
    RETRIEVERS,
  );
  if (index && (retriever === 'candidates' || placement !== 'retrieval')) {
    const instead = retriever === 'candidates' ? '--retriever dense' : '--placement retrieval';
    throw new BezoarError('INVALID_OPTION', `${index.name} searches the corpus itself, so poison has to compete there; use ${instead}`, {
      details: { field: retriever === 'candidates' ? 'retriever' : 'placement' },
    });
  }
  const givenPoisons = take('poisons');
  const pool = within('pool', Number(take('pool') ?? part.pool ?? 10), 1, 1000, true);
  const poisons = attack === null ? 0 : poisonsOf(givenPoisons === undefined ? choice.poisons : Number(givenPoisons), placement, pool);
  const named =
    typeof defenseSpec === 'string'
      ? policyFromSpecs(index ? [] : [defenseSpec])
      : benchPolicy(defenseSpec, { keep: 5, passageText: 'title-and-text', keepDuplicates: false }, seed);
  // What a SPEC says itself wins: a recipe keeps what its paper kept.
  const fixed = named.stages.findLast(({ kind }) => kind === 'rerank')?.keep ?? null;
  const keep = within('keep', fixed ?? Number(take('keep') ?? part.keep ?? named.keep), 1, 1000, true);
  const passageText = oneOf('passage-text', take('passage-text') ?? part.passageText ?? named.passageText, [
    'title-and-text',
    'text',
  ] as const);
  const repeats = within('repeats', part.repeats ?? 1, 1, 1000, true);
  const encoderRetrieves = retriever === 'dense' || retriever === 'hybrid' || (retriever === 'candidates' && placement === 'retrieval');
  const encoderJudges =
    index !== null || named.stages.some(({ needs }) => needs.includes('embeddings') || needs.includes('query-embedding'));
  const encoderCrafts = attack?.needs.includes('embeddings') ?? false;
  Object.assign(swept, attackOptions, defenseOptions);
  const settings: CellSettings = {
    dataset: dataset.name,
    attack: specOf(attackSpec),
    defense: specOf(defenseSpec),
    answerer: null,
    encoder: encoderRetrieves || encoderJudges || encoderCrafts ? choice.encoder : null,
    model: null,
    retriever,
    pool,
    keep,
    poisons,
    placement,
    passageText,
    shortPools: part.shortPools ?? false,
    keepDuplicates: part.keepDuplicates ?? false,
    isolated: part.isolated ?? false,
    limit: part.limit === undefined ? null : within('limit', part.limit, 1, Number.MAX_SAFE_INTEGER, true),
    seed,
    seeds: Array.from({ length: repeats }, (_, index) => (seed + index) >>> 0),
    sweep: Object.keys(swept).length === 0 ? null : swept,
    part: part.title ?? null,
  };
  return {
    settings,
    attack,
    policy: index ? named : benchPolicy(defenseSpec, settings, seed),
    encoderRetrieves: encoderRetrieves || encoderCrafts,
  };
}

const isIndexDefense = (defense: string | Defense): boolean => typeof defense === 'string' && indexDefenseOf(defense) !== null;

const specOf = (given: string | Attack | Defense): string => (typeof given === 'string' ? given : given.spec);

/** Poisons must leave room for what they stand among; `ratio` takes a share, all others a number. */
function poisonsOf(given: number | null, placement: Placement, pool: number): number {
  if (placement === 'ratio') return within('poisons', given ?? 0.2, 0, 1, false);
  return within('poisons', given ?? 1, 1, pool, true);
}

function within(name: string, value: number, min: number, max: number, integer: boolean): number {
  if (Number.isFinite(value) && value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new BezoarError('INVALID_OPTION', `${name} is ${value}, expected a ${integer ? 'whole number' : 'share'} ${range}`, {
    details: { field: name },
  });
}

function oneOf<const T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const near = closestName(value, values);
  const remedy = near ? `did you mean ${near}?` : `expected ${values.join(', ')}`;
  throw new BezoarError('INVALID_OPTION', `${name} is ${JSON.stringify(value.slice(0, 80))}; ${remedy}`, {
    details: { field: name, closest: near },
  });
}

/** Every combination of the swept values; one empty one where nothing is swept. */
function sweepsOf(part: BenchPart): Readonly<Record<string, string>>[] {
  const defenseNames = part.defenses.flatMap((defense) => (typeof defense === 'string' ? defenseOptionNames(defense) : []));
  const attackNames = (part.attacks ?? []).flatMap((attack) => (typeof attack === 'string' ? attackOptionNames(attack) : []));
  const known = [...SETTINGS_TO_SWEEP, ...defenseNames, ...attackNames];
  let combinations: Readonly<Record<string, string>>[] = [{}];
  for (const [name, values] of Object.entries(part.sweep ?? {})) {
    if (!known.includes(name)) {
      const near = closestName(name, known);
      throw new BezoarError(
        'INVALID_OPTION',
        `sweep: nothing here has an option ${JSON.stringify(name.slice(0, 80))}; ${near ? `did you mean ${near}?` : `there are ${[...new Set(known)].join(', ')}`}`,
        {
          details: { field: 'sweep', closest: near },
        },
      );
    }
    if (values.length === 0)
      throw new BezoarError('INVALID_OPTION', `sweep: ${name} has no values; write ${name}=a,b,c`, { details: { field: 'sweep' } });
    combinations = combinations.flatMap((before) => values.map((value) => ({ ...before, [name]: value })));
  }
  return combinations;
}

/** A named policy's settings are fixed, so it has no options. */
function defenseOptionNames(spec: string): string[] {
  const { name } = parseSpec(spec);
  const ofIndex = indexDefenseOptions(name);
  if (ofIndex) return ofIndex;
  return Object.hasOwn(DEFENSES, name) ? Object.keys(DEFENSES[name as keyof typeof DEFENSES].optionSpecs) : [];
}

function attackOptionNames(spec: string): string[] {
  const { name } = parseSpec(spec);
  return Object.hasOwn(ATTACKS, name) ? Object.keys(ATTACKS[name as keyof typeof ATTACKS].optionSpecs) : [];
}

/** A SPEC with the swept options that it has, and which those were. What stands in the SPEC already is replaced. */
function withOptions<T extends string | Attack | Defense>(
  given: T,
  options: readonly (readonly [string, string])[],
  namesOf: (spec: string) => readonly string[],
): [T | string, Readonly<Record<string, string>>] {
  if (typeof given !== 'string') return [given, {}];
  const own = namesOf(given);
  const taken = Object.fromEntries(options.filter(([name]) => own.includes(name)));
  if (Object.keys(taken).length === 0) return [given, {}];
  const { name, options: before } = parseSpec(given);
  const all = Object.entries({ ...before, ...taken }).map(([option, value]) => `${option}=${value.replace(/[%&,]/g, encodeURIComponent)}`);
  return [`${name}?${all.join('&')}`, taken];
}
