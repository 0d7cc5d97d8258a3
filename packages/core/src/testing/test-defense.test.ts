import { describe, expect, it, test } from 'vitest';
import { type DefenseDefinition, defineDefense, type Judgement, type StageInput, type StageOutcome } from '../core/define-defense.ts';
import type { RunContext } from '../core/run-context.ts';
import { none } from '../defenses/none.ts';
import { createRandom } from '../kernels/random.ts';
import type { Defense, DefenseKind, Need, RetrievedPassage } from '../types.ts';
import { type DefenseProperty, type DefenseSuite, HOSTILE_TEXTS, testDefense } from './test-defense.ts';

const kept: Judgement = { action: 'keep', score: null, suspicion: 0, reason: 'kept' };
const dropped: Judgement = { action: 'drop', score: null, suspicion: 1, reason: 'beyond-keep' };

/** The properties that a defense fails, with the message of each. */
async function failures(create: () => Defense, more: Partial<DefenseSuite> = {}): Promise<Map<string, string>> {
  const runs: [string, () => Promise<void>][] = [];
  testDefense({ test: (name, run) => void runs.push([name, run]), create, ...more });
  const failed = new Map<string, string>();
  for (const [name, run] of runs) {
    await run().catch((error: unknown) => failed.set(name, String(error)));
  }
  return failed;
}

type Definition = DefenseDefinition<Record<never, never>>;

function planted(
  run: (input: StageInput, context: RunContext) => StageOutcome | Promise<StageOutcome>,
  more: {
    readonly needs?: readonly Need[];
    readonly kind?: DefenseKind;
    readonly setLevel?: boolean;
    readonly reasons?: Definition['reasons'];
  } = {},
): () => Defense {
  const { needs = [], kind = 'filter', setLevel = false, reasons = {} } = more;
  return defineDefense({
    name: 'planted',
    summary: 'Broken on purpose.',
    kind,
    source: null,
    setLevel,
    options: {},
    reasons,
    needs: () => needs,
    run: (input, _options, context) => run(input, context),
  });
}

/** One judgement a passage. */
const each =
  (judge: (passage: RetrievedPassage, index: number, input: StageInput) => Judgement) =>
  (input: StageInput): StageOutcome => ({
    judgements: input.passages.map((passage, index) => judge(passage, index, input)),
  });

/** As a careless author without `defineDefense` would write it: no seal around it. */
const unsealed = (change: (sealed: Awaited<ReturnType<Defense['run']>>) => Awaited<ReturnType<Defense['run']>>): (() => Defense) => {
  const inner = none();
  return () => ({ ...inner, run: async (retrieval, context) => change(await inner.run(retrieval, context)) });
};

describe('a good defense passes', () => {
  testDefense({ test, create: () => none() });

  const byLength = planted(
    (input) => {
      const order = input.texts
        .map((_, index) => index)
        .sort((a, b) => input.texts[b]!.length - input.texts[a]!.length || a - b)
        .slice(0, input.keep);
      return {
        judgements: input.texts.map((text, index) =>
          order.includes(index) ? { ...kept, score: text.length } : { ...dropped, score: text.length },
        ),
        order,
      };
    },
    { kind: 'rerank', needs: ['embeddings', 'query-embedding'], setLevel: true },
  );
  const random = planted((input, context) => {
    const generator = createRandom(context.seed);
    return each(() => ({ ...kept, suspicion: generator.next() }))(input);
  });
  const rewrites = planted(
    each((passage) => ({ ...kept, action: 'rewrite', text: passage.text.toUpperCase(), evidence: { spans: [[0, 1]] } })),
    { kind: 'rewrite' },
  );
  it.each([
    ['a reranker with embeddings', byLength],
    ['one that draws from the seed', random],
    ['one that rewrites', rewrites],
  ])('%s', async (_, create) => {
    expect(Object.fromEntries(await failures(create))).toEqual({});
  });
});

