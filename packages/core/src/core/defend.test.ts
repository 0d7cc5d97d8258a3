import { afterEach, describe, expect, it, vi } from 'vitest';
import { BezoarError } from '../errors.ts';
import { toyEncoder } from '../testing/toy-models.ts';
import type { Certificate, Defended, Defense, DefenseKind, Need } from '../types.ts';
import { createRetrieval } from './create-retrieval.ts';
import { type DefendSettings, defend, explain } from './defend.ts';
import { defineDefense, type Judgement, MAX_PASSAGES, type StageInput, type StageOutcome } from './define-defense.ts';
import { definePolicy, type PolicyDefinition } from './define-policy.ts';
import type { RunContext } from './run-context.ts';

type Inside = (input: StageInput, context: RunContext) => StageOutcome | Promise<StageOutcome>;

function stage(name: string, run: Inside, more: { readonly kind?: DefenseKind; readonly needs?: readonly Need[] } = {}): Defense {
  return defineDefense({
    name,
    summary: 'For tests.',
    kind: more.kind ?? 'filter',
    source: null,
    setLevel: false,
    options: {},
    reasons: { [`${name}-reason`]: { meaning: `${name} says so`, sentence: ({ n }) => `${name} counted ${String(n)}` } },
    needs: () => more.needs ?? [],
    run: (input, _options, context) => run(input, context),
  })();
}

const kept: Judgement = { action: 'keep', score: null, suspicion: 0, reason: 'kept' };
const keepAll: Inside = ({ passages }) => ({ judgements: passages.map(() => kept) });
/** Drops the passages with these ids. */
const dropping = (name: string, ...ids: readonly string[]): Defense =>
  stage(name, ({ passages }) => ({
    judgements: passages.map(({ id }) =>
      ids.includes(id) ? { action: 'drop', score: 1, suspicion: 0.75, reason: `${name}-reason` } : kept,
    ),
  }));
const never = new Promise<never>(() => undefined);
const throwing = (error: unknown): Defense =>
  stage('breaks', () => {
    throw error;
  });

const three = createRetrieval('who?', ['one', 'two', 'three']);
const run = (policy: PolicyDefinition, settings: DefendSettings = {}, retrieval = three): Promise<Defended> =>
  defend(retrieval, definePolicy({ budgetMs: null, ...policy }), settings);
const ids = ({ passages }: Pick<Defended, 'passages'>): string[] => passages.map(({ id }) => id);
const code = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'no error',
    (error) => (BezoarError.is(error) ? error.code : `another error: ${String(error)}`),
  );

const certificate: Certificate = { mechanism: 'toy', corruption: 1, holds: true, reason: null, radius: 0.1, pad: 0.2, padTight: null };
const certifying = stage('certifies', (input) => ({ judgements: input.passages.map(() => kept), certificate }));

describe('a stage that cannot run', () => {
  it('is skipped by degrade as none would: a reranker cut to its own keep, else to that of the policy', async () => {
    const broken = (keep?: number): Defense =>
      defineDefense({
        name: 'broken',
        summary: 'For tests.',
        kind: 'rerank',
        source: null,
        setLevel: false,
        options: {},
        reasons: {},
        needs: () => [],
        run: () => {
          throw new Error('down');
        },
      })(keep === undefined ? {} : { keep });
    expect(ids(await run({ stages: [broken(1)], keep: 2, onError: 'degrade' }))).toEqual(['p1']);
    expect(ids(await run({ stages: [broken()], keep: 2, onError: 'degrade' }))).toEqual(['p1', 'p2']);
  });
});

