export { type HybridHit, type HybridSearch, hybridSearch } from './hybrid-search.ts';
export { contentHash } from './ingest/content-hash.ts';
export {
  type CorpusMatch,
  type Finding,
  type FindingSpan,
  type IngestRule,
  type RuleMatch,
  type RuleRun,
  type RuleSettings,
  type ScanItem,
  SEVERITIES,
  type Severity,
} from './ingest/finding.ts';
export { type IngestReport, type IngestSettings, ingest, ingestShape, isAtLeast } from './ingest/ingest.ts';
export {
  INGEST_VERDICTS,
  type IngestPolicy,
  type IngestPolicyDefinition,
  type IngestVerdict,
  ingestPolicy,
} from './ingest/ingest-policy.ts';
export { approve, listQuarantined, type Reviewed, reject, showPassage } from './ingest/quarantine.ts';
export { type RescanReport, type RescanSettings, rescan } from './ingest/rescan.ts';
export { INGEST_RULES } from './ingest/rules.ts';
export { scanDensity } from './ingest/scan-density.ts';
export { createScanner, type Scanner, type ScanSettings } from './ingest/scanner.ts';
