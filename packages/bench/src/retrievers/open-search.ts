import { BezoarError, type Encoder } from '@bezoar/core';
import { poolCache } from '../pool-cache.ts';
import type { Dataset, DatasetQuery, PoolSettings } from '../types.ts';
import { candidates } from './candidates.ts';
import type { CorpusReading } from './corpus-texts.ts';
import { dense } from './dense.ts';
import { hybrid } from './hybrid.ts';
import { countQueryWords, type LexicalStatistics, lexical } from './lexical.ts';
import { type Hit, mergePlanted, type RankedList } from './ranked-list.ts';
import type { ScoredTexts, Scorer } from './scorer.ts';
import { searchCorpus } from './search-corpus.ts';

/** Changes when the same corpus and questions would give other lists than before. */
const CACHE_VERSION = 1;

/** A retriever that has searched the clean corpus for all questions. */
export interface Search {
  /** The first `count` passages for the question at this place, of the corpus and of what is planted at [from, to). */
  top(query: number, count: number, from: number, to: number): Hit[];
}

export interface SearchModels {
  readonly encoder: Encoder | null;
  /** Where lists are kept; null keeps none. */
  readonly cacheDir: string | null;
  readonly signal: AbortSignal | null;
  readonly progress: CorpusReading['progress'];
}

/**
 * Searches the clean corpus once; where planted passages would come follows from their scores alone. Lists are at least 100 passages
 * deep and ten times the pool, so that all pools of up to ten share one file of the cache and `hybrid` has ranks to fuse.
 *
 * @param planted - Texts that compete; null where nothing does, so that candidates keep their own order. With candidates and nothing planted the
 * encoder may be missing, and they keep their order too.
 * @throws {BezoarError} `NEEDS_EMBEDDINGS` without an encoder where similarity is needed; `ABORTED`.
 */
export async function openSearch(
  dataset: Dataset,
  queries: readonly DatasetQuery[],
  planted: readonly string[] | null,
  { retriever, pool, passageText, keepDuplicates }: Pick<PoolSettings, 'retriever' | 'pool' | 'passageText' | 'keepDuplicates'>,
  { encoder, cacheDir, signal, progress }: SearchModels,
): Promise<Search> {
  const texts = queries.map(({ text }) => text);
  const distinct = !keepDuplicates;
  const reading = { passageText, signal, progress };
  if (retriever === 'candidates') {
    const compete = planted !== null && (encoder !== null || planted.length > 0);
    const scorer = compete ? await dense(needed(encoder, retriever), texts, signal) : null;
    const lists = await candidates(dataset, queries, { count: pool, distinct, passageText, signal }, scorer);
    return searchOf(lists, (await scorer?.score(planted ?? [])) ?? null);
  }
  const depth = Math.max(100, 10 * pool);
  const remember = poolCache(cacheDir);
  const key = [CACHE_VERSION, dataset.fingerprint, passageText];
  const open = async (scorer: Scorer): Promise<Search> => {
    const search = (): Promise<RankedList[]> => searchCorpus(dataset, scorer, texts.length, depth, distinct, reading);
    const lists = await remember([...key, 'lists', scorer.identity, depth, distinct], search);
    return searchOf(lists, planted && (await scorer.score(planted)));
  };
  const openDense = async (): Promise<Search> => open(await dense(needed(encoder, retriever), texts, signal));
  const openLexical = async (): Promise<Search> => {
    const count = (): Promise<LexicalStatistics> => countQueryWords(dataset, texts, reading);
    return open(lexical(await remember([...key, 'words', texts], count), texts));
  };
  if (retriever === 'dense') return openDense();
  if (retriever === 'lexical') return openLexical();
  const searches = [await openDense(), await openLexical()];
  return {
    top(query, count, from, to) {
      const lists = searches.map((search) => search.top(query, depth, from, to));
      return hybrid(lists, count);
    },
  };
}

const NOTHING = new Float64Array(0);

const searchOf = (lists: readonly RankedList[], planted: ScoredTexts | null): Search => ({
  top: (query, count, from, to) => mergePlanted(lists[query]!, planted?.scores(query, from, to) ?? NOTHING, from, count),
});

function needed(encoder: Encoder | null, retriever: string): Encoder {
  if (encoder !== null) return encoder;
  throw new BezoarError('NEEDS_EMBEDDINGS', `retriever ${retriever} compares passages with questions here, and no encoder is given`);
}