describe('a policy', () => {
  it('without stages lets everything through and says so', async () => {
    const result = await run({ stages: [], keep: 1 });
    expect(ids(result)).toEqual(['p1', 'p2', 'p3']);
    expect(result.verdicts.map(({ action, reason, rankBefore, rankAfter }) => [action, reason, rankBefore, rankAfter])).toEqual([
      ['keep', 'kept', 1, 1],
      ['keep', 'kept', 2, 2],
      ['keep', 'kept', 3, 3],
    ]);
    expect(result).toMatchObject({ query: three.query, stages: [], certificate: null, degraded: false });
  });

  it('gives an empty result for an empty retrieval', async () => {
    const needy = stage('needy', keepAll, { needs: ['embeddings', 'query-embedding'] });
    const result = await run({ stages: [dropping('first', 'p1'), needy] }, {}, createRetrieval('who?', []));
    expect(result).toMatchObject({ passages: [], verdicts: [], degraded: false });
    expect(result.stages.map(({ verdicts }) => verdicts)).toEqual([[], []]);
  });

  it('passes its settings and the models to every stage', async () => {
    const seen: RunContext[] = [];
    const looks = stage('looks', (input, context) => {
      seen.push(context);
      return keepAll(input, context);
    });
    const encoder = toyEncoder();
    await run({ stages: [looks], seed: 9, keep: 2, passageText: 'text', unscorable: 'keep-last' }, { encoder });
    expect(seen[0]).toMatchObject({ seed: 9, keep: 2, passageText: 'text', unscorable: 'keep-last', encoder });
  });

  it('asks the encoder once for a text that several stages need', async () => {
    const encoder = toyEncoder();
    const encode = vi.fn(encoder.encode);
    const needy = (name: string): Defense => stage(name, keepAll, { needs: ['embeddings'] });
    await run({ stages: [needy('a'), needy('b')] }, { encoder: { ...encoder, encode } });
    expect(encode.mock.calls.map(([texts]) => texts)).toEqual([['one', 'two', 'three'], ['who?']]);
  });

  it('leaves what it was given as it was, unfrozen', async () => {
    const given = createRetrieval('who?', [{ text: 'one', metadata: { a: 1 }, embedding: Float32Array.of(1) }, 'two']);
    const before = structuredClone(given);
    await run({ stages: [dropping('first', 'p1'), stage('again', keepAll)] }, {}, given);
    expect(given).toEqual(before);
    for (const value of [given, given.passages, ...given.passages, given.query]) expect(Object.isFrozen(value)).toBe(false);
  });
});

