import type { BenchResult } from './types.ts';

/** An encoder's SPEC as people want to see it: of a folder its last part. The whole SPEC where another among these would read the same. */
export function encoderLabel(spec: string, among: Iterable<string> = []): string {
  const label = withoutFolders(spec);
  for (const other of among) if (other !== spec && withoutFolders(other) === label) return spec;
  return label;
}

function withoutFolders(spec: string): string {
  const start = spec.indexOf('?');
  const [name, options] = start < 0 ? [spec, ''] : [spec.slice(0, start), spec.slice(start)];
  if (!name.startsWith('onnx:')) return spec;
  const folder = name
    .slice('onnx:'.length)
    .split(/[\\/]/)
    .findLast((part) => part !== '');
  return folder === undefined ? spec : `onnx:${folder}${options}`;
}

/** The result with labels in place of its encoders' SPECs, for reports that people read. */
export function withEncoderLabels(result: BenchResult): BenchResult {
  const specs = new Set([...result.cells, ...result.diagnoses].flatMap(({ encoder }) => encoder ?? []));
  return {
    ...result,
    cells: result.cells.map((cell) => (cell.encoder === null ? cell : { ...cell, encoder: encoderLabel(cell.encoder, specs) })),
    diagnoses: result.diagnoses.map((diagnosis) => ({ ...diagnosis, encoder: encoderLabel(diagnosis.encoder, specs) })),
  };
}
