import { describe, expect, it } from 'vitest';
import { encoderLabel, withEncoderLabels } from './encoder-label.ts';
import { REPORTERS } from './registry.generated.ts';
import { sampleResult } from './testing/sample-result.ts';
import type { BenchResult } from './types.ts';

describe('encoderLabel', () => {
  it.each([
    ['onnx:/long/path/all-MiniLM-L6-v2?maxTokens=256', 'onnx:all-MiniLM-L6-v2?maxTokens=256'],
    ['onnx:../models/minilm/', 'onnx:minilm'],
    ['onnx:C:\\models\\minilm?pooling=cls', 'onnx:minilm?pooling=cls'],
    ['onnx:minilm?preset=a/b', 'onnx:minilm?preset=a/b'],
    ['onnx:minilm', 'onnx:minilm'],
    ['onnx:/', 'onnx:/'],
    ['onnx:', 'onnx:'],
    ['openai:org/model', 'openai:org/model'],
    ['static', 'static'],
    ['', ''],
  ])('%j is shown as %j', (spec, label) => {
    expect(encoderLabel(spec)).toBe(label);
  });

  it('is the whole SPEC where another encoder would read the same', () => {
    const among = ['onnx:a/minilm', 'onnx:b/minilm', 'onnx:b/minilm?pooling=cls', 'static'];
    expect(among.map((spec) => encoderLabel(spec, among))).toEqual(['onnx:a/minilm', 'onnx:b/minilm', 'onnx:minilm?pooling=cls', 'static']);
  });
});

const FOLDER = '/home/somebody/models/minilm';

function withFolder(): BenchResult {
  const result = sampleResult();
  const named = <T extends { readonly encoder: string | null }>(one: T): T =>
    one.encoder === null ? one : { ...one, encoder: `onnx:${FOLDER}` };
  return { ...result, cells: result.cells.map(named), diagnoses: result.diagnoses.map(named) };
}

describe('withEncoderLabels', () => {
  it('labels cells and diagnoses, and leaves what has no encoder', () => {
    const result = withFolder();
    const labelled = withEncoderLabels(result);
    expect(labelled.cells.map(({ encoder }) => encoder)).toEqual(result.cells.map(({ encoder }) => encoder && 'onnx:minilm'));
    expect(new Set(labelled.cells.map(({ encoder }) => encoder))).toContain('onnx:minilm');
    expect(labelled.diagnoses.map(({ encoder }) => encoder)).toEqual(result.diagnoses.map(() => 'onnx:minilm'));
    expect({ ...labelled, cells: [], diagnoses: [] }).toEqual({ ...result, cells: [], diagnoses: [] });
  });

  it.each([
    ['table', false],
    ['markdown', false],
    ['html', false],
    ['json', true],
    ['jsonl', true],
    ['csv', true],
  ])('%s says the folder: %s', (format, says) => {
    const pieces = [...REPORTERS[format]!.render(withFolder(), { columns: 100, colour: false })];
    const text = pieces.join('');
    expect(text).toContain('minilm');
    expect(text.includes(FOLDER)).toBe(says);
  });
});
