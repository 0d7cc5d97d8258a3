import { describe, expect, it, test } from 'vitest';
import { createRetrieval } from '../core/create-retrieval.ts';
import { createRunContext } from '../core/run-context.ts';
import { testDefense } from '../testing/test-defense.ts';
import { none } from './none.ts';

describe('none', () => {
  describe('is a defense', () => {
    testDefense({ test, create: () => none() });
  });

  const texts = ['one', 'two', 'three', 'three'];

  it("lets the first passages go on in the retriever's order, as many as the policy or the option says", async () => {
    const kept = async (defense: ReturnType<typeof none>, keep: number): Promise<string[]> =>
      (await defense.run(createRetrieval('who?', texts), createRunContext({ keep }))).passages.map(({ id }) => id);
    expect(await kept(none(), 2)).toEqual(['p1', 'p2']);
    expect(await kept(none({ keep: 3 }), 2)).toEqual(['p1', 'p2', 'p3']);
    expect(await kept(none(), 10)).toEqual(['p1', 'p2', 'p3', 'p4']);
  });

  it('says of the rest that there was no place', async () => {
    const { verdicts } = await none({ keep: 1 }).run(createRetrieval('who?', texts.slice(0, 2)), createRunContext());
    expect(verdicts).toEqual([
      { passageId: 'p1', action: 'keep', rankBefore: 1, rankAfter: 1, score: null, suspicion: 0, reason: 'kept' },
      { passageId: 'p2', action: 'drop', rankBefore: 2, rankAfter: null, score: null, suspicion: 0, reason: 'beyond-keep' },
    ]);
  });
});
