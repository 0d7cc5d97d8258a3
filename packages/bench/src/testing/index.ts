export { HOSTILE_STRINGS, type SampleSettings, sampleResult } from './sample-result.ts';
export { type ReporterProperty, type ReporterSuite, testReporter } from './test-reporter.ts';
