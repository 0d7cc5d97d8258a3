import { describe, expect, it, vi } from 'vitest';
import { none } from '../defenses/none.ts';
import { toyEncoder } from '../testing/toy-models.ts';
import { definePolicy } from './define-policy.ts';
import { guardRetriever } from './guard-retriever.ts';

const policy = definePolicy({ stages: [none()], keep: 2 });
const texts = ['one', 'two', 'three', 'four', 'five'];

describe('guardRetriever', () => {
  it('fetches twice as many passages as the policy keeps, and lets the policy choose', async () => {
    const retrieve = vi.fn(async (_question: string, count: number) => texts.slice(0, count));
    const result = await guardRetriever(retrieve, { policy })('who?');
    expect(retrieve.mock.calls).toEqual([['who?', 4]]);
    expect(result.query).toEqual({ id: 'q', text: 'who?' });
    expect(result.verdicts).toHaveLength(4);
    expect(result.passages.map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('fetches as many as it is told, from a retriever that answers at once too', async () => {
    const retrieve = vi.fn((_: string, count: number) => texts.slice(0, count));
    expect((await guardRetriever(retrieve, { policy, pool: 3 })('who?')).verdicts).toHaveLength(3);
  });

  it('is undisturbed by an empty answer', async () => {
    expect(await guardRetriever(() => [], { policy })('who?')).toMatchObject({ passages: [], verdicts: [], degraded: false });
  });

  it('hands on models and signal', async () => {
    const encoder = toyEncoder();
    const run = vi.fn(policy.stages[0]!.run);
    const watched = definePolicy({ stages: [{ ...policy.stages[0]!, run }] });
    await guardRetriever(() => texts, { policy: watched, encoder })('who?');
    expect(run.mock.calls[0]![1].encoder).toBe(encoder);
    const signal = AbortSignal.abort();
    await expect(guardRetriever(() => texts, { policy })('who?', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it("passes on the retriever's own errors", async () => {
    const retrieve = async (): Promise<never> => {
      throw new Error('the index is down');
    };
    await expect(guardRetriever(retrieve, { policy })('who?')).rejects.toThrow('the index is down');
  });
});