describe('several stages', () => {
  it('each judge what the one before let go on', async () => {
    const result = await run({ stages: [dropping('first', 'p1'), dropping('second', 'p3')] });
    expect(ids(result)).toEqual(['p2']);
    expect(result.stages.map(({ name, verdicts }) => [name, verdicts.map(({ passageId }) => passageId)])).toEqual([
      ['first', ['p1', 'p2', 'p3']],
      ['second', ['p2', 'p3']],
    ]);
    expect(result.stages.every(({ error, ms }) => error === undefined && ms >= 0)).toBe(true);
    expect(result.verdicts.map(({ reason, rankBefore, rankAfter }) => [reason, rankBefore, rankAfter])).toEqual([
      ['first-reason', 1, null],
      ['kept', 2, 1],
      ['second-reason', 3, null],
    ]);
    expect(result.stages[1]!.verdicts.map(({ rankBefore }) => rankBefore)).toEqual([1, 2]);
  });

  const saying = (name: string, judgement: Partial<Judgement>): Defense =>
    stage(name, ({ passages }) => ({ judgements: passages.map(() => ({ ...kept, reason: `${name}-reason`, ...judgement })) }));
  const one = createRetrieval('who?', ['one']);
  const rewrite = saying('rewrites', { action: 'rewrite', text: 'new', suspicion: 0.5, evidence: { n: 1 } });
  const rewriteAgain = saying('again', { action: 'rewrite', text: 'newer', suspicion: 0.25, evidence: { n: 2 } });
  const keep = saying('keeps', { score: 4, suspicion: 0.1 });
  const drop = saying('drops', { action: 'drop', score: -1, suspicion: 0.3 });

  it.each<[string, Defense[], object]>([
    [
      'the stage that dropped',
      [rewrite, keep, drop],
      { action: 'drop', reason: 'drops-reason', score: -1, suspicion: 0.5, rankAfter: null },
    ],
    [
      'the last that rewrote',
      [rewrite, rewriteAgain, keep],
      { action: 'rewrite', reason: 'again-reason', evidence: { n: 2 }, suspicion: 0.5 },
    ],
    ['the last', [keep, saying('last', { suspicion: 0.2 })], { action: 'keep', reason: 'last-reason', suspicion: 0.2, rankAfter: 1 }],
  ])('the final verdict is that of %s; suspicion is the highest', async (_, stages, verdict) => {
    expect((await run({ stages }, {}, one)).verdicts[0]).toMatchObject(verdict);
  });

  it('the last of three stages that kept decides', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => saying(name, {})) as [Defense, Defense, Defense];
    expect((await run({ stages: [a, b, c] }, {}, one)).verdicts[0]!.reason).toBe('c-reason');
    expect((await run({ stages: [a] }, {}, one)).verdicts[0]!.reason).toBe('a-reason');
  });

  it.each(['pass', 'refuse', 'degrade'] as const)('that all succeed are judged as they say, also under %s', async (onError) => {
    const result = await run({ stages: [dropping('first', 'p1')], onError });
    expect(ids(result)).toEqual(['p2', 'p3']);
    expect(result.verdicts.map(({ reason }) => reason)).toEqual(['first-reason', 'kept', 'kept']);
    expect(result.degraded).toBe(false);
  });

  it('the final score is the latest number that any stage gave, unless the deciding stage has one', async () => {
    const scoreOf = async (...stages: Defense[]) => (await run({ stages }, {}, one)).verdicts[0]!.score;
    expect(await scoreOf(keep, saying('later', { score: 7 }), rewrite)).toBe(7);
    expect(await scoreOf(keep, saying('later', { score: 0 }), saying('last', {}))).toBe(0);
    expect(await scoreOf(rewrite, keep)).toBe(4);
    expect(await scoreOf(saying('scored', { action: 'rewrite', score: 2 }), keep)).toBe(2);
    expect(await scoreOf(rewrite)).toBeNull();
  });

  it('ranks after are those of the last stage', async () => {
    const reverses = stage('reverses', ({ passages }) => ({
      judgements: passages.map(() => kept),
      order: passages.map((_, i) => i).reverse(),
    }));
    const result = await run({ stages: [reverses, dropping('drops', 'p2')] });
    expect(ids(result)).toEqual(['p3', 'p1']);
    expect(result.passages.map(({ rank }) => rank)).toEqual([1, 2]);
    expect(result.verdicts.map(({ rankBefore, rankAfter }) => [rankBefore, rankAfter])).toEqual([
      [1, 2],
      [2, null],
      [3, 1],
    ]);
  });

  it('what a stage rewrote is what the next one judges', async () => {
    const texts: (readonly string[])[] = [];
    const looks = stage('looks', (input, context) => {
      texts.push(input.texts);
      return keepAll(input, context);
    });
    expect((await run({ stages: [rewrite, looks] }, {}, one)).passages[0]!.text).toBe('new');
    expect(texts).toEqual([['new']]);
  });

  it('a certificate is gone once a later stage takes from what it speaks of', async () => {
    expect((await run({ stages: [certifying, dropping('later', 'p2')] })).certificate).toBeNull();
    expect((await run({ stages: [dropping('earlier', 'p2'), certifying] })).certificate).toEqual(certificate);
  });

  it('the certificate is the latest', async () => {
    const other = stage('other', (input) => ({
      judgements: input.passages.map(() => kept),
      certificate: { ...certificate, mechanism: 'other' },
    }));
    expect((await run({ stages: [certifying, stage('plain', keepAll)] })).certificate).toEqual(certificate);
    expect((await run({ stages: [certifying, other] })).certificate!.mechanism).toBe('other');
  });
});

