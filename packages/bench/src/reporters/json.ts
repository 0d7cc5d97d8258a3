import { defineReporter } from '../define-reporter.ts';
import { jsonText } from '../json-text.ts';
import type { BenchResult, ResultCell } from '../types.ts';

/** The result itself, unrounded: one cell's settings, record, question, passage or pool a line, so that two results can be compared line by line. */
export const json = defineReporter({
  name: 'json',
  summary: 'The whole result, as published in result.schema.json; `bezoar report` and `bezoar compare` read it.',
  render,
});

function* render(result: BenchResult): Generator<string> {
  yield `{\n"schemaVersion":${result.schemaVersion},\n"run":${jsonText(result.run)},\n"cells":`;
  yield* list(result.cells, cell);
  for (const part of ['questions', 'passages', 'pools', 'diagnoses'] as const) {
    yield `,\n"${part}":`;
    yield* list<unknown>(result[part], line);
  }
  yield '\n}\n';
}

function* list<T>(items: readonly T[], write: (item: T) => Iterable<string>): Generator<string> {
  let start = '[\n';
  for (const item of items) {
    yield start;
    yield* write(item);
    start = ',\n';
  }
  yield items.length === 0 ? '[]' : '\n]';
}

const line = (item: unknown): string[] => [jsonText(item)];

/** Records come last, whatever their place was, so that a result that went through JSON lines gives the same bytes. */
function* cell({ records, ...settings }: ResultCell): Generator<string> {
  yield `${jsonText(settings).slice(0, -1)},"records":`;
  yield* list(records, line);
  yield '}';
}
