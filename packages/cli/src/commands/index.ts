import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { indexDefenseOf } from '@bezoar/bench';
import { BezoarError, closestName, type Passage, type PassageText, parseSpec } from '@bezoar/core';
import { INDEX_DEFENSES } from '@bezoar/core/index-defenses';
import { type Finding, type IngestReport, ingest, ingestShape, listQuarantined } from '@bezoar/stores';
import { corpusPassages, readQuestions } from '../corpus-passages.ts';
import { findingsTable } from '../findings-table.ts';
import { jsonLine } from '../json-line.ts';
import { makeEncoder } from '../make-models.ts';
import { withStore } from '../open-named-store.ts';
import { createProgress } from '../progress.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';

export interface IndexOptions extends CommonOptions {
  readonly store: string;
  readonly encoder: string;
  readonly defense?: readonly string[];
  readonly trusted?: readonly string[];
  readonly questions?: string;
  readonly run?: string;
  readonly passageText: PassageText;
  readonly format: 'table' | 'json';
}

/** Brings a corpus into a store through the ingest gate. Killed and run again it goes on; run twice it adds nothing. */
export async function indexCorpus(path: string, options: IndexOptions, terminal: Terminal, log: Log): Promise<number> {
  const defenses = (options.defense ?? []).map((spec) => {
    const defense = indexDefenseOf(spec);
    if (defense) return defense;
    const names = Object.keys(INDEX_DEFENSES);
    const near = closestName(parseSpec(spec).name, names);
    throw new BezoarError(
      'UNKNOWN_NAME',
      `no index defense is called ${JSON.stringify(parseSpec(spec).name.slice(0, 80))}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`} Others work on what is retrieved: bezoar query --defense`,
    );
  });
  const corpus = corpusPassages(path, terminal);
  const questions = await readQuestions(options.questions, terminal);
  const encoder = await makeEncoder(options.encoder, terminal);
  const settings = { encoder, defenses, passageText: options.passageText };
  const progress = createProgress(terminal, options);
  const read = async function* (): AsyncGenerator<Passage> {
    for await (const { passage, bytes } of corpus.read()) {
      progress.update(bytes, corpus.bytes, 'indexing');
      yield passage;
    }
  };
  const trusted = options.trusted ?? [];
  const runId = options.run ?? createHash('sha256').update(resolve(terminal.cwd, path)).digest('hex').slice(0, 16);
  return withStore(options.store, ingestShape(settings), terminal, async (store) => {
    const start = performance.now();
    const report = await ingest(read(), {
      ...settings,
      store,
      runId,
      questions,
      trusted,
      ...(trusted.length === 0 ? {} : { trustedPassages: trustedOf(corpus.read(), trusted) }),
    }).finally(progress.end);
    const seconds = (performance.now() - start) / 1000;
    const held: Finding[] = [...report.rejected];
    for await (const { findings } of listQuarantined(store, { runId })) held.push(...(findings as unknown as Finding[]));
    if (options.format === 'json') await terminal.write(jsonLine({ schemaVersion: 1, ...report, findings: held }, 'the report'));
    else await terminal.write(tableOf(report, held, seconds, terminal));
    const { encode, rules } = report.ms;
    // Below that it is the encoder's first text that is measured.
    if (report.added + report.replaced >= 1000)
      log(
        'info',
        `${Math.round((1000 * report.passages) / Math.max(1, encode + rules)).toLocaleString('en')} passages a second with all checks, the store apart`,
      );
    return EXIT.done;
  });
}

async function* trustedOf(passages: AsyncIterable<{ readonly passage: Passage }>, sources: readonly string[]): AsyncGenerator<Passage> {
  for await (const { passage } of passages) if (passage.source !== undefined && sources.includes(passage.source)) yield passage;
}

function tableOf(report: IngestReport, held: readonly Finding[], seconds: number, terminal: Terminal): string {
  const n = (count: number): string => count.toLocaleString('en');
  const { accept, quarantine, reject } = report.verdicts;
  const lines = [
    `${n(report.passages)} passages in ${seconds.toFixed(1)} s: ${n(report.added)} added, ${n(report.replaced)} replaced, ${n(report.unchanged)} there before`,
    `${n(accept)} searchable, ${n(quarantine)} quarantined, ${n(reject)} rejected`,
    ...(report.held > 0
      ? [`${n(report.held)} wait for another run that has not ended: run that again, or bezoar quarantine approve them`]
      : []),
    ...Object.entries(report.rules).map(
      ([rule, { low, medium, high }]) => `  ${rule}: ${n(high)} high, ${n(medium)} medium, ${n(low)} low`,
    ),
  ];
  const table = findingsTable(held, terminal.columns, 'bezoar quarantine list shows all');
  const review = quarantine > 0 ? '\nReview them: bezoar quarantine list --store URL\n' : '';
  return `${lines.join('\n')}\n${table === '' ? '' : `\n${table}`}${review}`;
}