describe('a stage that fails', () => {
  const stages = [certifying, dropping('first', 'p1'), throwing(new Error('out of\nmemory')), dropping('last', 'p3')];

  it('is skipped under degrade', async () => {
    const result = await run({ stages, onError: 'degrade' });
    expect(ids(result)).toEqual(['p2']);
    expect(result).toMatchObject({ degraded: true, certificate: null });
    expect(result.stages.map(({ name, error }) => [name, error])).toEqual([
      ['certifies', undefined],
      ['first', undefined],
      ['breaks', { code: 'STAGE_FAILED', message: 'out of memory' }],
      ['last', undefined],
    ]);
    expect(result.stages[2]!.verdicts).toEqual([
      { passageId: 'p2', action: 'keep', rankBefore: 1, rankAfter: 1, score: null, suspicion: 0, reason: 'kept' },
      { passageId: 'p3', action: 'keep', rankBefore: 2, rankAfter: 2, score: null, suspicion: 0, reason: 'kept' },
    ]);
    expect(result.verdicts.map(({ reason }) => reason)).toEqual(['first-reason', 'kept', 'last-reason']);
  });

  it('lets everything through as retrieved under pass, and no later stage runs', async () => {
    const rewrites = stage('rewrites', ({ passages }) => ({
      judgements: passages.map(() => ({ ...kept, action: 'rewrite', text: 'new' })),
    }));
    const result = await run({ stages: [rewrites, ...stages], onError: 'pass' });
    expect(result.passages).toEqual(three.passages);
    expect(result).toMatchObject({ degraded: true, certificate: null });
    expect(result.stages.map(({ name }) => name)).toEqual(['rewrites', 'certifies', 'first', 'breaks']);
    expect(result.stages[3]).toMatchObject({ verdicts: [], error: { code: 'STAGE_FAILED' } });
    expect(result.verdicts.map(({ action, reason, rankAfter, suspicion }) => [action, reason, rankAfter, suspicion])).toEqual([
      ['keep', 'kept', 1, 0.75],
      ['keep', 'kept', 2, 0],
      ['keep', 'kept', 3, 0],
    ]);
  });

  it('lets nothing through under refuse, and no later stage runs', async () => {
    const result = await run({ stages, onError: 'refuse' });
    expect(result.passages).toEqual([]);
    expect(result).toMatchObject({ degraded: true, certificate: null });
    expect(result.stages).toHaveLength(3);
    expect(result.verdicts.map(({ action, reason, rankAfter, suspicion }) => [action, reason, rankAfter, suspicion])).toEqual([
      ['drop', 'refused', null, 0.75],
      ['drop', 'refused', null, 0],
      ['drop', 'refused', null, 0],
    ]);
  });

  it('that reranks is cut to keep under degrade, as none would', async () => {
    const breaks = stage(
      'breaks',
      () => {
        throw new Error('x');
      },
      { kind: 'rerank' },
    );
    const result = await run({ stages: [breaks], keep: 2 });
    expect(ids(result)).toEqual(['p1', 'p2']);
    expect(result.verdicts[2]).toMatchObject({ action: 'drop', reason: 'beyond-keep', rankAfter: null });
    expect(result.stages[0]!.verdicts.map(({ rankAfter }) => rankAfter)).toEqual([1, 2, null]);
    expect(ids(await run({ stages: [throwing(new Error('x'))], keep: 2 }))).toEqual(['p1', 'p2', 'p3']);
  });

  it('after a certificate voids it; a certificate after it stands', async () => {
    const breaks = throwing(new Error('x'));
    expect((await run({ stages: [certifying, breaks] })).certificate).toBeNull();
    expect((await run({ stages: [breaks, certifying] })).certificate).toEqual(certificate);
  });

  it.each<[string, () => StageOutcome | Promise<StageOutcome>, string, string]>([
    ['a rejected promise', () => Promise.reject(new Error('late')), 'STAGE_FAILED', 'late'],
    ['a broken contract', () => ({ judgements: [] }), 'STAGE_BROKE_CONTRACT', 'breaks judged 0 of 3 passages'],
  ])('by %s is recorded by its code', async (_, inside, errorCode, message) => {
    const result = await run({ stages: [stage('breaks', inside)] });
    expect(result.stages[0]!.error).toEqual({ code: errorCode, message });
  });

  it.each<[string, unknown, string]>([
    ['text', 'plain text', 'plain text'],
    ['nothing', undefined, 'something other than an error was thrown'],
    ['an object without a prototype', Object.create(null), 'something other than an error was thrown'],
    ['control characters', new Error('\u001b[31mred\u0085\u2028x'), '?[31mred? x'],
    ['a long message', new Error('x'.repeat(10_000)), `${'x'.repeat(297)}...`],
    ['an error of ours', new BezoarError('ENCODER_FAILED', 'the encoder is gone'), 'the encoder is gone'],
  ])('by throwing %s has a bounded message on one line', async (_, thrown, message) => {
    const { error } = (await run({ stages: [throwing(thrown)] })).stages[0]!;
    expect(error).toEqual({ code: BezoarError.is(thrown) ? thrown.code : 'STAGE_FAILED', message });
  });
});

