import { indexDefenseOf } from '@bezoar/bench';
import { printable, table } from '@bezoar/bench/layout';
import {
  BezoarError,
  type Defended,
  defend,
  type IndexAnswer,
  type PassageText,
  policyFromSpecs,
  type Retrieval,
  type RetrievedPassage,
  type VectorStore,
} from '@bezoar/core';
import { type HybridHit, hybridSearch } from '@bezoar/stores';
import { jsonLine } from '../json-line.ts';
import { makeEncoder, makeModels } from '../make-models.ts';
import { withStore } from '../open-named-store.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';

export interface QueryOptions extends CommonOptions {
  readonly store: string;
  readonly k: number;
  readonly defense?: readonly string[];
  readonly encoder?: string;
  readonly exact?: boolean;
  readonly format: 'table' | 'json';
}

/** Characters of a passage that the table shows. */
const SHOWN = 160;

/** Passages that defenses after the retrieval choose from, for each that goes on. */
const POOL = 2;

/**
 * Searches a store: words and vectors together, or as an index defense does; then the defenses over what was found. The encoder is that of the
 * store.
 */
export async function query(text: string, options: QueryOptions, terminal: Terminal, log: Log): Promise<number> {
  const specs = options.defense ?? [];
  const indexSpecs = specs.filter((spec) => indexDefenseOf(spec) !== null);
  if (indexSpecs.length > 1)
    throw new BezoarError('INVALID_OPTION', `--defense names ${indexSpecs.length} defenses that retrieve themselves; name one`);
  const stages = specs.filter((spec) => !indexSpecs.includes(spec));
  return withStore(options.store, null, terminal, async (store) => {
    const spec = options.encoder ?? store.shape.encoder ?? 'static';
    if (options.encoder !== undefined && store.shape.encoder !== undefined && options.encoder !== store.shape.encoder)
      log('warn', `the store was made with ${store.shape.encoder}; vectors of ${options.encoder} mean something else`);
    const encoder = await makeEncoder(spec, terminal);
    const passageText: PassageText = store.shape.settings?.passageText === 'text' ? 'text' : 'title-and-text';
    const vector = text.trim() === '' ? null : (await encoder.encode([text], { role: 'query' })).vectors[0]!;
    const wanted = stages.length === 0 ? options.k : POOL * options.k;
    const found: Found =
      indexSpecs.length === 0
        ? {
            by: 'hybrid',
            exact: null,
            hits: await hybridSearch(store, { text, vector, k: wanted, ...(options.exact ? { exact: true } : {}) }),
          }
        : await retrieveBy(
            indexSpecs[0]!,
            { id: 'query', text, vector: vector ?? new Float32Array(encoder.dimensions), keep: wanted },
            store,
            {
              encoder,
              passageText,
              seed: options.seed ?? 0,
              approximate: store.capabilities.approximate && !options.exact,
            },
          );
    const passages = await passagesOf(store, found);
    const retrieval: Retrieval = { query: { id: 'query', text, ...(vector ? { embedding: vector } : {}) }, passages };
    const policy = policyFromSpecs(stages.length === 0 ? ['none'] : stages, {
      keep: options.k,
      passageText,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    });
    const defended = stages.length === 0 ? null : await defend(retrieval, policy, await makeModels(policy, spec, terminal));
    const shown = (defended?.passages ?? passages).slice(0, options.k);
    await terminal.write(
      options.format === 'json'
        ? jsonLine(record(text, found, shown, defended), 'the answer')
        : tableOf(found, shown, defended, passages, terminal),
    );
    return EXIT.done;
  });
}

interface Found {
  /** `hybrid`, or the SPEC of an index defense. */
  readonly by: string;
  /** Of an index defense: whether it answered for the whole index. */
  readonly exact: boolean | null;
  readonly hits: readonly (HybridHit | IndexAnswer['hits'][number])[];
}

type IndexArguments = Parameters<NonNullable<ReturnType<typeof indexDefenseOf>>['retrieve']>;

async function retrieveBy(spec: string, asked: IndexArguments[0], store: VectorStore, context: IndexArguments[2]): Promise<Found> {
  const defense = indexDefenseOf(spec)!;
  const missing = defense.vectorNames.filter((name) => !Object.hasOwn(store.shape.vectors, name));
  if (missing.length > 0)
    throw new BezoarError(
      'SHAPE_MISMATCH',
      `the store has no vectors for ${spec}; make one with bezoar index --defense '${spec}' (missing: ${missing.slice(0, 3).join(', ')})`,
    );
  const { hits, exact } = await defense.retrieve(asked, store, context);
  return { by: defense.spec, exact, hits };
}

async function passagesOf(store: VectorStore, { hits }: Found): Promise<readonly RetrievedPassage[]> {
  const records = await store.fetch(
    hits.map(({ id }) => id),
    { vectors: ['passage'] },
  );
  return records.flatMap((record, index) => {
    if (record === null) return [];
    const { id, text, title, source, metadata } = record.passage;
    const embedding = record.vectors.passage;
    return [
      {
        id,
        text,
        ...(title === undefined ? {} : { title }),
        ...(source === undefined ? {} : { source }),
        ...(metadata === undefined ? {} : { metadata }),
        rank: index + 1,
        relevance: hits[index]!.score,
        ...(embedding ? { embedding } : {}),
      },
    ];
  });
}

function record(text: string, { by, exact, hits }: Found, shown: readonly RetrievedPassage[], defended: Defended | null): object {
  const ranks = new Map(hits.map((hit) => [hit.id, hit]));
  return {
    schemaVersion: 1,
    query: text,
    retrieval: by,
    exact,
    passages: shown.map(({ embedding: _, rank: __, relevance: ___, ...passage }) => ({ ...passage, ...ranks.get(passage.id) })),
    ...(defended ? { verdicts: defended.verdicts, stages: defended.stages, degraded: defended.degraded } : {}),
  };
}

function tableOf(
  { by, exact }: Found,
  shown: readonly RetrievedPassage[],
  defended: Defended | null,
  found: readonly RetrievedPassage[],
  terminal: Terminal,
): string {
  if (found.length === 0) return 'Nothing was found.\n';
  const rows = shown.map(({ id, title, text, source, relevance }, index) => [
    String(index + 1),
    printable(id.slice(0, 40)),
    (relevance ?? 0).toFixed(4),
    printable(`${source ? `[${source.slice(0, 40)}] ` : ''}${title ? `${title}: ` : ''}${text}`.slice(0, SHOWN)),
  ]);
  const dropped = (defended?.verdicts ?? []).filter(({ action }) => action === 'drop');
  const reasons = new Map<string, number>();
  for (const { reason } of dropped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const notes = [
    ...(exact === false ? [`${by}: over candidates, not the whole index`] : []),
    ...(reasons.size === 0 ? [] : [`dropped: ${[...reasons].map(([reason, count]) => `${count} ${printable(reason)}`).join(', ')}`]),
    ...(defended?.degraded ? ['degraded: a stage failed; --format json says why'] : []),
  ];
  return `${table(['', 'passage', 'score', 'text'], rows, terminal.columns)}${notes.map((note) => `${note}\n`).join('')}`;
}
