import type { StoredPassage, StoreRecord, VectorStore } from '@bezoar/core';
import type { Finding } from './finding.ts';
import type { IngestPolicy, IngestVerdict } from './ingest-policy.ts';

/** Records read with all their vectors at a time. */
const BATCH = 200;

/** The findings that a stored passage was judged by already: somebody may have approved it in spite of them. */
export const knownFindings = ({ findings }: StoredPassage): ReadonlySet<unknown> => new Set(findings.map(({ fingerprint }) => fingerprint));

/**
 * Writes findings to passages that are in the store and does what the policy says for those that are new to them; tells `done` of each. A
 * verdict of `reject` quarantines: what was searchable is not deleted unseen.
 */
export async function applyFindings(
  store: VectorStore,
  found: ReadonlyMap<string, readonly Finding[]>,
  policy: IngestPolicy,
  done: (id: string, verdict: IngestVerdict, fresh: readonly Finding[]) => void,
  signal?: AbortSignal,
): Promise<void> {
  const ids = [...found.keys()];
  const vectors = Object.keys(store.shape.vectors);
  for (let from = 0; from < ids.length; from += BATCH) {
    const records: StoreRecord[] = [];
    for (const record of await store.fetch(ids.slice(from, from + BATCH), { vectors })) {
      if (record === null) continue;
      const { passage } = record;
      const known = knownFindings(passage);
      const fresh = found.get(passage.id)!.filter(({ fingerprint }) => !known.has(fingerprint));
      if (fresh.length === 0) continue;
      const verdict = policy.verdictOf(fresh);
      const status = verdict === 'accept' ? passage.status : 'quarantined';
      records.push({ ...record, passage: { ...passage, status, findings: [...passage.findings, ...fresh] } });
      done(passage.id, verdict, fresh);
    }
    if (records.length > 0) await store.put(records, signal ? { signal } : {});
  }
}