describe('faults of the caller are thrown whatever onError says', () => {
  const modes = ['pass', 'refuse', 'degrade'] as const;
  const needing = (need: Need): Defense => stage('needy', keepAll, { needs: [need] });
  const same = createRetrieval('q', [
    { id: 'same', text: 'one' },
    { id: 'same', text: 'two' },
  ]);
  const uneven = createRetrieval('q', [
    { text: 'one', embedding: Float32Array.of(1) },
    { text: 'two', embedding: Float32Array.of(1, 2) },
  ]);

  it.each(modes)('under %s', async (onError) => {
    expect(await code(run({ stages: [needing('embeddings')], onError }))).toBe('NEEDS_EMBEDDINGS');
    expect(await code(run({ stages: [needing('cross-encoder')], onError }))).toBe('NEEDS_CROSS_ENCODER');
    expect(await code(run({ stages: [needing('likelihood')], onError }))).toBe('NEEDS_LIKELIHOOD');
    expect(await code(run({ stages: [needing('embeddings')], onError }, {}, uneven))).toBe('SHAPE_MISMATCH');
    expect(await code(run({ stages: [throwing(new BezoarError('MISSING_PEER', 'x'))], onError }))).toBe('MISSING_PEER');
  });

  it.each(modes)('also where no stage would look, under %s', async (onError) => {
    const large = createRetrieval(
      'q',
      Array.from({ length: MAX_PASSAGES + 1 }, () => 'x'),
    );
    const textless = createRetrieval('q', [{ text: 7 as unknown as string }]);
    for (const policy of [
      { stages: [], onError },
      { stages: [dropping('first')], onError, budgetMs: 0 },
    ]) {
      expect(await code(run(policy, {}, same))).toBe('DUPLICATE_ID');
      expect(await code(run(policy, {}, large))).toBe('TOO_LARGE');
      expect(await code(run(policy, {}, textless))).toBe('BAD_INPUT');
    }
  });
});

