// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import type { Metric } from './define-metric.ts';
import type { Reporter } from './define-reporter.ts';
import { allGold } from './metrics/all-gold.ts';
import { certificateHolds } from './metrics/certificate-holds.ts';
import { cleanRetention } from './metrics/clean-retention.ts';
import { cleanSuccessRate } from './metrics/clean-success-rate.ts';
import { detectionAccuracy } from './metrics/detection-accuracy.ts';
import { detectionF1 } from './metrics/detection-f1.ts';
import { detectionPrecision } from './metrics/detection-precision.ts';
import { detectionRecall } from './metrics/detection-recall.ts';
import { falseNegativeRate } from './metrics/false-negative-rate.ts';
import { falsePositiveRate } from './metrics/false-positive-rate.ts';
import { foreignPoison } from './metrics/foreign-poison.ts';
import { goldRank } from './metrics/gold-rank.ts';
import { goldRecall } from './metrics/gold-recall.ts';
import { injectionRate } from './metrics/injection-rate.ts';
import { latencyMsP50 } from './metrics/latency-ms-p50.ts';
import { latencyMsP95 } from './metrics/latency-ms-p95.ts';
import { meanPoisons } from './metrics/mean-poisons.ts';
import { modelCalls } from './metrics/model-calls.ts';
import { mrr } from './metrics/mrr.ts';
import { ndcg } from './metrics/ndcg.ts';
import { pad } from './metrics/pad.ts';
import { padTight } from './metrics/pad-tight.ts';
import { poisonF1 } from './metrics/poison-f1.ts';
import { poisonInContext } from './metrics/poison-in-context.ts';
import { poisonPrecision } from './metrics/poison-precision.ts';
import { poisonRank } from './metrics/poison-rank.ts';
import { poisonRecall } from './metrics/poison-recall.ts';
import { poisonRetention } from './metrics/poison-retention.ts';
import { poisonShare } from './metrics/poison-share.ts';
import { successRate } from './metrics/success-rate.ts';
import { csv } from './reporters/csv.ts';
import { html } from './reporters/html.ts';
import { json } from './reporters/json.ts';
import { jsonl } from './reporters/jsonl.ts';
import { markdown } from './reporters/markdown.ts';
import { table } from './reporters/table.ts';

/** Every metric. */
export const METRICS: readonly Metric[] = [
  allGold,
  certificateHolds,
  cleanRetention,
  cleanSuccessRate,
  detectionAccuracy,
  detectionF1,
  detectionPrecision,
  detectionRecall,
  falseNegativeRate,
  falsePositiveRate,
  foreignPoison,
  goldRank,
  goldRecall,
  injectionRate,
  latencyMsP50,
  latencyMsP95,
  meanPoisons,
  modelCalls,
  mrr,
  ndcg,
  pad,
  padTight,
  poisonF1,
  poisonInContext,
  poisonPrecision,
  poisonRank,
  poisonRecall,
  poisonRetention,
  poisonShare,
  successRate,
];

/** Every reporter by the name that `--format` takes. */
export const REPORTERS: Readonly<Record<string, Reporter>> = {
  'csv': csv,
  'html': html,
  'json': json,
  'jsonl': jsonl,
  'markdown': markdown,
  'table': table,
};
