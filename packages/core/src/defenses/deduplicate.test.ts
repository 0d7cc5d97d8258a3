import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../../tests/shared-data.ts';
import { createRetrieval, type PassageInput } from '../core/create-retrieval.ts';
import { explainReason } from '../core/reasons.ts';
import { createRunContext } from '../core/run-context.ts';
import { testDefense } from '../testing/test-defense.ts';
import type { Verdict } from '../types.ts';
import { deduplicate } from './deduplicate.ts';

const judge = async (passages: readonly PassageInput[], options = {}): Promise<readonly Verdict[]> =>
  (await deduplicate(options).run(createRetrieval('who?', passages), createRunContext())).verdicts;

const words = (from: number, to: number): string => Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(' ');

testDefense({ test: it, skipTest: it.skip, create: () => deduplicate() });

describe('deduplicate', () => {
  it('drops the later of two passages that differ in a sign', async () => {
    const verdicts = await judge(['The tower of Pisa leans to the south.', 'Something else.', 'The tower of Pisa leans to the south!']);
    expect(verdicts.map(({ action, score }) => [action, score])).toEqual([
      ['keep', 0],
      ['keep', 0],
      ['drop', 1],
    ]);
    expect(verdicts[2]).toMatchObject({ suspicion: 0, reason: 'near-duplicate', evidence: { sameAs: 'p1', similarity: 1 } });
    expect(explainReason('near-duplicate', verdicts[2]!.evidence, [deduplicate().reasons])).toBe(
      'repeats p1 almost word for word (similarity 1.00)',
    );
  });

  it('leaves exact copies to the seal', async () => {
    expect((await judge(['a  b c', 'a b c'])).map(({ reason }) => reason)).toEqual(['kept', 'duplicate']);
    expect((await judge(['a  b c', 'a b c'], { collapseDuplicates: false })).map(({ reason }) => reason)).toEqual([
      'kept',
      'near-duplicate',
    ]);
  });

  it('counts a similarity equal to the option', async () => {
    // 18 shingles each, 17 in common: 17 of 19.
    const passages = [words(0, 20), words(1, 21)];
    expect((await judge(passages))[1]).toMatchObject({ action: 'keep', score: 17 / 19, reason: 'kept' });
    expect((await judge(passages, { similarity: 17 / 19 }))[1]!.action).toBe('drop');
    expect((await judge(passages, { similarity: 17 / 19 + 1e-9 }))[1]!.action).toBe('keep');
  });

  it('keeps nothing, one, and passages without words', async () => {
    expect(await judge([])).toEqual([]);
    expect((await judge(['one']))[0]).toMatchObject({ action: 'keep', score: 0 });
    expect((await judge(['...', '!!!'])).map(({ action, score }) => [action, score])).toEqual([
      ['keep', null],
      ['keep', null],
    ]);
  });

  it('refuses a similarity that would drop everything', () => {
    expect(() => deduplicate({ similarity: 0 })).toThrow(/similarity is 0/);
  });
});

describe.skipIf(!hasShared)('deduplicate on clean candidates', () => {
  const lines = (path: string): Record<string, unknown>[] =>
    readFileSync(sharedPath(`data/${path}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('drops less than half a percent that are no exact copies', async () => {
    for (const name of ['realtimeqa', 'simpleqa', 'ramdocs', 'hotpotqa']) {
      const corpus = new Map(lines(`${name}/corpus`).map((passage) => [passage._id, passage]));
      let all = 0;
      const dropped = new Map([0.5, 0.7, 0.8, 0.9, 0.95].map((similarity) => [similarity, 0]));
      for (const { passage_ids: ids } of lines(`${name}/candidates`)) {
        const passages = (ids as string[]).map((id) => ({ id, title: String(corpus.get(id)!.title), text: String(corpus.get(id)!.text) }));
        for (const similarity of dropped.keys()) {
          const verdicts = await judge(passages, { similarity });
          dropped.set(similarity, dropped.get(similarity)! + verdicts.filter(({ reason }) => reason === 'near-duplicate').length);
          if (similarity === 0.9) all += verdicts.filter(({ reason }) => reason !== 'duplicate').length;
        }
      }
      console.log(`deduplicate on ${name}, ${all} candidates, dropped by similarity: ${JSON.stringify([...dropped])}`);
      expect(dropped.get(0.9)! / all).toBeLessThan(0.005);
      expect(dropped.get(0.5)! / all).toBeGreaterThan(dropped.get(0.9)! / all);
    }
  });
});