describe('a budget', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A clock that only the stages move. */
  function clock(): { readonly now: () => number; readonly taking: (name: string, ms: number) => Defense } {
    let time = 1000;
    return {
      now: () => time,
      taking: (name, ms) =>
        stage(name, (input, context) => {
          time += ms;
          return keepAll(input, context);
        }),
    };
  }

  it('that is kept leaves no trace', async () => {
    const { now, taking } = clock();
    const result = await run({ stages: [taking('a', 40), taking('b', 60)], budgetMs: 100 }, { now });
    expect(result.degraded).toBe(false);
    expect(result.stages.map(({ ms }) => ms)).toEqual([40, 60]);
  });

  it('of all stages together is overrun by the stage that ends after it; later ones do not start', async () => {
    const { now, taking } = clock();
    const late = taking('late', 61);
    const neverStarts = vi.fn(keepAll);
    const result = await run({ stages: [taking('a', 40), late, stage('c', neverStarts)], budgetMs: 100 }, { now });
    expect(result.degraded).toBe(true);
    expect(result.stages.map(({ error }) => error?.code)).toEqual([undefined, 'BUDGET_EXCEEDED', 'BUDGET_EXCEEDED']);
    expect(result.stages[1]).toMatchObject({ ms: 61, error: { message: "late did not finish within the policy's budgetMs" } });
    expect(result.stages[2]!.ms).toBe(0);
    expect(neverStarts).not.toHaveBeenCalled();
    expect(ids(result)).toEqual(['p1', 'p2', 'p3']);
  });

  it.each<['pass' | 'refuse' | 'degrade', string[], number]>([
    ['pass', ['p1', 'p2', 'p3'], 2],
    ['refuse', [], 2],
    ['degrade', ['p2', 'p3'], 3],
  ])('that is overrun is a failed stage: %s', async (onError, expected, stages) => {
    const { now, taking } = clock();
    const result = await run({ stages: [dropping('first', 'p1'), taking('late', 11), certifying], budgetMs: 10, onError }, { now });
    expect(ids(result)).toEqual(expected);
    expect(result.stages).toHaveLength(stages);
    expect(result).toMatchObject({ degraded: true, certificate: null });
  });

  it('lets a stage that hangs have what is left of it, whatever the clock says the time is', async () => {
    const started = performance.now();
    const result = await run({ stages: [stage('hangs', () => never)], budgetMs: 20 }, { now: () => performance.now() + 1e7 });
    expect(result.stages[0]!.error!.code).toBe('BUDGET_EXCEEDED');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('counts the time of a stage that fails', async () => {
    let time = 1000;
    const breaks = stage('breaks', () => {
      time += 7;
      throw new Error('x');
    });
    expect((await run({ stages: [breaks] }, { now: () => time })).stages[0]!.ms).toBe(7);
  });

  it('of zero runs nothing', async () => {
    const result = await run({ stages: [dropping('first', 'p1')], budgetMs: 0 });
    expect(ids(result)).toEqual(['p1', 'p2', 'p3']);
    expect(result.stages[0]!.error!.code).toBe('BUDGET_EXCEEDED');
  });

  it('ends the wait for a stage that hangs, and tells it to stop', async () => {
    let told: AbortSignal | null = null;
    const hangs = stage('hangs', (_, context) => {
      told = context.signal;
      return never;
    });
    const started = performance.now();
    const result = await run({ stages: [hangs, dropping('after', 'p1')], budgetMs: 30 });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(result.stages.map(({ error }) => error?.code)).toEqual(['BUDGET_EXCEEDED', 'BUDGET_EXCEEDED']);
    expect(result.stages[0]!.ms).toBeGreaterThanOrEqual(25);
    expect(told!.aborted).toBe(true);
  });

  it('that a hanging stage used up stays used up, even by a clock that stands still', async () => {
    const inside = vi.fn(keepAll);
    const result = await run({ stages: [stage('hangs', () => never), stage('after', inside)], budgetMs: 5 }, { now: () => 0 });
    expect(result.stages.map(({ error }) => error?.code)).toEqual(['BUDGET_EXCEEDED', 'BUDGET_EXCEEDED']);
    expect(inside).not.toHaveBeenCalled();
  });

  it('is not disturbed by what an abandoned stage does later', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const late = stage('late', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('nobody listens');
    });
    expect((await run({ stages: [late], budgetMs: 5 })).degraded).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 40));
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await run({ stages: [dropping('first', 'p1')], budgetMs: 60_000 });
    await run({ stages: [throwing(new Error('x'))], budgetMs: 60_000 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('beyond what a timer can hold is still a budget', async () => {
    expect((await run({ stages: [dropping('first', 'p1')], budgetMs: Number.MAX_VALUE })).degraded).toBe(false);
  });
});

describe('abort', () => {
  const aborted = AbortSignal.abort('gone');

  it('before the run rejects, without any stage', async () => {
    const inside = vi.fn(keepAll);
    expect(await code(run({ stages: [stage('a', inside)] }, { signal: aborted }))).toBe('ABORTED');
    expect(await code(run({ stages: [] }, { signal: aborted }))).toBe('ABORTED');
    expect(inside).not.toHaveBeenCalled();
  });

  it.each([null, 60_000])('while a stage hangs rejects at once (budgetMs %s) and tells the stage', async (budgetMs) => {
    const aborter = new AbortController();
    let told: AbortSignal | null = null;
    const hangs = stage('hangs', (_, context) => {
      told = context.signal;
      setTimeout(() => aborter.abort('gone'), 5);
      return never;
    });
    expect(await code(run({ stages: [hangs], budgetMs, onError: 'pass' }, { signal: aborter.signal }))).toBe('ABORTED');
    expect(told!.aborted).toBe(true);
    expect(told!.reason).toBe('gone');
  });

  it.each([null, 60_000])('is what comes out when a stage fails because of it (budgetMs %s)', async (budgetMs) => {
    const aborter = new AbortController();
    const fetches = stage('fetches', async () => {
      aborter.abort();
      throw new DOMException('This operation was aborted', 'AbortError');
    });
    expect(await code(run({ stages: [fetches], budgetMs, onError: 'pass' }, { signal: aborter.signal }))).toBe('ABORTED');
  });

  it('between stages, or by the last one, rejects', async () => {
    for (const stages of [1, 2]) {
      const aborter = new AbortController();
      const aborts = stage('aborts', (input, context) => {
        aborter.abort();
        return keepAll(input, context);
      });
      expect(await code(run({ stages: [aborts, stage('next', keepAll)].slice(0, stages) }, { signal: aborter.signal }))).toBe('ABORTED');
    }
  });

  it("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await run({ stages: [dropping('first', 'p1'), throwing(new Error('x'))], budgetMs: 1000 }, { signal });
    expect(add).toHaveBeenCalledTimes(2);
    expect(remove.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
      add.mock.calls.map(([type, listener]) => [type, listener]),
    );
  });
});

