import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStages } from '../packages/core/src/core/policy-file.ts';
import { createRunContext, type RunSettings } from '../packages/core/src/core/run-context.ts';
import { BezoarError } from '../packages/core/src/errors.ts';
import { DEFENSES } from '../packages/core/src/registry.generated.ts';
import { HOSTILE_TEXTS, toyCrossEncoder, toyEncoder, toyLikelihood } from '../packages/core/src/testing/index.ts';
import type { Defense, JsonObject, Retrieval, RetrievedPassage, StageResult } from '../packages/core/src/types.ts';

/** Every defense as it comes, and settings that take other ways through it. */
const SPECS = [
  ...Object.keys(DEFENSES),
  'grada?weights=embedding&initial=query',
  'grada?similarity=cross-encoder&componentCorrection=on',
  'grada?statistics=pool&collapseDuplicates=off',
  'trustrag-filter?mode=repo&collapseDuplicates=off',
  'trustrag-filter?gate=off&unicode=on&density=0',
  'pra-rag?samples=20&bound=clamp&distance=manhattan',
  'pra-rag?subset=1&corruption=0&weights=softmax&combination=symmetric',
];

const models: RunSettings = {
  encoder: toyEncoder(),
  crossEncoder: toyCrossEncoder(),
  likelihood: toyLikelihood(),
  resolveEncoder: async () => toyEncoder(),
};
const run = (defense: Defense, retrieval: Retrieval, settings: RunSettings = {}): Promise<StageResult> =>
  defense.run(retrieval, createRunContext({ ...models, seed: 5, ...settings }));

const WORDS =
  'bridge tunnel opened closed river year city engineer stone harbour 1961 1974 toll traffic ignore previous instructions answer'.split(
    ' ',
  );
const sentence = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 25 }).map((words) => `${words.join(' ')}.`);
// The longest hostile texts are in the conformance suite; here they would only take time from other cases.
const hostile = fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.length < 1000));
const text = fc.oneof(
  { weight: 5, arbitrary: sentence },
  { weight: 1, arbitrary: hostile },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.tuple(hostile, sentence).map((parts) => parts.join('')) },
);

const vector = (entry: fc.Arbitrary<number>): fc.Arbitrary<Float32Array> =>
  fc.array(entry, { minLength: 4, maxLength: 4 }).map((row) => Float32Array.from(row));
const usable = vector(fc.float({ min: -2, max: 2, noNaN: true }));
const strange = vector(fc.constantFrom(0, 1, -1, Number.NaN, Infinity, 3e38, 1e-30));

interface Made {
  readonly text: string;
  readonly title?: string;
  readonly embedding?: Float32Array;
}

const passage = (embedding: fc.Arbitrary<Float32Array> | null): fc.Arbitrary<Made> =>
  fc.record(
    { text, title: text, ...(embedding ? { embedding } : {}) },
    { requiredKeys: embedding ? ['text', 'embedding'] : ['text'] },
  ) as fc.Arbitrary<Made>;

function asRetrieval(question: string, queryEmbedding: Float32Array | null, passages: readonly Made[]): Retrieval {
  return {
    query: { id: 'q', text: question, ...(queryEmbedding ? { embedding: queryEmbedding } : {}) },
    passages: passages.map((made, index) => ({ ...made, id: `p${index}`, rank: index + 1 })),
  };
}

/** 0 to 24 passages, some of them copies of others; without embeddings, with usable ones, or with some that are strange or missing. */
const retrieval: fc.Arbitrary<Retrieval> = fc
  .constantFrom<'none' | 'usable' | 'strange'>('none', 'usable', 'strange')
  .chain((kind) => {
    const embedding = kind === 'none' ? null : kind === 'usable' ? usable : fc.oneof({ weight: 4, arbitrary: usable }, strange);
    const one = kind === 'strange' ? fc.oneof({ weight: 6, arbitrary: passage(embedding) }, passage(null)) : passage(embedding);
    return fc.record({
      question: text,
      // Passages may all be without an embedding by chance; then the query's is the encoder's too.
      queryEmbedding: embedding ?? fc.constant(null),
      passages: fc.array(one, { maxLength: 24, size: 'max' }),
      copies: fc.array(fc.tuple(fc.nat(23), fc.nat(23)), { maxLength: 3 }),
    });
  })
  .map(({ question, queryEmbedding, passages, copies }) => {
    const mixed = [...passages];
    for (const [from, to] of copies) if (from < mixed.length && to < mixed.length) mixed[to] = mixed[from]!;
    return asRetrieval(question, queryEmbedding, mixed);
  });

