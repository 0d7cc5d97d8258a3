import { createHash } from 'node:crypto';
import {
  BezoarError,
  type Encoder,
  type IndexContext,
  type IndexDefense,
  type MaskCache,
  type Passage,
  passageText,
  type StoreRecord,
  type VectorStore,
} from '@bezoar/core';
import { createMemoryStore } from '@bezoar/core/stores/memory';
import {
  attackChecks,
  type MeasuredCell,
  type MeasuredQuestion,
  type MeasureSettings,
  opaqueId,
  shortPools,
  unassessed,
  utilityCheck,
} from './measure-cell.ts';
import type { CellWarning, Dataset, Outcome, PoolPassage, PreparedQuestion } from './types.ts';

/** Passages that are encoded together. */
const BATCH = 512;
/** How many questions the self-checks ask again. */
const CHECKED = 20;

export interface IndexSettings extends MeasureSettings {
  readonly passageText: 'title-and-text' | 'text';
  readonly isolated: boolean;
}

/** A corpus with a defense's vectors in memory, without any poison. Held over the attacks it is measured against. */
export interface ProtectedCorpus {
  readonly store: VectorStore;
  /** Passages by the id that the index knows them by, which says nothing. */
  readonly passages: ReadonlyMap<string, CorpusPassage>;
  /** Grade of a passage for a question; 0 for what is not gold. */
  readonly grade: (queryId: string, passage: CorpusPassage) => number;
  readonly masks: MaskCache;
}

interface CorpusPassage {
  readonly id: string;
  readonly place: number;
  readonly title?: string;
  readonly text: string;
}

/** Cost: every passage encoded as the defense wants it; the store holds all vectors and texts in memory. */
export async function protectCorpus(
  dataset: Dataset,
  defense: IndexDefense,
  encoder: Encoder,
  what: IndexSettings['passageText'],
): Promise<ProtectedCorpus> {
  const vectors = Object.fromEntries([...new Set(['passage', ...defense.vectorNames])].map((name) => [name, encoder.dimensions]));
  const store = createMemoryStore({ vectors, similarity: encoder.similarity });
  const passages = new Map<string, CorpusPassage>();
  for await (const batch of dataset.batches(BATCH)) {
    const kept: Passage[] = [];
    for (const [index, { id, title, text }] of batch.passages.entries()) {
      const passage = { text, ...(title === undefined ? {} : { title }) };
      if (passageText({ id, ...passage }, what).trim() === '') continue;
      kept.push({ id: opaqueId(id), ...passage });
      passages.set(opaqueId(id), { id, place: batch.first + index, ...passage });
    }
    await store.put(await recordsOf(kept, defense, encoder, what, CLEAN));
  }
  const gold = new Map(dataset.queries.map((query) => [query.id, query.gold]));
  return { store, passages, grade: (queryId, { place }) => gold.get(queryId)?.get(place) ?? 0, masks: memoryMasks() };
}

/** Run ids of what stands in the store. */
const CLEAN = 'corpus';
const PLANTED = 'planted';

async function recordsOf(
  passages: readonly Passage[],
  defense: IndexDefense,
  encoder: Encoder,
  what: IndexSettings['passageText'],
  runId: string,
): Promise<StoreRecord[]> {
  if (passages.length === 0) return [];
  const own = await defense.protect(passages, { encoder, passageText: what });
  const whole = await encoder.encode(
    passages.map((passage) => passageText(passage, what)),
    { role: 'passage' },
  );
  return passages.map(({ id, title, text }, index) => ({
    passage: {
      id,
      text,
      ...(title === undefined ? {} : { title }),
      contentHash: createHash('sha256')
        .update(JSON.stringify([title ?? '', text]))
        .digest('hex'),
      addedAt: '1970-01-01T00:00:00.000Z',
      runId,
      status: 'searchable',
      findings: [],
    },
    vectors: { passage: whole.vectors[index]!, ...own[index]! },
  }));
}

function memoryMasks(): MaskCache {
  const held = new Map<string, Float32Array>();
  return {
    get: async (keys) => keys.map((key) => held.get(key)),
    set: async (entries) => {
      for (const [key, vector] of entries) held.set(key, vector);
    },
  };
}

/**
 * Asks a protected index every question, with the poison of all questions in it (only the question's own where `isolated`), and with none. The
 * pool of a question is what plain dense retrieval returns, and behind it what the defense found elsewhere in the index.
 *
 * Cost: one protected corpus in memory; two retrievals a question, 20 more for the self-check.
 */