describe('a broken defense is caught', () => {
  let counter = 0;
  const generator = createRandom(1);
  let lastQuestion = '';
  const cases: [string, () => Defense, DefenseProperty, RegExp][] = [
    [
      'skips a verdict',
      planted(({ passages }) => ({ judgements: passages.slice(1).map(() => kept) })),
      'gives one verdict a passage, in input order',
      /STAGE_BROKE_CONTRACT|judged \d+ of \d+ passages/,
    ],
    [
      'skips a verdict, without a seal',
      unsealed((result) => ({ ...result, verdicts: result.verdicts.slice(1) })),
      'gives one verdict a passage, in input order',
      /passage ids/,
    ],
    [
      'gives verdicts in its own order',
      unsealed((result) => ({ ...result, verdicts: result.verdicts.toReversed() })),
      'gives one verdict a passage, in input order',
      /passage ids/,
    ],
    [
      'invents a passage',
      planted(({ passages }) => ({ judgements: passages.map(() => kept), order: [...passages.keys(), passages.length] })),
      'lets through only passages it was given',
      /ordered a passage \d+ that it was not given/,
    ],
    [
      'invents an id, without a seal',
      unsealed((result) => ({ ...result, passages: result.passages.map((passage) => ({ ...passage, id: `${passage.id}?` })) })),
      'lets through only passages it was given',
      /ids that go on/,
    ],
    [
      'changes a text that it says it keeps, without a seal',
      unsealed((result) => ({ ...result, passages: result.passages.map((passage) => ({ ...passage, text: 'other' })) })),
      'lets through only passages it was given',
      /text of p0/,
    ],
    [
      'changes a frozen passage',
      planted(
        each((passage) => {
          Object.assign(passage, { text: passage.text.trim() });
          return kept;
        }),
      ),
      'leaves what it was given as it was',
      /TypeError/,
    ],
    [
      'changes a vector, which cannot be frozen',
      planted(
        (input) => {
          for (const vector of input.embeddings) vector[0] = 9;
          return each(() => kept)(input);
        },
        { needs: ['embeddings'] },
      ),
      'leaves what it was given as it was',
      /the retrieval/,
    ],
    [
      'changes metadata',
      planted(
        each((passage) => {
          (passage.metadata?.tags as string[] | undefined)?.push('seen');
          return kept;
        }),
      ),
      'leaves what it was given as it was',
      /the retrieval/,
    ],
    [
      'returns a score of NaN',
      planted(each(() => ({ ...kept, score: Number.NaN }))),
      'gives one verdict a passage, in input order',
      /score of NaN/,
    ],
    [
      'returns a score of NaN, without a seal',
      unsealed((result) => ({ ...result, verdicts: result.verdicts.map((verdict) => ({ ...verdict, score: Number.NaN })) })),
      'gives values that survive JSON',
      /score of the verdict on p0 is NaN/,
    ],
    [
      'returns NaN in its evidence',
      planted(each(() => ({ ...kept, evidence: { nested: [{ share: 0 / 0 }] } }))),
      'gives values that survive JSON',
      /share of 0 of nested of evidence of the verdict on p0 is NaN/,
    ],
    [
      'returns undefined in its evidence',
      planted(each(() => ({ ...kept, evidence: { share: undefined as never } }))),
      'gives values that survive JSON',
      /share of evidence of the verdict on p0 is undefined/,
    ],
    [
      'returns a typed array in its evidence',
      planted(each(() => ({ ...kept, evidence: { vector: Float32Array.of(1) as never } }))),
      'gives values that survive JSON',
      /neither a list nor a plain object/,
    ],
    [
      'returns Infinity in its certificate',
      planted(({ passages }) => ({
        judgements: passages.map(() => kept),
        certificate: { mechanism: 'planted', corruption: 1, holds: true, reason: null, radius: Infinity, pad: 1, padTight: null },
      })),
      'gives values that survive JSON',
      /radius of the certificate is Infinity/,
    ],
    [
      'repeats the whole text in its evidence',
      planted(each((passage) => ({ ...kept, evidence: { text: passage.text } }))),
      'gives values that survive JSON',
      /is unbounded/,
    ],
    [
      'reads ids by their letters',
      planted(each(({ id }) => (id.startsWith('p') ? kept : dropped))),
      'reads nothing into ids',
      /after renaming/,
    ],
    [
      'breaks ties by id',
      planted(
        ({ passages, keep }) => {
          const order = [...passages.keys()].sort((a, b) => (passages[a]!.id < passages[b]!.id ? -1 : 1)).slice(0, keep);
          return { judgements: passages.map((_, index) => (order.includes(index) ? kept : dropped)), order };
        },
        { kind: 'rerank' },
      ),
      'reads nothing into ids',
      /after renaming/,
    ],
    [
      'ignores the seed, drawing from a generator of its own',
      planted(each(() => ({ ...kept, suspicion: generator.next() }))),
      'gives the same result for the same seed',
      /two runs/,
    ],
    [
      'is not deterministic',
      planted(each(() => ({ ...kept, suspicion: Math.random() }))),
      'gives the same result for the same seed',
      /two runs/,
    ],
    [
      'rewrites to another text each time',
      planted(
        each(() => ({ ...kept, action: 'rewrite', text: `text ${counter++}` })),
        { kind: 'rewrite' },
      ),
      'gives the same result for the same seed',
      /two runs/,
    ],
    [
      'remembers earlier runs',
      planted((input) => {
        const again = input.query.text === lastQuestion;
        lastQuestion = input.query.text;
        return each(() => (again ? dropped : kept))(input);
      }),
      'gives the same result for the same seed',
      /two runs/,
    ],
    [
      'gives a reason that it does not declare',
      planted(each(() => ({ ...kept, reason: 'whim' }))),
      'gives only reasons it declares',
      /whim/,
    ],
    [
      'throws on an empty retrieval',
      planted(({ passages }) => ({ judgements: [{ ...kept, score: passages[0]!.text.length }, ...passages.slice(1).map(() => kept)] })),
      'judges retrievals of 0, 1 and 2 passages',
      /TypeError/,
    ],
    [
      'throws on hostile text',
      planted(each(({ text }) => ({ ...kept, score: encodeURIComponent(text).length }))),
      'judges hostile text',
      /URIError/,
    ],
    [
      'is moved by copies',
      planted((input) => each(() => ({ ...kept, suspicion: 1 / (1 + input.passages.length) }))(input)),
      'is not moved by a copy at the end',
      /verdicts on the others/,
    ],
    [
      'keeps passages without text',
      unsealed((result) => ({
        ...result,
        verdicts: result.verdicts.map((verdict) => ({ ...verdict, action: 'keep' as const, rankAfter: verdict.rankBefore })),
      })),
      'drops passages without text',
      /verdicts on empty passages/,
    ],
  ];
  it.each(cases)('that %s', async (_, create, property, message) => {
    const failed = await failures(create);
    expect(failed.get(property)).toMatch(message);
  });

  const sealless = (check: 'ABORTED' | 'DUPLICATE_ID' | 'SHAPE_MISMATCH'): (() => Defense) => {
    const inner = planted(
      each(() => kept),
      { needs: ['embeddings'] },
    )();
    return () => ({
      ...inner,
      run: (retrieval, context) =>
        inner.run(retrieval, context).catch((error: { code?: string }) => {
          if (error.code !== check) throw error;
          return { passages: [], verdicts: [], certificate: null, ms: 0 };
        }),
    });
  };
  it.each<['ABORTED' | 'DUPLICATE_ID' | 'SHAPE_MISMATCH', DefenseProperty]>([
    ['ABORTED', 'stops when the signal has fired'],
    ['DUPLICATE_ID', 'refuses a repeated id'],
    ['SHAPE_MISMATCH', 'refuses vectors of different length'],
  ])('that swallows %s', async (check, property) => {
    expect([...(await failures(sealless(check)))]).toEqual([[property, `Error: expected the refusal ${check}, got a result`]]);
  });
});

