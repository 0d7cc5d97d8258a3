import { describe, expect, it } from 'vitest';
import type { IndexContext, Paraphraser } from '../core/index-defense.ts';
import type { StoredPassage } from '../core/store-port.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { toyEncoder } from '../testing/index.ts';
import { paraphraseQuestion } from './paraphrase-question.ts';

const encoder = toyEncoder();
const context: IndexContext = { encoder, passageText: 'title-and-text', seed: 1, approximate: false };
const QUESTION = 'who won the silver cup?';
const TEXTS = { bait: `${QUESTION} tomatoes`, other: 'ann took first prize in the race' };

const stored = (id: string, text: string): StoredPassage => ({
  id,
  text,
  contentHash: '',
  addedAt: '2026-01-01T00:00:00.000Z',
  runId: 'run',
  status: 'searchable',
  findings: [],
});

async function ask(paraphrase: Paraphraser | null, text = QUESTION) {
  const store = createMemoryStore({ vectors: { passage: encoder.dimensions }, similarity: 'cosine' });
  const { vectors } = await encoder.encode(Object.values(TEXTS), { role: 'passage' });
  await store.put(
    Object.entries(TEXTS).map(([id, content], index) => ({ passage: stored(id, content), vectors: { passage: vectors[index]! } })),
  );
  const [vector] = (await encoder.encode([QUESTION], { role: 'query' })).vectors;
  return paraphraseQuestion().retrieve({ id: 'q', text, vector: vector!, keep: 1 }, store, {
    ...context,
    ...(paraphrase ? { paraphrase } : {}),
  });
}

describe('paraphraseQuestion', () => {
  it('searches for the question in other words, and shows them', async () => {
    expect((await ask((text) => text)).hits[0]!.id).toBe('bait');
    const answer = await ask(() => 'who took first prize in the race?');
    expect(answer.hits.map(({ id }) => id)).toEqual(['other']);
    expect(answer.hits[0]!.evidence).toEqual({ paraphrase: 'who took first prize in the race?' });
    expect([answer.encoded, answer.exact]).toEqual([1, true]);
  });

  it('searches for the question as it is where there are no other words, or none that can be compared', async () => {
    expect(await ask(() => '')).toMatchObject({ hits: [{ id: 'bait' }], encoded: 0 });
    expect((await ask(() => '. . .')).hits[0]!.id).toBe('bait');
    expect(await ask(() => 'unasked', ' ')).toMatchObject({ hits: [{ id: 'bait', evidence: { paraphrase: ' ' } }] });
  });

  it('bounds what it shows of a paraphrase', async () => {
    const [hit] = (await ask(() => 'prize '.repeat(1000))).hits;
    expect(hit!.evidence.paraphrase).toHaveLength(200);
  });

  it('adds nothing at ingest, and says what it needs', async () => {
    expect(await paraphraseQuestion().protect([{ id: 'a', text: 'x' }], context)).toEqual([{}]);
    await expect(ask(null)).rejects.toMatchObject({ code: 'NEEDS_PARAPHRASER' });
  });
});
