import { BezoarError, closestName } from '@bezoar/core';
import { type Finding, SEVERITIES, type Severity } from './finding.ts';
import { INGEST_RULES } from './rules.ts';

export const INGEST_VERDICTS = ['accept', 'quarantine', 'reject'] as const;
/** `quarantine` keeps the passage where no search finds it until somebody approves; `reject` does not store it. */
export type IngestVerdict = (typeof INGEST_VERDICTS)[number];

/** What is done with a passage for what was found, the worst finding deciding. */
export interface IngestPolicy {
  verdictOf(findings: readonly Pick<Finding, 'ruleId' | 'severity'>[]): IngestVerdict;
}

/** Verdicts by severity, by rule; `*` is for rules that are not named. What is left out stays at its default. */
export type IngestPolicyDefinition = Readonly<Record<string, Partial<Readonly<Record<Severity, IngestVerdict>>>>>;

const DEFAULTS: Readonly<Record<Severity, IngestVerdict>> = { low: 'accept', medium: 'accept', high: 'quarantine' };

/**
 * Makes a policy: by default high findings quarantine, others are kept with the passage and let it through.
 *
 * @throws {BezoarError} `INVALID_OPTION` for a rule, severity or verdict that does not exist.
 */
export function ingestPolicy(definition: IngestPolicyDefinition = {}): IngestPolicy {
  const rules = INGEST_RULES.map(({ id }) => id);
  for (const [rule, verdicts] of Object.entries(definition)) {
    if (rule !== '*') check(rule, rules, 'rule');
    for (const [severity, verdict] of Object.entries(verdicts)) {
      check(severity, SEVERITIES, `severity of ${rule}`);
      check(verdict, INGEST_VERDICTS, `verdict for ${rule} ${severity}`);
    }
  }
  const of = ({ ruleId, severity }: Pick<Finding, 'ruleId' | 'severity'>): IngestVerdict =>
    (Object.hasOwn(definition, ruleId) ? definition[ruleId]![severity] : undefined) ?? definition['*']?.[severity] ?? DEFAULTS[severity];
  return {
    verdictOf: (findings) =>
      findings.reduce<IngestVerdict>((worst, finding) => {
        const verdict = of(finding);
        return INGEST_VERDICTS.indexOf(verdict) > INGEST_VERDICTS.indexOf(worst) ? verdict : worst;
      }, 'accept'),
  };
}

function check(name: string, known: readonly string[], what: string): void {
  if (known.includes(name)) return;
  const near = closestName(name, known);
  const remedy = near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
  throw new BezoarError('INVALID_OPTION', `the ingest policy names the ${what} ${JSON.stringify(name.slice(0, 80))}; ${remedy}`);
}