describe('monitor', () => {
  it('lets all passages through as retrieved, and records what would have happened', async () => {
    const stages = [dropping('first', 'p1'), dropping('second', 'p2')];
    const [monitored, enforced] = [await run({ stages, mode: 'monitor' }), await run({ stages })];
    expect(monitored.passages).toEqual(three.passages);
    expect(ids(enforced)).toEqual(['p3']);
    expect(monitored.verdicts).toEqual(enforced.verdicts);
    expect(monitored.stages.map(({ verdicts }) => verdicts)).toEqual(enforced.stages.map(({ verdicts }) => verdicts));
  });

  it('lets all through even when a stage fails and the policy would refuse', async () => {
    const result = await run({ stages: [throwing(new Error('x'))], mode: 'monitor', onError: 'refuse' });
    expect(result.passages).toEqual(three.passages);
    expect(result.verdicts.every(({ reason }) => reason === 'refused')).toBe(true);
    expect(result.degraded).toBe(true);
  });
});

describe('hostile names', () => {
  it('of passages are names like others', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'valueOf', ''];
    const retrieval = createRetrieval(
      { id: '__proto__', text: 'q' },
      names.map((id) => ({ id, text: `text of ${id}`, metadata: JSON.parse('{"__proto__": {"polluted": true}}') })),
    );
    const result = await run({ stages: [dropping('first', 'constructor')] }, {}, retrieval);
    expect(ids(result)).toEqual(['__proto__', 'toString', 'valueOf', '']);
    expect(result.verdicts.map(({ passageId }) => passageId)).toEqual(names);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('explain', () => {
  const policy = definePolicy({ stages: [dropping('first'), dropping('second')] });
  const verdict = { passageId: 'p', action: 'drop', rankBefore: 1, rankAfter: null, score: null, suspicion: 0 } as const;

  it("makes a sentence of the verdict's reason and evidence", () => {
    expect(explain({ ...verdict, reason: 'second-reason', evidence: { n: 3 } }, policy)).toBe('second counted 3');
    expect(explain({ ...verdict, reason: 'first-reason' }, policy)).toBe('first says so');
    expect(explain({ ...verdict, reason: 'refused' }, policy)).toBe('a stage failed and the policy lets nothing through');
  });
});
