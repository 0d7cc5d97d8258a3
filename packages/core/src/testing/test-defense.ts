import { createRetrieval, type PassageInput } from '../core/create-retrieval.ts';
import { SEAL_REASONS } from '../core/reasons.ts';
import { createRunContext, type RunSettings } from '../core/run-context.ts';
import { BezoarError } from '../errors.ts';
import { createRandom, type Random } from '../kernels/random.ts';
import type { Defense, Retrieval, StageResult, Verdict } from '../types.ts';
import { toyCrossEncoder, toyEncoder, toyLikelihood } from './toy-models.ts';

/** What the suite checks, by name; a defense that cannot meet one lists it in `skip` with the reason. */
const PROPERTIES = [
  'gives one verdict a passage, in input order',
  'lets through only passages it was given',
  'leaves what it was given as it was',
  'gives the same result for the same seed',
  'reads nothing into ids',
  'gives only reasons it declares',
  'gives values that survive JSON',
  'judges retrievals of 0, 1 and 2 passages',
  'judges duplicates',
  'is not moved by a copy at the end',
  'drops passages without text',
  'judges hostile text',
  'judges embeddings that are missing, not finite or zero',
  'refuses vectors of different length',
  'refuses a repeated id',
  'stops when the signal has fired',
] as const;

export type DefenseProperty = (typeof PROPERTIES)[number];

export interface DefenseSuite {
  /** The test runner's own `test(name, run)`: vitest, node:test and others fit. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  /** Registers a test that is skipped, so that it is counted. */
  readonly skipTest?: (name: string) => void;
  readonly create: () => Defense;
  /** Models beside the toy ones that the suite brings. */
  readonly models?: Pick<RunSettings, 'encoder' | 'crossEncoder' | 'likelihood' | 'resolveEncoder'>;
  readonly seed?: number;
  readonly skip?: Partial<Record<DefenseProperty, string>>;
}

/** Text that has broken programs: controls, unpaired surrogates, right-to-left overrides, markup, quotes, prototype names, very long words. */
export const HOSTILE_TEXTS: readonly string[] = [
  ' ',
  '\u0000\u0001\u001b[31mred\u001b[0m',
  'unpaired \ud800 surrogate \udfff',
  'a\u202egnp.exe\u202c b\u200b\u200d\ufeff',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  "'; DROP TABLE passages; --",
  '{"query": {"id": "q"}} ```json\n--- ',
  '__proto__ constructor toString hasOwnProperty',
  '\u{1f469}\u200d\u{1f4bb} \u{e0041}\u{e0042} e\u0301\u0301\u0301\u0301',
  'مرحبا بالعالم  שלום  नमस्ते  你好世界  こんにちは',
  'x'.repeat(20_000),
  'a b '.repeat(4000),
  '\n\r\t\u2028\u2029',
  '\u200b\u200b',
];

