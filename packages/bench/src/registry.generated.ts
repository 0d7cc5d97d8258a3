// Generated from the folders by scripts/generate-registry.ts: run `npm run generate` after adding a file, never edit.
import type { Metric } from './define-metric.ts';
import type { Reporter } from './define-reporter.ts';



/** Every metric. */
export const METRICS: readonly Metric[] = [
];

/** Every reporter by the name that `--format` takes. */
export const REPORTERS: Readonly<Record<string, Reporter>> = {
};
