import { setImmediate } from 'node:timers/promises';
import { BezoarError, type PassageText, passageText } from '@bezoar/core';
import type { Dataset } from '../types.ts';

/** Passages read, encoded and scored together. Encoders' caches read up to 256 files a batch, so it is not small. */
const BATCH = 1024;

export interface CorpusReading {
  readonly passageText: PassageText;
  readonly signal: AbortSignal | null;
  readonly progress: (done: number, total: number, what: string) => void;
}

/** The texts of a whole corpus in its order, a batch at a time, with a breath for the event loop after each. */
export async function* corpusTexts(
  dataset: Dataset,
  reading: CorpusReading,
  what: string,
): AsyncGenerator<{ readonly first: number; readonly texts: string[] }> {
  for await (const { first, passages } of dataset.batches(BATCH)) {
    yield { first, texts: passages.map((passage) => passageText(passage, reading.passageText)) };
    reading.progress(first + passages.length, dataset.passageCount, what);
    await breathe(reading.signal);
  }
}

/** Lets the event loop do what waits, and throws `ABORTED` once the signal has fired. */
export async function breathe(signal: AbortSignal | null): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new BezoarError('ABORTED', 'the caller aborted the preparation of pools', { cause: signal.reason });
}