/** The public conformance suite of a defense: what every one must do whatever it computes. Throws through the given `test`. */
export function testDefense(suite: DefenseSuite): void {
  const { create, models = {}, seed = 1, skip = {} } = suite;
  const settings: RunSettings = {
    encoder: toyEncoder(),
    crossEncoder: toyCrossEncoder(),
    likelihood: toyLikelihood(),
    resolveEncoder: async () => toyEncoder(),
    ...models,
    seed,
  };
  const run = (retrieval: Retrieval, more: RunSettings = {}, defense = create()): Promise<StageResult> =>
    defense.run(retrieval, createRunContext({ ...settings, ...more }));
  const checks: Record<DefenseProperty, () => Promise<void>> = {
    'gives one verdict a passage, in input order': () =>
      onSamples(seed, async (retrieval) => {
        const { verdicts } = await run(retrieval);
        equal(
          verdicts.map((verdict) => verdict.passageId),
          retrieval.passages.map((passage) => passage.id),
          'passage ids',
        );
        equal(
          verdicts.map((verdict) => verdict.rankBefore),
          retrieval.passages.map((_, index) => index + 1),
          'ranks before',
        );
        for (const verdict of verdicts)
          verify(verdict.suspicion >= 0 && verdict.suspicion <= 1, `suspicion ${verdict.suspicion} of ${verdict.passageId}`);
      }),
    'lets through only passages it was given': () =>
      onSamples(seed, async (retrieval) => {
        const { passages, verdicts } = await run(retrieval);
        const kept = verdicts.filter((verdict) => verdict.action !== 'drop').sort((a, b) => a.rankAfter! - b.rankAfter!);
        equal(
          passages.map((passage) => passage.id),
          kept.map((verdict) => verdict.passageId),
          'ids that go on',
        );
        equal(
          passages.map((passage) => passage.rank),
          passages.map((_, index) => index + 1),
          'ranks after',
        );
        for (const passage of passages) {
          const verdict = kept.find((candidate) => candidate.passageId === passage.id)!;
          const given = retrieval.passages.find((candidate) => candidate.id === passage.id)!;
          if (verdict.action === 'keep') equal([passage.text, passage.title], [given.text, given.title], `text of ${passage.id}`);
        }
      }),
    'leaves what it was given as it was': () =>
      onSamples(seed, async (retrieval) => {
        const before = snapshot(retrieval);
        await run(retrieval);
        equal(snapshot(retrieval), before, 'the retrieval');
      }),
    'gives the same result for the same seed': () =>
      onSamples(seed, async (retrieval) => {
        const defense = create();
        const once = timeless(await run(retrieval, {}, defense));
        equal(timeless(await run(retrieval, {}, defense)), once, 'two runs');
        equal(timeless(await run(retrieval)), once, 'two instances');
      }),
    'reads nothing into ids': () =>
      onSamples(seed, async (retrieval) => {
        // Other letters, and in the opposite order.
        const passages = retrieval.passages.map((passage, index) => ({ ...passage, id: `${9000 - index} renamed` }));
        const renamed = { query: { ...retrieval.query, id: 'renamed' }, passages };
        const plain = (verdicts: readonly Verdict[]): unknown =>
          verdicts.map(({ action, rankAfter, score, suspicion, reason }) => [action, rankAfter, score, suspicion, reason]);
        equal(plain((await run(renamed)).verdicts), plain((await run(retrieval)).verdicts), 'verdicts after renaming');
      }),
    'gives only reasons it declares': () =>
      onSamples(seed, async (retrieval) => {
        const defense = create();
        const declared = [...Object.keys(SEAL_REASONS), ...Object.keys(defense.reasons)];
        for (const { reason } of (await run(retrieval, {}, defense)).verdicts)
          verify(declared.includes(reason), `undeclared reason ${reason}`);
      }),
    'gives values that survive JSON': async () => {
      const check = async (retrieval: Retrieval): Promise<void> => {
        const { verdicts, certificate } = await run(retrieval);
        survivesJson(certificate, 'the certificate');
        for (const verdict of verdicts) {
          survivesJson(verdict, `the verdict on ${verdict.passageId}`);
          verify(JSON.stringify(verdict).length < 20_000, `the verdict on ${verdict.passageId} is unbounded`);
        }
      };
      await onSamples(seed, check);
      await check(hostile('what about the bridge?'));
    },
    'judges retrievals of 0, 1 and 2 passages': async () => {
      const random = createRandom(seed);
      for (const count of [0, 1, 2]) {
        const { verdicts, passages } = await run(sample(random, count));
        equal(verdicts.length, count, `verdicts on ${count} passages`);
        verify(passages.length <= count, `${passages.length} of ${count} passages go on`);
      }
    },
    'judges duplicates': async () => {
      const text = 'the bridge was opened to traffic in the spring of that year';
      const { verdicts } = await run(
        createRetrieval(
          { text: 'when was the bridge opened?', embedding: Float32Array.of(3, 2, 1) },
          Array.from({ length: 6 }, () => ({ text, embedding: Float32Array.of(1, 2, 3) })),
        ),
      );
      equal(verdicts.length, 6, 'verdicts on six copies');
    },
    'is not moved by a copy at the end': () =>
      onSamples(seed, async (retrieval) => {
        const first = retrieval.passages[0];
        if (!first) return;
        const longer = { ...retrieval, passages: [...retrieval.passages, { ...first, id: 'a copy', rank: retrieval.passages.length + 1 }] };
        const others = (result: StageResult): unknown =>
          result.verdicts.slice(0, retrieval.passages.length).map(({ action, suspicion }) => [action, suspicion]);
        equal(others(await run(longer)), others(await run(retrieval)), 'verdicts on the others');
      }),
    'drops passages without text': async () => {
      const texts = ['', '  \n', { text: '', title: 'a title', embedding: Float32Array.of(1, 0) }];
      const { verdicts } = await run(createRetrieval('who?', texts));
      equal(
        verdicts.map((verdict) => [verdict.action, verdict.reason]),
        texts.map(() => ['drop', 'empty-text']),
        'verdicts on empty passages',
      );
    },
    'judges hostile text': async () => {
      for (const query of HOSTILE_TEXTS) equal((await run(hostile(query))).verdicts.length, HOSTILE_TEXTS.length, 'verdicts');
    },
    'judges embeddings that are missing, not finite or zero': async () => {
      const vectors = [[1, 0], [0.9, 0.1], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 0], [0, 0], null, [3e38, 3e38], [1e-30, 0]];
      const passages = vectors.map(
        (vector, index): PassageInput => ({
          text: `passage number ${index} about the bridge`,
          ...(vector ? { embedding: Float32Array.from(vector) } : {}),
        }),
      );
      const query = { text: 'what about the bridge?', embedding: Float32Array.of(1, 1) };
      for (const embedding of [query.embedding, Float32Array.of(Number.NaN, 1), Float32Array.of(0, 0)]) {
        const { verdicts } = await run(createRetrieval({ ...query, embedding }, passages));
        equal(verdicts.length, passages.length, 'verdicts');
        for (const verdict of verdicts) survivesJson(verdict, `the verdict on ${verdict.passageId}`);
      }
    },
    'refuses vectors of different length': async () => {
      if (!create().needs.includes('embeddings')) return;
      const passages = [
        { text: 'one', embedding: Float32Array.of(1, 2) },
        { text: 'two', embedding: Float32Array.of(1, 2, 3) },
      ];
      await refuses(run(createRetrieval({ text: 'q', embedding: Float32Array.of(1, 2) }, passages)), 'SHAPE_MISMATCH');
    },
    'refuses a repeated id': () =>
      refuses(
        run(
          createRetrieval('q', [
            { id: 'same', text: 'one thing' },
            { id: 'same', text: 'another thing' },
          ]),
        ),
        'DUPLICATE_ID',
      ),
    'stops when the signal has fired': () => refuses(run(createRetrieval('q', ['one', 'two']), { signal: AbortSignal.abort() }), 'ABORTED'),
  };
  for (const property of PROPERTIES) {
    const reason = skip[property];
    if (reason === undefined) suite.test(property, checks[property]);
    else suite.skipTest?.(`${property} (${reason})`);
  }
}

