import { describe, expect, it } from 'vitest';
import type { IndexContext, Paraphraser } from '../core/index-defense.ts';
import type { Encoder } from '../core/ports.ts';
import type { StoredPassage } from '../core/store-port.ts';
import { BezoarError } from '../errors.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { toyEncoder } from '../testing/index.ts';
import type { Passage } from '../types.ts';
import { paraphrasePassages } from './paraphrase-passages.ts';

const encoder = toyEncoder();
const context: IndexContext = { encoder, passageText: 'title-and-text', seed: 1, approximate: false };
const stored = (passage: Passage): StoredPassage => ({
  ...passage,
  contentHash: '',
  addedAt: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  status: 'searchable',
  findings: [],
});

/** Takes out a question that stands in front. */
const dropQuestion: Paraphraser = (text) => text.replace(/^[^?]*\? /, '');

const QUESTION = 'who won the silver cup?';
const PASSAGES: Passage[] = [
  { id: 'bait', text: `${QUESTION} tomatoes need warm soil and sun` },
  { id: 'true', text: 'the silver cup was won by Ann' },
  { id: 'empty', text: ' ' },
];

async function ask(paraphrase: Paraphraser, keep = 2) {
  const defense = paraphrasePassages();
  const store = createMemoryStore({ vectors: { paraphrase: encoder.dimensions }, similarity: 'cosine' });
  const vectors = await defense.protect(PASSAGES, { ...context, paraphrase });
  await store.put(PASSAGES.map((passage, index) => ({ passage: stored(passage), vectors: vectors[index]! })));
  const [vector] = (await encoder.encode([QUESTION], { role: 'query' })).vectors;
  return defense.retrieve({ id: 'q', text: QUESTION, vector: vector!, keep }, store, context);
}

describe('paraphrasePassages', () => {
  it('retrieves by what the paraphrase says: a question in front no longer counts', async () => {
    expect((await ask((text) => text)).hits.map(({ id }) => id)).toEqual(['bait', 'true']);
    const answer = await ask(dropQuestion);
    expect(answer.hits.map(({ id }) => id)).toEqual(['true', 'bait']);
    expect(answer).toMatchObject({ exact: true, encoded: 0 });
  });

  it('has no vector for a passage without text, and asks nobody about it', async () => {
    const asked: string[] = [];
    const [, , empty] = await paraphrasePassages().protect(PASSAGES, {
      ...context,
      paraphrase: (text) => {
        asked.push(text);
        return text;
      },
    });
    expect(empty).toEqual({});
    expect(asked).toEqual([PASSAGES[0]!.text, PASSAGES[1]!.text]);
  });

  it('leaves a passage as it was where the paraphraser gives up, and cuts what is too long', async () => {
    const [silent] = await paraphrasePassages().protect([PASSAGES[1]!], { ...context, paraphrase: () => ' \n' });
    expect(silent!.paraphrase).toEqual((await encoder.encode([PASSAGES[1]!.text], { role: 'passage' })).vectors[0]);
    const lengths: number[] = [];
    const measuring: Encoder = {
      ...encoder,
      encode: (texts, options) => {
        lengths.push(...texts.map(({ length }) => length));
        return encoder.encode(texts, options);
      },
    };
    await paraphrasePassages().protect([PASSAGES[1]!], { ...context, encoder: measuring, paraphrase: () => 'word '.repeat(20_000) });
    expect(lengths).toEqual([50_000]);
  });

  it('says what it needs, and what a paraphraser may give', async () => {
    const protect = (given: Partial<IndexContext>) => paraphrasePassages().protect([PASSAGES[1]!], { ...context, ...given });
    await expect(protect({})).rejects.toMatchObject({ code: 'NEEDS_PARAPHRASER' });
    await expect(protect({ paraphrase: (() => null) as unknown as Paraphraser })).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const aborted = protect({ paraphrase: (text) => text, signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy((error) => BezoarError.is(error, 'ABORTED'));
  });
});
