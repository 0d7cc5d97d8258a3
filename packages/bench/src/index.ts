export type { BenchPart } from './bench-settings.ts';
export { defineMetric, type JudgedPassage, type Metric, type MetricKind, type QuestionOutcome } from './define-metric.ts';
export { defineReporter, type Reporter, type ReportSettings } from './define-reporter.ts';
export { readSuite, SUITE_NAMES, type Suite, type SuitePart } from './read-suite.ts';
export { METRICS, REPORTERS } from './registry.generated.ts';
export { type BenchProgress, type BenchSettings, type BenchSurroundings, runBench } from './run-bench.ts';
export * from './types.ts';