const WORDS =
  'bridge tunnel opened closed river year city engineer stone steel harbour 1961 1974 toll traffic first second north south museum'.split(
    ' ',
  );

function sample(random: Random, count: number): Retrieval {
  const words = (length: number): string => Array.from({ length }, () => WORDS[random.integer(WORDS.length)]!).join(' ');
  const vector = (): Float32Array => Float32Array.from({ length: 8 }, () => random.next() * 2 - 0.5);
  const embedded = random.next() < 0.5;
  return createRetrieval(
    { text: `${words(6)}?`, ...(embedded ? { embedding: vector() } : {}) },
    Array.from({ length: count }, (_, index) => ({
      id: `p${index}`,
      text: `${words(5 + random.integer(20))} ${index}`,
      ...(random.next() < 0.3 ? { title: words(3) } : {}),
      metadata: { tags: [words(1)] },
      ...(embedded ? { embedding: vector() } : {}),
    })),
  );
}

/** Sizes around the borders of the mechanisms: pairs, exact two-means (16), pools of ten. */
async function onSamples(seed: number, check: (retrieval: Retrieval) => Promise<void>): Promise<void> {
  const random = createRandom(seed);
  for (const count of [0, 1, 2, 3, 5, 8, 10, 10, 17, 24]) await check(sample(random, count));
}

const timeless = ({ ms: _ms, ...result }: StageResult): unknown => ({
  ...result,
  passages: result.passages.map(({ id, text, title }) => [id, text, title]),
});

const snapshot = (retrieval: Retrieval): string =>
  JSON.stringify(retrieval, (_, value: unknown) => (value instanceof Float32Array ? [...value] : value));

function hostile(query: string): Retrieval {
  return createRetrieval(
    query,
    HOSTILE_TEXTS.map((text, index) => ({
      id: index % 2 ? text.slice(0, 40) + index : `h${index}`,
      text,
      title: HOSTILE_TEXTS[(index + 3) % HOSTILE_TEXTS.length]!,
    })),
  );
}

/** JSON.stringify drops undefined and makes null of NaN without a word, so the values themselves are looked at. */
function survivesJson(value: unknown, what: string): void {
  if (typeof value === 'object' && value !== null) {
    const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    verify(plain, `${what} has a value that is neither a list nor a plain object`);
    for (const [key, entry] of Object.entries(value)) survivesJson(entry, `${key} of ${what}`);
    return;
  }
  const survives = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  verify(survives, `${what} is ${String(value)}`);
}

function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 400)}, expected ${b?.slice(0, 400)}`);
}

function verify(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function refuses(running: Promise<unknown>, code: string): Promise<void> {
  const outcome = await running.then(
    () => 'a result',
    (error: unknown) => (BezoarError.is(error) ? error.code : `another error: ${String(error)}`),
  );
  if (outcome !== code) throw new Error(`expected the refusal ${code}, got ${outcome}`);
}
