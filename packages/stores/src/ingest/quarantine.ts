import type { StoredPassage, StoreFilter, VectorStore } from '@bezoar/core';

/** What became of the ids that a reviewer named. */
export interface Reviewed {
  readonly done: readonly string[];
  /** In the store, and not quarantined: left as they are. */
  readonly notQuarantined: readonly string[];
  readonly missing: readonly string[];
}

/** Every passage that waits for review, by id. */
export const listQuarantined = (store: VectorStore, filter: Omit<StoreFilter, 'status'> = {}): AsyncIterable<StoredPassage> =>
  store.list({ ...filter, status: 'quarantined' });

/** A passage with its provenance and findings, whatever its status; null where there is none. */
export async function showPassage(store: VectorStore, id: string): Promise<StoredPassage | null> {
  return (await store.fetch([id]))[0]?.passage ?? null;
}

/** Makes quarantined passages searchable; the next search finds them. Their findings stay with them, so that no rescan holds them back again. */
export async function approve(store: VectorStore, ids: readonly string[]): Promise<Reviewed> {
  const reviewed = await sort(store, ids);
  if (reviewed.done.length > 0) await store.setStatus(reviewed.done, 'searchable');
  return reviewed;
}

/** Removes quarantined passages from the store. A searchable one is never removed by a slip of the pen. */
export async function reject(store: VectorStore, ids: readonly string[]): Promise<Reviewed> {
  const reviewed = await sort(store, ids);
  if (reviewed.done.length > 0) await store.remove({ ids: reviewed.done });
  return reviewed;
}

async function sort(store: VectorStore, ids: readonly string[]): Promise<Reviewed> {
  const named = [...new Set(ids)];
  const records = await store.fetch(named);
  const those = (holds: (status: string | undefined) => boolean): string[] =>
    named.filter((_, index) => holds(records[index]?.passage.status));
  return {
    done: those((status) => status === 'quarantined'),
    notQuarantined: those((status) => status === 'searchable'),
    missing: those((status) => status === undefined),
  };
}