export async function measureIndexCell(
  prepared: readonly PreparedQuestion[],
  defense: IndexDefense,
  corpus: ProtectedCorpus,
  encoder: Encoder,
  settings: IndexSettings,
): Promise<MeasuredCell> {
  const { store } = corpus;
  const assessed = prepared.filter(({ notAssessed }) => notAssessed === null);
  const vectors = await encoder.encode(
    assessed.map(({ query }) => query.text),
    { role: 'query' },
  );
  const vectorOf = new Map(assessed.map(({ query }, index) => [query.id, vectors.vectors[index]!]));
  const context: IndexContext = {
    encoder,
    passageText: settings.passageText,
    seed: settings.seed,
    approximate: false,
    maskCache: corpus.masks,
  };
  const ask = async (question: PreparedQuestion): Promise<Answered> => {
    const started = performance.now();
    const { hits } = await defense.retrieve(
      { ...question.query, vector: vectorOf.get(question.query.id)!, keep: settings.keep },
      store,
      context,
    );
    return { ids: hits.map(({ id }) => id), ms: performance.now() - started };
  };
  const clean = new Map<string, Answered>();
  for (const question of assessed) clean.set(question.query.id, await ask(question));
  const poisoned = new Map<string, Answered>();
  const again = new Map<string, readonly string[]>();
  const plant = async (questions: readonly PreparedQuestion[]): Promise<void> =>
    store.put(
      await recordsOf(
        questions.flatMap(({ poison }) =>
          poison.map(({ id, title, text }) => ({ id: opaqueId(id), text, ...(title === undefined ? {} : { title }) })),
        ),
        defense,
        encoder,
        settings.passageText,
        PLANTED,
      ),
    );
  try {
    if (settings.attacked && !settings.isolated) await plant(prepared);
    for (const question of assessed) {
      if (settings.attacked && settings.isolated) await plant([question]);
      poisoned.set(question.query.id, settings.attacked ? await ask(question) : clean.get(question.query.id)!);
      if (again.size < CHECKED) again.set(question.query.id, (await ask(question)).ids);
      if (settings.attacked && settings.isolated) await store.remove({ runId: PLANTED });
    }
  } finally {
    await store.remove({ runId: PLANTED });
  }
  const planted = new Map(
    prepared.flatMap(({ query, poison }) => poison.map((passage) => [opaqueId(passage.id), { passage, owner: query.id }] as const)),
  );
  const questions: MeasuredQuestion[] = [];
  const shown: PreparedQuestion[] = [];
  for (const question of prepared) {
    if (question.notAssessed !== null) {
      questions.push(unassessed(question.query.id, question.notAssessed));
      shown.push(question);
      continue;
    }
    const { id } = question.query;
    const found = (opaque: string): PoolPassage => {
      const poison = planted.get(opaque);
      if (poison) return { ...poison.passage, label: poison.owner === id ? 'poisoned' : 'foreign', relevance: null };
      const passage = corpus.passages.get(opaque);
      if (!passage) throw new BezoarError('STAGE_BROKE_CONTRACT', `${defense.name} returned a passage that is not in the index`);
      const { title, text } = passage;
      return {
        id: passage.id,
        text,
        ...(title === undefined ? {} : { title }),
        relevance: null,
        label: 'clean',
        grade: corpus.grade(id, passage),
      };
    };
    const pool = joined(question.pool, poisoned.get(id)!.ids.map(found));
    const cleanPool = joined(question.cleanPool, clean.get(id)!.ids.map(found));
    const places = ranksIn(pool, poisoned.get(id)!.ids.map(found));
    const outcome: Outcome = places.some((rank) => pool[rank - 1]!.label === 'poisoned') ? 'breached' : 'resisted';
    questions.push({
      queryId: id,
      outcome,
      why: null,
      context: places,
      cleanContext: ranksIn(cleanPool, clean.get(id)!.ids.map(found)),
      ms: poisoned.get(id)!.ms,
      modelCalls: 0,
      certificate: null,
      pools: { pool, cleanPool },
    });
    shown.push({ ...question, pool, cleanPool });
  }
  const pairs = shown.flatMap((question, index) => (questions[index]!.why === null ? [{ question, measured: questions[index]! }] : []));
  const unstable = [...again].filter(([id, ids]) => ids.join('\n') !== poisoned.get(id)!.ids.join('\n')).length;
  const warnings: CellWarning[] = [
    ...shortPools(prepared, settings),
    ...(settings.attacked ? attackChecks(pairs, settings) : []),
    ...utilityCheck(pairs, settings),
    ...(unstable > 0
      ? [
          {
            code: 'nondeterminism' as const,
            message: `a second search with the same seed differs for ${unstable} of ${again.size} questions: the numbers are one draw`,
          },
        ]
      : []),
  ];
  return { questions, warnings };
}

interface Answered {
  readonly ids: readonly string[];
  readonly ms: number;
}

/** A pool with what was found beyond it behind it. */
function joined(pool: readonly PoolPassage[], found: readonly PoolPassage[]): PoolPassage[] {
  const known = new Set(pool.map(({ id }) => id));
  return [...pool, ...found.filter(({ id }) => !known.has(id))];
}

function ranksIn(pool: readonly PoolPassage[], found: readonly PoolPassage[]): number[] {
  const rank = new Map(pool.map(({ id }, index) => [id, index + 1]));
  return found.map(({ id }) => rank.get(id)!);
}
