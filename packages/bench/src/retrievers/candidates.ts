import { type PassageText, passageText } from '@bezoar/core';
import type { Dataset, DatasetQuery } from '../types.ts';
import { breathe } from './corpus-texts.ts';
import { distinctText } from './distinct-text.ts';
import { mergePlanted, type RankedList } from './ranked-list.ts';
import type { Scorer } from './scorer.ts';

/** Questions whose candidates are encoded together. */
const TOGETHER = 100;

export interface CandidateSettings {
  /** How many a question gets. */
  readonly count: number;
  readonly distinct: boolean;
  readonly passageText: PassageText;
  readonly signal: AbortSignal | null;
}

/**
 * The first `count` passages that came with each question, in their order and without a score. Those whose text repeats, whitespace aside,
 * count once where `distinct` says so; the same passage named twice always does. Empty for a question that came with none.
 *
 * Given a scorer, these same passages come in the order of their scores, equal ones in their own; what cannot be scored comes last.
 */
export async function candidates(
  dataset: Dataset,
  queries: readonly DatasetQuery[],
  settings: CandidateSettings,
  scorer: Scorer | null,
): Promise<RankedList[]> {
  const lists: RankedList[] = [];
  for (let start = 0; start < queries.length; start += TOGETHER) {
    const chosen: { readonly places: number[]; readonly texts: string[] }[] = [];
    for (const query of queries.slice(start, start + TOGETHER)) chosen.push(await firstCandidates(dataset, query, settings));
    const scored = await scorer?.score(chosen.flatMap(({ texts }) => texts));
    let from = 0;
    for (const [offset, { places }] of chosen.entries()) {
      const to = from + places.length;
      const scores = scored
        ? Array.from(scored.scores(start + offset, from, to), (score) => (Number.isFinite(score) ? score : null))
        : places.map(() => null);
      lists.push(inOrder({ places, scores }));
      from = to;
    }
    await breathe(settings.signal);
  }
  return lists;
}

const inOrder = (list: RankedList): RankedList => {
  const hits = mergePlanted(list, new Float64Array(0), 0, list.places.length);
  return { places: hits.map(({ place }) => place), scores: hits.map(({ score }) => score) };
};

/** Reads on until there are enough: what comes with a question may be a thousand passages. */
async function firstCandidates(
  dataset: Dataset,
  query: DatasetQuery,
  settings: CandidateSettings,
): Promise<{ places: number[]; texts: string[] }> {
  const named = [...new Set(query.candidates ?? [])];
  const seen = new Set<string>();
  const places: number[] = [];
  const texts: string[] = [];
  for (let next = 0; next < named.length && places.length < settings.count; ) {
    const read = named.slice(next, next + settings.count);
    next += read.length;
    for (const [index, passage] of (await dataset.passages(read)).entries()) {
      const text = passageText(passage, settings.passageText);
      const key = settings.distinct ? distinctText(text) : String(read[index]);
      if (places.length === settings.count || seen.has(key)) continue;
      seen.add(key);
      places.push(read[index]!);
      texts.push(text);
    }
  }
  return { places, texts };
}
