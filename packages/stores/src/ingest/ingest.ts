import {
  BezoarError,
  type Encoder,
  type IndexDefense,
  type Passage,
  type PassageText,
  passageText,
  type StoreRecord,
  type StoreShape,
  type VectorStore,
} from '@bezoar/core';
import { applyFindings, knownFindings } from './apply-findings.ts';
import { contentHash } from './content-hash.ts';
import { type Finding, type IngestRule, SEVERITIES, type Severity } from './finding.ts';
import { type IngestPolicy, ingestPolicy } from './ingest-policy.ts';
import { scanDensity } from './scan-density.ts';
import { createScanner, refusedByStore } from './scanner.ts';

/** Passages encoded and written together. */
const BATCH = 500;
/** Passages made searchable together. */
const RELEASE = 1000;
/** Rejected passages that the report lists. */
const MAX_LISTED = 1000;

export interface IngestSettings {
  readonly store: VectorStore;
  readonly encoder: Encoder;
  /** Default: high findings quarantine. */
  readonly policy?: IngestPolicy;
  /** Their vectors are stored beside `passage`; the store's shape must have them (`ingestShape`). */
  readonly defenses?: readonly IndexDefense[];
  /** Names this ingest in the store. The same again resumes it. */
  readonly runId: string;
  /** Of passages that name none. */
  readonly source?: string;
  /** Default `title-and-text`. */
  readonly passageText?: PassageText;
  /** Sources whose passages others are compared with. Those already in the store count. */
  readonly trusted?: readonly string[];
  /** Passages of trusted sources that come later in the corpus; without them only those that come before a passage count. */
  readonly trustedPassages?: Iterable<Passage> | AsyncIterable<Passage>;
  /** Questions that an attacker may aim at. */
  readonly questions?: readonly string[];
  readonly rules?: readonly IngestRule[];
  /** Default: the system's clock. */
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
  /** Passages done so far. */
  readonly progress?: (done: number) => void;
}

export interface IngestReport {
  readonly runId: string;
  /** Of the corpus. */
  readonly passages: number;
  /** Not in the store before, and now there. */
  readonly added: number;
  /** In the store with other content before. */
  readonly replaced: number;
  /** In the store before as they are. */
  readonly unchanged: number;
  /** Where the passages of the corpus stand now. */
  readonly verdicts: { readonly accept: number; readonly quarantine: number; readonly reject: number };
  /** Passages that a rule found something in, by rule and severity. */
  readonly rules: Readonly<Record<string, Readonly<Record<Severity, number>>>>;
  /** The first 1,000 that were not stored, and why. */
  readonly rejected: readonly Finding[];
  /** Not searchable because another ingest that brought them has not ended. */
  readonly held: number;
  /** Milliseconds of the encoder with index defenses, of the rules, and of the store. */
  readonly ms: { readonly encode: number; readonly rules: number; readonly store: number };
}

/** The shape of a store for an ingest with these settings. */
export function ingestShape({
  encoder,
  defenses = [],
  passageText: text = 'title-and-text',
}: Pick<IngestSettings, 'encoder' | 'defenses' | 'passageText'>): StoreShape {
  const names = ['passage', ...defenses.flatMap(({ vectorNames }) => vectorNames)];
  return {
    vectors: Object.fromEntries(names.map((name) => [name, encoder.dimensions])),
    similarity: encoder.similarity,
    encoder: encoder.name,
    settings: { defenses: defenses.map(({ spec }) => spec), passageText: text },
  };
}

/**
 * Brings passages into a store: rules, verdict, vectors, and with each passage its content hash, its source, the time and what was found. An
 * empty corpus adds nothing.
 *
 * Everything comes in quarantined; when the last passage was read and what only the whole corpus shows is known, what the policy accepts is made
 * searchable. So nothing that the rules hold back was ever found by a search, and an ingest that was killed shows nothing of what it brought
 * until it is run again with the same `runId`: what is there with the same content and source is not encoded or written a second time. Passages
 * that somebody approved stay approved. A passage under a known id with other content replaces the old one, and is judged anew.
 *
 * @throws {BezoarError} `SHAPE_MISMATCH` when the store is not made for the encoder and the defenses; `DUPLICATE_ID` for an id twice within 500
 *   passages; `ABORTED`; `STORE_FAILED`, `ENCODER_FAILED`. The batch at hand is then not written; those before are.
 *
 * Cost: memory for one batch, and some 500 bytes a passage of what the rules remember.
 */
