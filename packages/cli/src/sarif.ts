import { type Finding, INGEST_RULES, type Severity } from '@bezoar/stores';

const LEVELS: Readonly<Record<Severity, string>> = { low: 'note', medium: 'warning', high: 'error' };

/** What a scan found, and in which file; null for a store, which has no lines. */
interface Scanned {
  readonly findings: readonly (Finding & { readonly line?: number })[];
  readonly file: string | null;
}

/**
 * Findings as a SARIF 2.1.0 log: one result a finding, its place the line of the corpus file, the passage's id as its logical location,
 * and a fingerprint that stays the same over reruns and when lines move. Passages' own words are only in `message` and `properties`, made
 * visible, never in Markdown.
 */
export function sarifOf({ findings, file }: Scanned): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Bezoar',
            version: '0.1.0',
            rules: INGEST_RULES.map(({ id, title, severity }) => ({
              id,
              shortDescription: { text: `A passage that ${title}.` },
              defaultConfiguration: { level: LEVELS[severity] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map(({ ruleId, severity, passageId, span, message, evidence, fingerprint, line }) => ({
          ruleId,
          ruleIndex: INGEST_RULES.findIndex(({ id }) => id === ruleId),
          level: LEVELS[severity],
          message: { text: `The passage ${plain(message)}: ${plain(evidence)}` },
          locations: [
            {
              ...(file === null || line === undefined
                ? {}
                : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } }),
              logicalLocations: [{ name: passageId.toWellFormed().slice(0, 200), kind: 'element' }],
            },
          ],
          partialFingerprints: { 'bezoar/v1': fingerprint },
          properties: { severity, span },
        })),
      },
    ],
  };
}

/** SARIF's messages take `[text](link)` and `{0}` for more than text. */
const plain = (text: string): string => text.replace(/[[\]{}\\]/g, (sign) => (sign === '{' || sign === '}' ? sign + sign : `\\${sign}`));

/** A path as a URI reference. */
const uriOf = (path: string): string => path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
