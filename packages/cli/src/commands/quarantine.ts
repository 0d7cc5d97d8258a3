import { printable, table } from '@bezoar/bench/layout';
import { BezoarError, type StoredPassage, type VectorStore } from '@bezoar/core';
import { approve, type Finding, listQuarantined, type Reviewed, reject, showPassage } from '@bezoar/stores';
import { jsonLine } from '../json-line.ts';
import { withStore } from '../open-named-store.ts';
import { type CommonOptions, EXIT, type Log } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';

export const QUARANTINE_ACTIONS = ['list', 'show', 'approve', 'reject'] as const;

export interface QuarantineOptions extends CommonOptions {
  readonly store: string;
  readonly format: 'table' | 'json';
}

/** Characters of a passage's text that `show` prints. */
const SHOWN = 4000;

/** What waits for review, and what a reviewer decides. A decision about an id that is not there ends with code 2, the others are carried out. */
export async function quarantine(
  action: (typeof QUARANTINE_ACTIONS)[number],
  ids: readonly string[],
  options: QuarantineOptions,
  terminal: Terminal,
  log: Log,
): Promise<number> {
  if (action === 'list' && ids.length > 0) throw new BezoarError('INVALID_OPTION', 'list takes no ids; show does');
  if (action !== 'list' && ids.length === 0)
    throw new BezoarError('INVALID_OPTION', `${action} needs ids; bezoar quarantine list shows them`);
  return withStore(options.store, null, terminal, async (store) => {
    if (action === 'list') return list(store, options, terminal);
    if (action === 'show') return show(store, ids, options, terminal, log);
    const reviewed = await (action === 'approve' ? approve : reject)(store, ids);
    if (options.format === 'json') await terminal.write(jsonLine({ schemaVersion: 1, action, ...reviewed }, 'the answer'));
    else
      await terminal.write(`${reviewed.done.length} ${action === 'approve' ? 'approved: searchable from now on' : 'rejected: removed'}\n`);
    return complain(reviewed, log);
  });
}

function complain({ notQuarantined, missing }: Reviewed, log: Log): number {
  for (const [ids, what] of [
    [missing, 'not in the store'],
    [notQuarantined, 'not quarantined, and left as it is'],
  ] as const) {
    for (const id of ids) log('error', `${id.slice(0, 200)} is ${what}`);
  }
  return missing.length + notQuarantined.length > 0 ? EXIT.unusable : EXIT.done;
}

async function list(store: VectorStore, { format }: QuarantineOptions, terminal: Terminal): Promise<number> {
  const rows: string[][] = [];
  for await (const passage of listQuarantined(store)) {
    if (format === 'json') {
      if (!(await terminal.write(jsonLine(passage, 'a passage')))) break;
      continue;
    }
    const findings = passage.findings as unknown as readonly Finding[];
    const why = findings.map(({ severity, ruleId }) => `${severity} ${ruleId}`).join(', ') || 'its ingest has not ended';
    rows.push([
      printable(passage.id.slice(0, 40)),
      printable((passage.source ?? '-').slice(0, 24)),
      passage.addedAt.slice(0, 10),
      printable(why),
    ]);
  }
  if (format === 'table')
    await terminal.write(
      rows.length === 0 ? 'Nothing is quarantined.\n' : table(['passage', 'source', 'added', 'why'], rows, terminal.columns),
    );
  return EXIT.done;
}

async function show(store: VectorStore, ids: readonly string[], options: QuarantineOptions, terminal: Terminal, log: Log): Promise<number> {
  const missing: string[] = [];
  for (const id of ids) {
    const passage = await showPassage(store, id);
    if (passage === null) missing.push(id);
    else await terminal.write(options.format === 'json' ? jsonLine(passage, 'a passage') : detailsOf(passage));
  }
  return complain({ done: [], notQuarantined: [], missing }, log);
}

function detailsOf({ id, title, text, source, status, addedAt, runId, contentHash, findings }: StoredPassage): string {
  const facts = [
    `${id} (${status})`,
    `  source   ${source ?? '-'}`,
    `  added    ${addedAt} by run ${runId}`,
    `  content  sha256 ${contentHash}`,
    ...(findings as unknown as readonly Finding[]).map(
      ({ severity, ruleId, message, evidence, span }) =>
        `  ${severity} ${ruleId}: ${message} (${span.field} ${span.start}-${span.end}: ${evidence})`,
    ),
    ...(title ? [`  title    ${title.slice(0, 200)}`] : []),
    `  text     ${text.slice(0, SHOWN)}${text.length > SHOWN ? '...' : ''}`,
  ];
  return `${facts.map(printable).join('\n')}\n`;
}