export async function ingest(passages: Iterable<Passage> | AsyncIterable<Passage>, settings: IngestSettings): Promise<IngestReport> {
  const { store, encoder, policy = ingestPolicy(), defenses = [], runId, trusted = [], signal, progress } = settings;
  checkShape(store.shape, ingestShape(settings));
  const abortable = signal ? { signal } : {};
  const now = settings.now ?? (() => new Date());
  const isTrusted = new Set(trusted);
  const ms = { encode: 0, rules: 0, store: 0 };
  const clock = async <T>(what: keyof typeof ms, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await work();
    } finally {
      ms[what] += performance.now() - start;
    }
  };
  const counts = { passages: 0, added: 0, replaced: 0, unchanged: 0, held: 0, reject: 0 };
  const rules: Record<string, Record<Severity, number>> = {};
  const count = ({ ruleId, severity }: Finding): void => {
    rules[ruleId] ??= { low: 0, medium: 0, high: 0 };
    rules[ruleId][severity]++;
  };
  const rejected: Finding[] = [];
  /** To be made searchable at the end. */
  const accepted = new Set<string>();
  const quarantined = new Set<string>();
  /** What is found in passages that are stored already. */
  const late = new Map<string, Finding[]>();

  const scanner = createScanner({
    density: scanDensity(encoder),
    ...(settings.rules ? { rules: settings.rules } : {}),
    ...(settings.questions ? { questions: settings.questions } : {}),
  });
  if (trusted.length > 0) for await (const passage of store.list({ sources: trusted })) scanner.trust([passage]);
  for await (const passage of settings.trustedPassages ?? []) scanner.trust([passage]);

  /** All vectors of passages with text; an index defense never sees one without. */
  const encodeAll = async (batch: readonly Passage[]): Promise<Map<string, Record<string, Float32Array>>> => {
    const filled = batch.filter((passage) => passageText(passage, settings.passageText).trim() !== '');
    if (filled.length === 0) return new Map();
    const texts = filled.map((passage) => passageText(passage, settings.passageText));
    const { vectors } = await encoder.encode(texts, { role: 'passage', ...abortable });
    const added: (readonly Readonly<Record<string, Float32Array>>[])[] = [];
    for (const defense of defenses)
      added.push(await defense.protect(filled, { encoder, passageText: settings.passageText ?? 'title-and-text', ...abortable }));
    return new Map(filled.map(({ id }, index) => [id, Object.assign({ passage: vectors[index]! }, ...added.map((all) => all[index]))]));
  };

  const write = async (records: readonly StoreRecord[]): Promise<void> => {
    if (records.length === 0) return;
    try {
      await store.put(records, abortable);
    } catch (error) {
      // One passage that the store cannot hold must not keep out the others.
      if (!BezoarError.is(error, 'BAD_INPUT')) throw error;
      if (records.length > 1) for (const record of records) await write([record]);
      else reject(records[0]!.passage.id, refusedByStore(records[0]!.passage, error.message));
    }
  };

  const reject = (id: string, finding: Finding): void => {
    counts.reject++;
    accepted.delete(id);
    quarantined.delete(id);
    if (rejected.length < MAX_LISTED) rejected.push(finding);
  };

  const bring = async (batch: readonly Passage[]): Promise<void> => {
    const ids = batch.map(({ id }) => id);
    const before = await clock('store', () => store.fetch(ids, { vectors: ['passage'] }));
    const hashes = batch.map(contentHash);
    const isKnown = batch.map(({ source }, index) => {
      const known = before[index]?.passage;
      return known !== undefined && known.contentHash === hashes[index] && known.source === source;
    });
    const vectors = await clock('encode', () => encodeAll(batch.filter((_, index) => !isKnown[index])));
    const found = await clock('rules', () => {
      if (isTrusted.size > 0) scanner.trust(batch.filter(({ source }) => source !== undefined && isTrusted.has(source)));
      return scanner.scan(
        batch.map((passage, index) => ({
          passage,
          vector: (isKnown[index] ? before[index]!.vectors.passage : vectors.get(passage.id)?.passage) ?? null,
          trusted: passage.source !== undefined && isTrusted.has(passage.source),
        })),
      );
    });
    const records: StoreRecord[] = [];
    const addedAt = now().toISOString();
    for (const [index, passage] of batch.entries()) {
      const findings = found[index]!;
      findings.forEach(count);
      const known = before[index]?.passage;
      if (isKnown[index]) {
        counts.unchanged++;
        const judged = knownFindings(known!);
        const fresh = findings.filter(({ fingerprint }) => !judged.has(fingerprint));
        if (fresh.length > 0) late.set(passage.id, fresh);
        if (known!.status === 'searchable') continue;
        const waits = policy.verdictOf(known!.findings as unknown as Finding[]) !== 'accept';
        if (waits) quarantined.add(passage.id);
        else if (known!.runId === runId) accepted.add(passage.id);
        else counts.held++;
        continue;
      }
      const verdict = policy.verdictOf(findings);
      if (verdict === 'reject') {
        reject(passage.id, findings.find((finding) => policy.verdictOf([finding]) === 'reject')!);
        if (known) await store.setStatus([passage.id], 'quarantined');
        continue;
      }
      (verdict === 'accept' ? accepted : quarantined).add(passage.id);
      if (known) counts.replaced++;
      else counts.added++;
      const finite = Object.entries(vectors.get(passage.id) ?? {}).filter(([, vector]) => vector.every(Number.isFinite));
      records.push({
        passage: { ...passage, contentHash: hashes[index]!, addedAt, runId, status: 'quarantined', findings },
        vectors: Object.fromEntries(finite),
      });
    }
    await clock('store', () => write(records));
    counts.passages += batch.length;
    progress?.(counts.passages);
  };

  let batch: Passage[] = [];
  const flush = async (): Promise<void> => {
    if (signal?.aborted)
      throw new BezoarError('ABORTED', 'the ingest was aborted; run it again with the same run id', { cause: signal.reason });
    const full = batch;
    batch = [];
    checkIds(full);
    await bring(full);
  };
  for await (const passage of passages) {
    batch.push(settings.source !== undefined && passage.source === undefined ? { ...passage, source: settings.source } : passage);
    if (batch.length === BATCH) await flush();
  }
  if (batch.length > 0) await flush();

  await clock('rules', () => {
    for (const finding of scanner.finish()) {
      count(finding);
      const known = late.get(finding.passageId);
      if (known) known.push(finding);
      else late.set(finding.passageId, [finding]);
    }
  });
  await clock('store', async () => {
    const judge = (id: string, verdict: string): void => {
      if (verdict === 'accept') return;
      accepted.delete(id);
      quarantined.add(id);
    };
    await applyFindings(store, late, policy, judge, signal);
    const released = [...accepted];
    for (let from = 0; from < released.length; from += RELEASE) await store.setStatus(released.slice(from, from + RELEASE), 'searchable');
  });

  const { reject: rejects, ...rest } = counts;
  const verdicts = { accept: rest.passages - quarantined.size - rejects - rest.held, quarantine: quarantined.size, reject: rejects };
  return { runId, ...rest, verdicts, rules, rejected, ms };
}

function checkShape(shape: StoreShape, needed: StoreShape): void {
  for (const [name, length] of Object.entries(needed.vectors)) {
    const held = shape.vectors[name];
    if (held === length) continue;
    const what = held === undefined ? `has no vector ${name}` : `holds vectors ${name} of ${held} numbers, and the encoder makes ${length}`;
    throw new BezoarError('SHAPE_MISMATCH', `the store ${what}; open one that was made for this encoder and these defenses`, {
      details: { name, expected: length, received: held ?? null },
    });
  }
}

function checkIds(batch: readonly Passage[]): void {
  const seen = new Set<string>();
  for (const { id } of batch) {
    if (seen.has(id))
      throw new BezoarError('DUPLICATE_ID', `two passages have the id ${JSON.stringify(id.slice(0, 80))}; ids must be unique`);
    seen.add(id);
  }
}

/** Whether a finding is at or above a severity. */
export const isAtLeast = ({ severity }: Pick<Finding, 'severity'>, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
