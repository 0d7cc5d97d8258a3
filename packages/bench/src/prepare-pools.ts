import { type Encoder, type Passage, passageText } from '@bezoar/core';
import { type Attack, type AttackTarget, plantPoison } from '@bezoar/redteam';
import { drawIrrelevant } from './dataset/irrelevant-passages.ts';
import { placePoison, poisonCount } from './place-poison.ts';
import { breathe } from './retrievers/corpus-texts.ts';
import { openSearch } from './retrievers/open-search.ts';
import type { Hit } from './retrievers/ranked-list.ts';
import type { Dataset, DatasetQuery, Label, NotAssessed, PoolPassage, PoolSettings, PreparedQuestion } from './types.ts';

/** Passages read from the corpus in one go. */
const READ_TOGETHER = 4096;

export interface PoolModels {
  /** For `dense` and `hybrid`, for candidates that compete with poison, and for attacks that encode. */
  readonly encoder: Encoder | null;
  /** Where retrieved lists are kept; null keeps none. */
  readonly cacheDir: string | null;
  readonly signal?: AbortSignal | null;
  readonly progress?: (done: number, total: number, what: string) => void;
  /** What an attacker knows of each question, by query id. */
  readonly targets: ReadonlyMap<string, AttackTarget>;
}

/**
 * The pools of the dataset's first `limit` questions, in file order: what the retriever returns from the clean corpus, and what it returns once the
 * attack's passages are planted. Passages are told apart by id; a clean passage with the text of a poisoned one stays clean.
 *
 * With placement `retrieval` poison competes by the retriever's own number: from a corpus against the poison of all questions that could be
 * attacked (against its own alone where `isolated`), from candidates its own against the first `pool` of them. The other placements put the
 * question's own poison where they say; passages have no relevance then, as the retriever never saw the poison and a gap would give it away.
 *
 * A question is not assessed when the retriever has nothing for it, when it has fewer clean passages than the pool needs beside the poison
 * (unless `shortPools`), or when the attack cannot be made for it. Clean passages whose text repeats, whitespace aside, count once, unless
 * `keepDuplicates`; poisoned ones count each.
 *
 * Deterministic given `settings.seed`. Cost: one pass over the corpus for `dense`, two for `lexical`, three for `hybrid`, none when the
 * cache has the lists; then for each question a score for each planted passage.
 *
 * @throws {BezoarError} `NEEDS_EMBEDDINGS` without an encoder where one is needed; `ABORTED`; what encoder, attack and dataset throw.
 */
export async function preparePools(
  dataset: Dataset,
  attack: Attack | null,
  settings: PoolSettings,
  models: PoolModels,
): Promise<PreparedQuestion[]> {
  const { pool: size, placement, passageText: what } = settings;
  const { signal = null, progress = () => undefined } = models;
  const queries = settings.limit === null ? dataset.queries : dataset.queries.slice(0, settings.limit);
  const count = attack === null ? 0 : poisonCount(settings);

  const planted: Passage[] = [];
  const plots: Plot[] = [];
  for (const [index, query] of queries.entries()) {
    const poison = attack === null || count === 0 ? [] : await plant(dataset, query, attack, count, settings, models);
    const passages = typeof poison === 'string' ? [] : poison;
    plots.push({ from: planted.length, to: planted.length + passages.length, why: typeof poison === 'string' ? poison : null });
    planted.push(...passages);
    if (attack !== null) progress(index + 1, queries.length, `crafting ${attack.name}`);
    await breathe(signal);
  }

  const competes = placement === 'retrieval';
  const together = settings.retriever !== 'candidates' && !settings.isolated;
  const texts = competes ? planted.map((passage) => passageText(passage, what)) : null;
  const search = await openSearch(dataset, queries, texts, settings, { ...models, signal, progress });
  const drafts: Draft[] = [];
  for (const [index, plot] of plots.entries()) {
    const cleanPool = search.top(index, size, 0, 0);
    const why = reasonAgainst(cleanPool.length, size - count, settings.shortPools) ?? plot.why;
    const pool = competes
      ? search.top(index, size, together ? 0 : plot.from, together ? planted.length : plot.to)
      : placePoison(cleanPool, ownHits(plot), size, placement);
    drafts.push(why === null ? { why, pool, cleanPool } : { why, pool: [], cleanPool: [] });
    await breathe(signal);
  }

  const passages = await readPassages(dataset, drafts);
  return queries.map((query, index) => {
    const plot = plots[index]!;
    const { why, pool, cleanPool } = drafts[index]!;
    const show = (hit: Hit): PoolPassage => {
      const { id, title, text } = hit.planted ? planted[hit.place]! : passages.get(hit.place)!;
      const own = hit.place >= plot.from && hit.place < plot.to;
      const label: Label = hit.planted ? (own ? 'poisoned' : 'foreign') : 'clean';
      const grade = hit.planted ? 0 : (query.gold.get(hit.place) ?? 0);
      return { id, ...(title === undefined ? {} : { title }), text, relevance: competes ? hit.score : null, label, grade };
    };
    return {
      query: { id: query.id, text: query.text },
      notAssessed: why,
      pool: pool.map(show),
      cleanPool: cleanPool.map(show),
      goldGrades: [...query.gold.values()].sort((a, b) => b - a),
      planted: plot.to - plot.from,
      poison: settings.retriever === 'candidates' ? [] : ownHits(plot).map(show),
    };
  });
}

/** Where a question's own poison is among all that is planted, or why there is none. */
interface Plot {
  readonly from: number;
  readonly to: number;
  readonly why: NotAssessed | null;
}

interface Draft {
  readonly why: NotAssessed | null;
  readonly pool: readonly Hit[];
  readonly cleanPool: readonly Hit[];
}

const ownHits = ({ from, to }: Plot): Hit[] =>
  Array.from({ length: to - from }, (_, index) => ({ planted: true, place: from + index, score: null }));

function reasonAgainst(clean: number, needed: number, shortPools: boolean): NotAssessed | null {
  if (clean === 0) return 'no-candidates';
  return clean < needed && !shortPools ? 'too-few-candidates' : null;
}

async function plant(
  dataset: Dataset,
  query: DatasetQuery,
  attack: Attack,
  count: number,
  { seed, shortPools }: PoolSettings,
  { encoder, signal = null, targets }: PoolModels,
): Promise<readonly Passage[] | NotAssessed> {
  const crafted = await attack.craft(targets.get(query.id)!, {
    seed,
    count,
    allowFewer: shortPools,
    drawPassages: (wanted) => drawIrrelevant(dataset, query, wanted, seed),
    encoder,
    signal,
  });
  return typeof crafted === 'string' ? crafted : plantPoison(crafted, { queryId: query.id, attack: attack.spec, seed }).passages;
}

async function readPassages(dataset: Dataset, drafts: readonly Draft[]): Promise<Map<number, Passage>> {
  const hits = drafts.flatMap(({ pool, cleanPool }) => [...pool, ...cleanPool]);
  const places = [...new Set(hits.filter(({ planted }) => !planted).map(({ place }) => place))].sort((a, b) => a - b);
  const passages = new Map<number, Passage>();
  for (let start = 0; start < places.length; start += READ_TOGETHER) {
    const wanted = places.slice(start, start + READ_TOGETHER);
    for (const [index, passage] of (await dataset.passages(wanted)).entries()) passages.set(wanted[index]!, passage);
  }
  return passages;
}
