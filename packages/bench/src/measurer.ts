import {
  type DefendSettings,
  type Defense,
  type Encoder,
  type IndexDefense,
  type LikelihoodModel,
  type Policy,
  parseSpec,
  passageText,
} from '@bezoar/core';
import { loadNgramLikelihood, type ResolveEncoderOptions, resolveEncoder } from '@bezoar/models';
import { benchPolicy } from './bench-settings.ts';
import { openDataset } from './dataset/open-dataset.ts';
import { indexDefenseOf } from './index-defense-of.ts';
import { type CleanMemory, type MeasuredCell, measureCell } from './measure-cell.ts';
import { measureIndexCell, type ProtectedCorpus, protectCorpus } from './measure-index-cell.ts';
import { rememberEmbeddings } from './remember-embeddings.ts';
import type { CellSettings, PreparedQuestion } from './types.ts';

/** Where models come from. JSON-safe, so that threads can be told. */
export interface BenchModels {
  /** Where embeddings and retrieved lists are kept; null keeps none. */
  readonly cacheDir: string | null;
  readonly openai?: ResolveEncoderOptions['openai'];
}

export interface MeasureOrder {
  readonly scenario: string;
  readonly settings: CellSettings;
  readonly seed: number;
  readonly verdictsKept: number;
}

/** Questions with the same pools for every defense. JSON-safe but for the map. */
export interface Scenario {
  readonly key: string;
  readonly questions: readonly PreparedQuestion[];
  /** The dataset's folder, for defenses that make an index of it. */
  readonly folder: string;
  /** Word statistics of the corpus, where a defense asks for them. */
  readonly words: CorpusWords | null;
}

/** `Bm25Corpus` in a form that threads can be sent. */
export interface CorpusWords {
  readonly documents: number;
  readonly averageLength: number;
  readonly frequency: ReadonlyMap<string, number>;
}

export interface Measurer {
  /** Tells of a scenario's pools; earlier ones may be forgotten. */
  pools(scenario: Scenario): void;
  /** @param defense - One of the user's own in place of what the settings name. */
  measure(order: MeasureOrder, defense?: Defense): Promise<MeasuredCell>;
}

/** Makes encoders by SPEC, each once, with what they made before at hand. */
export function encoderMaker({ cacheDir, openai }: BenchModels): (spec: string) => Promise<Encoder> {
  const made = new Map<string, Promise<Encoder>>();
  return (spec) => {
    const known =
      made.get(spec) ??
      resolveEncoder(spec, { ...(cacheDir === null ? {} : { cacheDir }), ...(openai ? { openai } : {}) }).then(rememberEmbeddings);
    made.set(spec, known);
    return known;
  };
}

/** Scenarios whose pools are held at once: the ones at work, and the next. */
const HELD_SCENARIOS = 3;

/** Protected corpora held at once: as many as defenses of one kind are usually compared. */
const HELD_CORPORA = 4;

async function protectFolder(
  folder: string,
  defense: IndexDefense,
  encoder: Encoder,
  what: CellSettings['passageText'],
): Promise<ProtectedCorpus> {
  const dataset = await openDataset(folder);
  try {
    return await protectCorpus(dataset, defense, encoder, what);
  } finally {
    await dataset.close();
  }
}

/** Measures cells one after another in this thread. */
export function createMeasurer(models: BenchModels): Measurer {
  const makeEncoder = encoderMaker(models);
  const held = new Map<string, Scenario>();
  const clean = new Map<string, CleanMemory>();
  let likelihood: Promise<LikelihoodModel> | undefined;
  const corpora = new Map<string, Promise<ProtectedCorpus>>();
  const measureIndex = async (
    index: IndexDefense,
    questions: readonly PreparedQuestion[],
    folder: string,
    settings: CellSettings,
    seed: number,
  ): Promise<MeasuredCell> => {
    const encoder = await makeEncoder(settings.encoder!);
    const key = JSON.stringify([folder, index.spec, encoder.name, settings.passageText]);
    const corpus = corpora.get(key) ?? protectFolder(folder, index, encoder, settings.passageText);
    // The one at work last; the one that was not wanted for longest goes.
    corpora.delete(key);
    corpora.set(key, corpus);
    for (const old of [...corpora.keys()].slice(0, -HELD_CORPORA)) corpora.delete(old);
    const { pool, keep, passageText, isolated } = settings;
    const attacked = settings.attack !== 'none';
    return measureIndexCell(questions, index, await corpus, encoder, {
      attacked,
      verdictsKept: 0,
      pool,
      keep,
      seed,
      passageText,
      isolated,
    });
  };
  return {
    pools(scenario) {
      held.set(scenario.key, scenario);
      for (const old of [...held.keys()].slice(0, -HELD_SCENARIOS)) held.delete(old);
    },
    async measure({ scenario, settings, seed, verdictsKept }, defense) {
      const { questions, words, folder } = held.get(scenario)!;
      const index = defense ? null : indexDefenseOf(settings.defense);
      if (index) return measureIndex(index, questions, folder, settings, seed);
      const policy = benchPolicy(defense ?? settings.defense, settings, seed);
      const needs = new Set(policy.stages.flatMap((stage) => stage.needs));
      const wantsEncoder = settings.encoder !== null && (needs.has('embeddings') || needs.has('query-embedding'));
      if (needs.has('likelihood')) likelihood ??= loadNgramLikelihood();
      const encoder = wantsEncoder ? await makeEncoder(settings.encoder) : null;
      if (encoder) await ahead(encoder, questions, policy);
      const given: DefendSettings = {
        encoder,
        resolveEncoder: makeEncoder,
        likelihood: needs.has('likelihood') ? await likelihood! : null,
        bm25Corpus: words && { ...words, documentFrequency: (word) => words.frequency.get(word) ?? 0 },
      };
      const { dataset, encoder: spec, pool, keep, passageText, keepDuplicates } = settings;
      const key = JSON.stringify([dataset, settings.defense, spec, keep, passageText, keepDuplicates, seed]);
      const memory = clean.get(key) ?? new Map();
      clean.set(key, memory);
      return measureCell(questions, policy, given, { attacked: settings.attack !== 'none', verdictsKept, pool, keep, seed }, memory);
    },
  };
}

/** Encodes what the policy will look at, all at once: encoders are faster in batches, and their cache reads each file once. */
async function ahead(encoder: Encoder, questions: readonly PreparedQuestion[], policy: Policy): Promise<void> {
  const texts = new Set<string>();
  for (const { spec } of policy.stages) {
    const what = parseSpec(spec).options.passageText === 'text' ? 'text' : policy.passageText;
    for (const { pool, cleanPool } of questions) for (const passage of [...pool, ...cleanPool]) texts.add(passageText(passage, what));
  }
  await encoder.encode(
    [...texts].filter((text) => text.trim() !== ''),
    { role: 'passage' },
  );
}
