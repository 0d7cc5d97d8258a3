import { printable, table } from '@bezoar/bench/layout';
import type { Finding } from '@bezoar/stores';

/** A finding and where it is: a line of a file, where there is one. */
export type PlacedFinding = Pick<Finding, 'ruleId' | 'severity' | 'passageId' | 'message' | 'evidence'> & { readonly line?: number };

const SHOWN = 50;

/** Findings as a table, the first 50 of them, and a line about the rest. */
export function findingsTable(findings: readonly PlacedFinding[], columns: number, rest: string): string {
  if (findings.length === 0) return '';
  const rows = findings
    .slice(0, SHOWN)
    .map(({ severity, ruleId, passageId, line, message, evidence }) => [
      severity,
      ruleId,
      shortened(printable(passageId)) + (line === undefined ? '' : `, line ${line}`),
      printable(`${message}: ${evidence}`),
    ]);
  const more = findings.length - SHOWN;
  return table(['severity', 'rule', 'passage', 'finding'], rows, columns) + (more > 0 ? `... and ${more} more; ${rest}\n` : '');
}

const shortened = (id: string): string => (id.length > 40 ? `${id.slice(0, 37)}...` : id);
