export type { BenchPart } from './bench-settings.ts';
export {
  type CellComparison,
  COMPARED_METRICS,
  type CompareOptions,
  type Comparison,
  compareDefenses,
  compareResults,
  type MetricComparison,
  type Verdict,
} from './compare-results.ts';
export { drawIrrelevant } from './dataset/irrelevant-passages.ts';
export { openDataset } from './dataset/open-dataset.ts';
export { targetsOf } from './dataset/targets-of.ts';
export { defineMetric, type JudgedPassage, type Metric, type MetricKind, type QuestionOutcome } from './define-metric.ts';
export { defineReporter, type Reporter, type ReportSettings } from './define-reporter.ts';
export { encoderLabel } from './encoder-label.ts';
export { importBeir } from './import/import-beir.ts';
export { importPoisonedrag } from './import/import-poisonedrag.ts';
export type { Imported, ImportSettings } from './import/import-settings.ts';
export { indexDefenseOf } from './index-defense-of.ts';
export { readResult } from './read-result.ts';
export { readSuite, SUITE_NAMES, type Suite, type SuitePart } from './read-suite.ts';
export { METRICS, REPORTERS } from './registry.generated.ts';
export { type BenchProgress, type BenchSettings, type BenchSurroundings, runBench } from './run-bench.ts';
export * from './types.ts';
