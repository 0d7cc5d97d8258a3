import type { StoreHit } from '@bezoar/core';

/** Asked for beside the k best, so that what is level with the last of them is usually in the first answer. */
const SLACK = 16;

const byScoreThenId = (a: StoreHit, b: StoreHit): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/**
 * The k best of what a server finds, equal scores by id. Servers cut a row of equal scores anywhere, and copies of one passage are such a row:
 * while the last hit is level with the k-th, twice as many are asked for, up to `most`.
 *
 * @param ask - The `limit` best hits in any order.
 */
export async function rankedHits(
  k: number,
  ask: (limit: number) => Promise<readonly StoreHit[]>,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly StoreHit[]> {
  if (k === 0) return [];
  for (let limit = Math.min(k + SLACK, most); ; limit = Math.min(2 * limit, most)) {
    const hits = [...(await ask(limit))].sort(byScoreThenId);
    const level = hits.length >= limit && hits[hits.length - 1]!.score === hits[k - 1]?.score;
    if (!level || limit >= most) return hits.slice(0, k);
  }
}

/**
 * The k best where passages with a zero vector, whose cosine is 0, are not among what the server finds: they are put in where the rest leaves
 * room above or beside a negative score.
 */
export async function withZeroVectors(
  k: number,
  found: readonly StoreHit[],
  zeroIds: () => Promise<readonly string[]>,
): Promise<readonly StoreHit[]> {
  if (k === 0 || (found.length >= k && found[k - 1]!.score > 0)) return found;
  const zeros = (await zeroIds()).map((id) => ({ id, score: 0 }));
  return zeros.length === 0 ? found : [...found, ...zeros].sort(byScoreThenId).slice(0, k);
}
