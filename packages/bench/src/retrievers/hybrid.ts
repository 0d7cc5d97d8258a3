import { topK } from '@bezoar/core/kernels/top-k';
import type { Hit } from './ranked-list.ts';

/** Keeps the first rank from deciding alone; the value of the source. */
const K = 60;

/**
 * The first `count` passages by reciprocal rank fusion: a passage scores the sum of 1 / (60 + rank) over the lists that have it, ranks from 1.
 * Equal sums are in the order of the first list, then of the next: the label plays no part.
 *
 * Source: Cormack et al. 2009, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
 * https://doi.org/10.1145/1571941.1572114.
 */
export function hybrid(lists: readonly (readonly Hit[])[], count: number): Hit[] {
  const fused = new Map<string, { readonly hit: Hit; sum: number }>();
  for (const list of lists) {
    for (const [index, hit] of list.entries()) {
      const key = `${hit.planted} ${hit.place}`;
      const entry = fused.get(key) ?? { hit, sum: 0 };
      entry.sum += 1 / (K + index + 1);
      fused.set(key, entry);
    }
  }
  const entries = [...fused.values()];
  const order = topK(
    entries.map(({ sum }) => sum),
    count,
  );
  return order.map((index) => ({ ...entries[index]!.hit, score: entries[index]!.sum }));
}
