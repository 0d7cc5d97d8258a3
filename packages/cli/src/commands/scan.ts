import { BezoarError, type Passage, passageText } from '@bezoar/core';
import { createScanner, type Finding, INGEST_RULES, isAtLeast, rescan, SEVERITIES, type Severity, scanDensity } from '@bezoar/stores';
import { corpusPassages, readQuestions } from '../corpus-passages.ts';
import { findingsTable } from '../findings-table.ts';
import { jsonLine } from '../json-line.ts';
import { makeEncoder } from '../make-models.ts';
import { withStore } from '../open-named-store.ts';
import { createProgress } from '../progress.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import { sarifOf } from '../sarif.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface ScanOptions extends CommonOptions {
  readonly store?: string;
  readonly encoder: string;
  readonly questions?: string;
  readonly trusted?: readonly string[];
  readonly quarantine?: boolean;
  readonly failOn?: Severity;
  readonly format: 'table' | 'json' | 'sarif';
  readonly out: string;
}

const BATCH = 500;

/** What was scanned, and what was found in it. */
export interface Scanned {
  readonly passages: number;
  /** Highest severity first, then in the order of the corpus. */
  readonly findings: readonly (Finding & { readonly line?: number })[];
  /** The corpus file; null for a store. */
  readonly file: string | null;
  readonly quarantined: readonly string[];
}

/** Looks for what seems planted, in a corpus or in a store. */
export async function scan(path: string | undefined, options: ScanOptions, terminal: Terminal, log: Log): Promise<number> {
  if ((path === undefined) === (options.store === undefined))
    throw new BezoarError('INVALID_OPTION', 'name what to scan: a corpus, or a store with --store URL, not both');
  if (options.quarantine && options.store === undefined)
    throw new BezoarError('INVALID_OPTION', '--quarantine needs --store: a file has no quarantine; bezoar index makes a store of it');
  const scanned = path === undefined ? await scanStore(options.store!, options, terminal) : await scanCorpus(path, options, terminal);
  await withOutput(options.out, terminal, async ({ write }) => {
    if (options.format === 'sarif') await write(jsonLine(sarifOf(scanned), 'the report'));
    else if (options.format === 'json') await write(jsonLine({ schemaVersion: 1, ...scanned, counts: countsOf(scanned) }, 'the report'));
    else await write(tableOf(scanned, terminal.columns));
  });
  if (scanned.quarantined.length > 0) log('info', `${scanned.quarantined.length} passages are quarantined now: bezoar quarantine list`);
  const { failOn } = options;
  return failOn !== undefined && scanned.findings.some((finding) => isAtLeast(finding, failOn)) ? EXIT.limitExceeded : EXIT.done;
}

async function scanCorpus(path: string, options: ScanOptions, terminal: Terminal): Promise<Scanned> {
  const corpus = corpusPassages(path, terminal);
  const questions = await readQuestions(options.questions, terminal);
  const encoder = options.encoder === 'none' ? null : await makeEncoder(options.encoder, terminal);
  const trusted = new Set(options.trusted);
  const isTrusted = ({ source }: Passage): boolean => source !== undefined && trusted.has(source);
  const scanner = createScanner({ questions, ...(encoder ? { density: scanDensity(encoder) } : {}) });
  if (trusted.size > 0) for await (const { passage } of corpus.read()) if (isTrusted(passage)) scanner.trust([passage]);
  const progress = createProgress(terminal, options);
  const lines = new Map<string, number>();
  const findings: Finding[] = [];
  let batch: Passage[] = [];
  const flush = async (): Promise<void> => {
    const texts = batch.map((passage) => passageText(passage));
    const filled = texts.filter((text) => text.trim() !== '');
    const { vectors } = encoder && filled.length > 0 ? await encoder.encode(filled, { role: 'passage' }) : { vectors: [] };
    let next = 0;
    const items = batch.map((passage, index) => ({
      passage,
      vector: encoder && texts[index]!.trim() !== '' ? vectors[next++]! : null,
      trusted: isTrusted(passage),
    }));
    findings.push(...scanner.scan(items).flat());
    batch = [];
  };
  try {
    for await (const { passage, line, bytes } of corpus.read()) {
      lines.set(passage.id, line);
      batch.push(passage);
      progress.update(bytes, corpus.bytes, 'scanning');
      if (batch.length === BATCH) await flush();
    }
    await flush();
  } finally {
    progress.end();
  }
  for (const finding of scanner.finish()) findings.push(finding);
  const located = findings.map((finding) => ({ ...finding, line: lines.get(finding.passageId)! }));
  return { passages: lines.size, findings: sorted(located, ({ line }) => line), file: corpus.file, quarantined: [] };
}

async function scanStore(url: string, options: ScanOptions, terminal: Terminal): Promise<Scanned> {
  const questions = await readQuestions(options.questions, terminal);
  return withStore(url, null, terminal, async (store) => {
    const progress = createProgress(terminal, options);
    const total = await store.count({ status: 'any' });
    // Only for its calibration: what is in the store is encoded already.
    const encoder = store.shape.encoder === 'static' ? await makeEncoder('static', terminal) : null;
    const report = await rescan(store, {
      questions,
      trusted: options.trusted ?? [],
      ...(encoder ? { density: scanDensity(encoder) } : {}),
      ...(options.quarantine ? { apply: true } : {}),
      progress: (done) => progress.update(done, total, 'scanning'),
    }).finally(progress.end);
    return { ...report, findings: sorted(report.findings, () => 0), file: null };
  });
}

const sorted = <T extends Finding>(findings: readonly T[], place: (finding: T) => number): T[] =>
  [...findings].sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || place(a) - place(b));

/** Findings by rule and severity, and passages that have any at or above each. */
function countsOf({ findings }: Scanned): object {
  const rules = INGEST_RULES.map(({ id }) => [
    id,
    Object.fromEntries(SEVERITIES.map((severity) => [severity, findings.filter((f) => f.ruleId === id && f.severity === severity).length])),
  ]);
  const passages = SEVERITIES.map((least) => [least, new Set(findings.filter((f) => isAtLeast(f, least)).map((f) => f.passageId)).size]);
  return { rules: Object.fromEntries(rules), passagesAtLeast: Object.fromEntries(passages) };
}

function tableOf(scanned: Scanned, columns: number): string {
  const { passages, findings } = scanned;
  const n = (count: number): string => count.toLocaleString('en');
  const of = (severity: Severity): string => n(findings.filter((finding) => finding.severity === severity).length);
  const summary =
    findings.length === 0
      ? `Nothing was found in ${n(passages)} passages.\n`
      : `${n(findings.length)} findings in ${n(passages)} passages: ${of('high')} high, ${of('medium')} medium, ${of('low')} low\n`;
  const table = findingsTable(findings, columns, '--format json lists all');
  return table === '' ? summary : `${table}\n${summary}`;
}
