import { BezoarError, type StoredPassage, type StoreFilter, type VectorStore } from '@bezoar/core';
import { applyFindings } from './apply-findings.ts';
import type { Finding } from './finding.ts';
import { type IngestPolicy, ingestPolicy } from './ingest-policy.ts';
import { createScanner, type ScanSettings } from './scanner.ts';

const BATCH = 500;

export interface RescanSettings extends ScanSettings {
  /** Which passages. Default: all, quarantined ones too. */
  readonly filter?: StoreFilter;
  /** Sources whose passages others are compared with. */
  readonly trusted?: readonly string[];
  /** Does what a policy says for findings that a passage was not judged by before; without it the store stays as it is. */
  readonly apply?: IngestPolicy | true;
  readonly signal?: AbortSignal;
  readonly progress?: (done: number) => void;
}

export interface RescanReport {
  readonly passages: number;
  readonly findings: readonly Finding[];
  /** Ids that are quarantined by this scan. */
  readonly quarantined: readonly string[];
}

/** Runs the rules over what is in a store. An empty store has no findings. Reads everything once (trusted sources twice); memory for the findings. */
export async function rescan(store: VectorStore, settings: RescanSettings = {}): Promise<RescanReport> {
  const { filter = { status: 'any' }, trusted = [], signal, progress } = settings;
  const isTrusted = new Set(trusted);
  const scanner = createScanner(settings);
  if (trusted.length > 0) for await (const passage of store.list({ sources: trusted })) scanner.trust([passage]);
  const findings: Finding[] = [];
  let passages = 0;
  let batch: StoredPassage[] = [];
  const flush = async (): Promise<void> => {
    if (signal?.aborted) throw new BezoarError('ABORTED', 'the scan was aborted', { cause: signal.reason });
    const names = Object.hasOwn(store.shape.vectors, 'passage') ? ['passage'] : [];
    const records = await store.fetch(
      batch.map(({ id }) => id),
      { vectors: names },
    );
    const items = batch.map((passage, index) => ({
      passage,
      vector: records[index]?.vectors.passage ?? null,
      trusted: passage.source !== undefined && isTrusted.has(passage.source),
    }));
    findings.push(...scanner.scan(items).flat());
    passages += batch.length;
    batch = [];
    progress?.(passages);
  };
  for await (const passage of store.list(filter)) {
    batch.push(passage);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  for (const finding of scanner.finish()) findings.push(finding);
  const quarantined: string[] = [];
  if (settings.apply) {
    const found = new Map<string, Finding[]>();
    for (const finding of findings) found.set(finding.passageId, [...(found.get(finding.passageId) ?? []), finding]);
    const note = (id: string, verdict: string): void => void (verdict === 'accept' || quarantined.push(id));
    await applyFindings(store, found, settings.apply === true ? ingestPolicy() : settings.apply, note, signal);
  }
  return { passages, findings, quarantined };
}