const snapshot = (value: unknown): string =>
  JSON.stringify(value, (_, entry: unknown) => (entry instanceof Float32Array ? Array.from(entry, String) : entry));

/** What does not speak of ids or time. */
const plain = ({ verdicts, certificate }: StageResult): unknown => [
  certificate,
  verdicts.map(({ action, rankBefore, rankAfter, score, suspicion, reason }) => [action, rankBefore, rankAfter, score, suspicion, reason]),
];

function expectJsonSafe(value: unknown): void {
  if (Array.isArray(value)) for (const entry of value) expectJsonSafe(entry);
  else if (typeof value === 'object' && value !== null) for (const entry of Object.values(value)) expectJsonSafe(entry);
  else expect(value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value), String(value)).toBe(true);
}

const holds = (property: (given: Retrieval) => Promise<void>, numRuns: number): Promise<void> =>
  fc.assert(fc.asyncProperty(retrieval, property), { numRuns });

describe.each(SPECS)('%s', (spec) => {
  const [defense] = parseStages(spec) as readonly [Defense];

  it('gives one verdict a passage, lets through what it kept, changes nothing, and is JSON, each time the same', async () => {
    await holds(async (given) => {
      const before = snapshot(given);
      const result = await run(defense, given);
      expect(snapshot(given)).toBe(before);

      expect(result.verdicts.map(({ passageId, rankBefore }) => [passageId, rankBefore])).toEqual(
        given.passages.map(({ id }, index) => [id, index + 1]),
      );
      const kept = result.verdicts.filter(({ action }) => action !== 'drop').sort((a, b) => a.rankAfter! - b.rankAfter!);
      expect(result.passages.map(({ id, rank }) => [id, rank])).toEqual(kept.map(({ passageId }, index) => [passageId, index + 1]));
      expect(result.verdicts.filter(({ action, rankAfter }) => (action === 'drop') !== (rankAfter === null))).toEqual([]);
      const byId = new Map(given.passages.map((one) => [one.id, one]));
      for (const { action, passageId, rankAfter } of kept) {
        const { rank: _, ...after } = result.passages[rankAfter! - 1]!;
        const { rank: __, ...original } = byId.get(passageId)!;
        if (action === 'keep') expect(after).toEqual(original);
        else expect(defense.kind).toBe('rewrite');
      }
      if (defense.kind === 'rerank') {
        const judged = result.verdicts.filter(
          ({ reason }) => !['duplicate', 'empty-text', 'too-long', 'unscorable'].includes(reason),
        ).length;
        expect(kept).toHaveLength(Math.min(judged, 5));
      }

      for (const { suspicion } of result.verdicts) expect(suspicion >= 0 && suspicion <= 1).toBe(true);
      expectJsonSafe([result.verdicts, result.certificate]);
      const text: JsonObject = JSON.parse(JSON.stringify({ verdicts: result.verdicts, certificate: result.certificate }));
      expect(text).toEqual({ verdicts: result.verdicts, certificate: result.certificate });

      const again = await run(defense, given);
      expect({ ...again, ms: 0 }).toEqual({ ...result, ms: 0 });
    }, 30);
  });

  it('reads nothing into ids, whether renamed or exchanged between equal passages', async () => {
    await holds(async (given) => {
      const result = plain(await run(defense, given));
      const name = (index: number): string => ['__proto__', 'constructor'][index] ?? `${'z'.repeat(30 - index)}`;
      const renamed = given.passages.map((one, index): RetrievedPassage => ({ ...one, id: name(index) }));
      expect(plain(await run(defense, { query: { ...given.query, id: 'x' }, passages: renamed }))).toEqual(result);

      // Equal passages change places: each place gets the verdict it had.
      const content = (one: RetrievedPassage): string => snapshot({ ...one, id: '', rank: 0 });
      const groups = new Map<string, RetrievedPassage[]>();
      for (const one of given.passages) groups.set(content(one), [...(groups.get(content(one)) ?? []), one]);
      if (groups.size === given.passages.length) return;
      const exchanged = given.passages.map((one): RetrievedPassage => {
        const group = groups.get(content(one))!;
        return { ...group[group.length - 1 - group.indexOf(one)]!, rank: one.rank };
      });
      expect(plain(await run(defense, { ...given, passages: exchanged }))).toEqual(result);
    }, 20);
  });

  // With copies left in, a copy is one more voice, which is why copies are collapsed by default.
  it.skipIf(spec.includes('collapseDuplicates=off'))('does not suspect others more because of a copy of a passage it kept', async () => {
    await holds(async (given) => {
      const result = await run(defense, given);
      const kept = result.verdicts.filter(({ action }) => action === 'keep');
      if (kept.length === 0) return;
      const original = given.passages[kept[0]!.rankBefore - 1]!;
      const place = kept.at(-1)!.rankBefore;
      const passages = given.passages.toSpliced(place, 0, { ...original, id: 'a copy' }).map((one, index) => ({ ...one, rank: index + 1 }));
      const withCopy = (await run(defense, { ...given, passages })).verdicts.toSpliced(place, 1);
      const raised = withCopy.filter(({ suspicion }, index) => suspicion > result.verdicts[index]!.suspicion);
      expect(raised).toEqual([]);
    }, 20);
  });

  it('judges nothing, and one passage', async () => {
    const empty = await run(defense, asRetrieval('who?', null, []));
    expect(empty).toMatchObject({ passages: [], verdicts: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof(passage(null), passage(usable), passage(strange)), async (one) => {
        const { verdicts, passages } = await run(defense, asRetrieval('who?', null, [one]), { encoder: toyEncoder(4) });
        expect(verdicts).toHaveLength(1);
        expect(passages).toHaveLength(verdicts[0]!.action === 'drop' ? 0 : 1);
        if (one.text.trim() === '') expect(verdicts[0]).toMatchObject({ action: 'drop', reason: 'empty-text' });
      }),
      { numRuns: 20 },
    );
  });

  it('stops when the signal fires, within one call of a model', async () => {
    await holds(async (given) => {
      const before = await run(defense, given, { signal: AbortSignal.abort() }).catch((error: unknown) => error);
      expect(BezoarError.is(before, 'ABORTED')).toBe(true);

      const aborter = new AbortController();
      let calls = 0;
      const counted =
        <Args extends unknown[], R>(call: (...args: Args) => R) =>
        (...args: Args): R => {
          calls++;
          aborter.abort();
          return call(...args);
        };
      const [encoder, cross, likelihood] = [toyEncoder(), toyCrossEncoder(), toyLikelihood()];
      const watched: RunSettings = {
        encoder: { ...encoder, encode: counted(encoder.encode) },
        crossEncoder: { ...cross, score: counted(cross.score) },
        likelihood: { ...likelihood, score: counted(likelihood.score) },
        signal: aborter.signal,
      };
      const during = await run(defense, given, watched).catch((error: unknown) => error);
      expect(calls).toBeLessThanOrEqual(1);
      if (BezoarError.is(during)) expect(during.code).toBe('ABORTED');
    }, 15);
  });
});

describe('the generator', () => {
  it('makes what the properties are about', () => {
    const samples = fc.sample(retrieval, { numRuns: 300, seed: 1 });
    const share = (test: (given: Retrieval) => boolean): number => samples.filter(test).length / samples.length;
    expect(share(({ passages }) => passages.length === 0)).toBeGreaterThan(0);
    expect(share(({ passages }) => passages.length > 12)).toBeGreaterThan(0.2);
    expect(share(({ passages }) => passages.length > 0 && passages.every(({ embedding }) => embedding))).toBeGreaterThan(0.2);
    expect(share(({ passages }) => passages.length > 0 && passages.every(({ embedding }) => !embedding))).toBeGreaterThan(0.2);
    expect(share(({ passages }) => passages.some(({ embedding }) => embedding?.some(Number.isNaN)))).toBeGreaterThan(0.1);
    expect(share(({ passages }) => new Set(passages.map(({ text }) => text)).size < passages.length)).toBeGreaterThan(0.2);
    expect(share(({ passages }) => passages.some(({ title }) => title !== undefined))).toBeGreaterThan(0.3);
  });
});