describe('the suite itself', () => {
  it('registers every property once, and names the reason of what is skipped', () => {
    const [run, skipped]: [string[], string[]] = [[], []];
    testDefense({
      test: (name) => void run.push(name),
      skipTest: (name) => void skipped.push(name),
      create: () => none(),
      skip: { 'is not moved by a copy at the end': 'counts the passages' },
    });
    expect(new Set(run).size).toBe(run.length);
    expect(run).toHaveLength(15);
    expect(run).not.toContain('is not moved by a copy at the end');
    expect(skipped).toEqual(['is not moved by a copy at the end (counts the passages)']);
  });

  it('makes no defense before a test runs', () => {
    const create = (): Defense => {
      throw new Error('too early');
    };
    expect(() => testDefense({ test: () => undefined, create })).not.toThrow();
  });

  it('brings hostile texts of every kind that has broken programs', () => {
    const all = HOSTILE_TEXTS.join('\n');
    for (const sign of ['\u0000', '\u202e', '<script>', '__proto__', "'; DROP", '\u200b', '\ufeff', '\u{e0041}'])
      expect(all).toContain(sign);
    // An unpaired surrogate.
    expect(all).toMatch(/[\ud800-\udfff]/u);
    expect(Math.max(...HOSTILE_TEXTS.map((text) => text.length))).toBeGreaterThanOrEqual(20_000);
    expect(HOSTILE_TEXTS.some((text) => text.trim() === '')).toBe(true);
  });
});
