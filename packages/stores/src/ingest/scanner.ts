import { createHash } from 'node:crypto';
import type { Passage } from '@bezoar/core';
import type { Finding, IngestRule, RuleMatch, RuleSettings, ScanItem } from './finding.ts';
import { wholeText } from './judged-text.ts';
import { unsupportedEncoding } from './rules/unsupported-encoding.ts';
import { INGEST_RULES } from './rules.ts';
import { visibleText } from './visible-text.ts';

/** A rule says at most so much of one passage. */
const MAX_MATCHES = 8;
/** Where nobody calibrated the encoder. */
const USUAL_DENSITY = 0.9;

export interface ScanSettings extends Partial<RuleSettings> {
  readonly rules?: readonly IngestRule[];
}

export interface Scanner {
  /** Tells of passages of trusted sources; those that are told of before a passage are compared with it. */
  trust(passages: Iterable<Passage>): void;
  /** The findings of each passage alone, in order. */
  scan(items: readonly ScanItem[]): readonly (readonly Finding[])[];
  /** What only the whole corpus shows. The scanner is then done. */
  finish(): Generator<Finding>;
}

/** Runs rules over a corpus that comes piece by piece. */
export function createScanner({ rules = INGEST_RULES, questions = [], density = USUAL_DENSITY }: ScanSettings = {}): Scanner {
  const runs = rules.map((rule) => ({ rule, run: rule.start({ questions, density }) }));
  const ids: string[] = [];
  return {
    trust(passages) {
      for (const passage of passages) for (const { run } of runs) run.trust?.(passage);
    },
    scan(items) {
      return items.map((item) => {
        const index = ids.length;
        ids.push(item.passage.id);
        if (item.passage.text.trim() === '' && !item.passage.title) return [];
        const findings: Finding[] = [];
        for (const { rule, run } of runs) {
          const matches = run.check?.(item) ?? [];
          for (const match of matches.slice(0, MAX_MATCHES)) findings.push(findingOf(rule, item.passage.id, match));
          run.observe?.(item, index);
        }
        return findings;
      });
    },
    *finish() {
      for (const { rule, run } of runs) {
        if (!run.finish) continue;
        for (const match of run.finish()) yield findingOf(rule, ids[match.index]!, match);
      }
    },
  };
}

function findingOf({ id: ruleId }: IngestRule, passageId: string, { severity, span, message, evidence, key }: RuleMatch): Finding {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([ruleId, passageId, key]))
    .digest('hex')
    .slice(0, 32);
  return { ruleId, severity, passageId, span, message, evidence, fingerprint };
}

/** What is said of a passage that a store cannot hold, such as NUL characters in PostgreSQL. */
export const refusedByStore = (passage: Passage, message: string): Finding =>
  findingOf(unsupportedEncoding, passage.id, {
    severity: 'high',
    span: wholeText(passage),
    message: 'cannot be stored',
    evidence: visibleText(message),
    key: 'refused',
  });
