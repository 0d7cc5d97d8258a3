import { describe, expect, it, vi } from 'vitest';
import { BezoarError } from '../errors.ts';
import { toyCrossEncoder, toyEncoder, toyLikelihood } from '../testing/toy-models.ts';
import type { Defense, Need, Retrieval, StageResult } from '../types.ts';
import { createRetrieval, type PassageInput } from './create-retrieval.ts';
import {
  type DefenseDefinition,
  defineDefense,
  type Judgement,
  MAX_PASSAGES,
  type StageInput,
  type StageOutcome,
} from './define-defense.ts';
import { option } from './options.ts';
import { parseSpec } from './parse-spec.ts';
import type { Encoder } from './ports.ts';
import { createRunContext, type RunSettings } from './run-context.ts';

const keep: Judgement = { action: 'keep', score: null, suspicion: 0, reason: 'kept' };
const drop: Judgement = { action: 'drop', score: null, suspicion: 1, reason: 'bad' };

type Inside = Partial<Omit<DefenseDefinition<Record<never, never>>, 'needs'>> & { readonly needs?: readonly Need[] };

/** A defense that keeps everything unless told otherwise, and what its inside was given. */
function toy({ needs = [], ...inside }: Inside = {}) {
  const seen: StageInput[] = [];
  const run = inside.run ?? (({ passages }: StageInput): StageOutcome => ({ judgements: passages.map(() => keep) }));
  const create = defineDefense({
    name: 'toy',
    summary: 'For tests.',
    kind: 'filter',
    source: null,
    setLevel: false,
    options: {},
    reasons: { bad: { meaning: 'bad' } },
    ...inside,
    needs: () => needs,
    run: (input, options, context) => {
      seen.push(input);
      return run(input, options, context);
    },
  });
  return { create, seen };
}

const judge = (defense: Defense, passages: readonly PassageInput[], settings: RunSettings = {}, query: Partial<Retrieval['query']> = {}) =>
  defense.run(createRetrieval({ text: 'who?', ...query }, passages), createRunContext(settings));

const ids = ({ passages }: StageResult): string[] => passages.map(({ id }) => id);
const decisions = ({ verdicts }: StageResult): unknown[] => verdicts.map(({ action, reason }) => `${action} ${reason}`);

const counting = (): Encoder & { readonly encode: ReturnType<typeof vi.fn> } => {
  const encoder = toyEncoder();
  return { ...encoder, encode: vi.fn(encoder.encode) };
};

const code = async (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'no error',
    (error) => (BezoarError.is(error) ? `${error.code}: ${error.message}` : String(error)),
  );

describe('what the inside is given', () => {
  it('is frozen, and the caller keeps unfrozen, unchanged records', async () => {
    const retrieval = createRetrieval({ text: 'who?', embedding: Float32Array.of(1, 0) }, [
      { text: 'one', title: 't', metadata: { tags: ['x'] }, embedding: Float32Array.of(1, 0) },
      { text: 'two', embedding: Float32Array.of(0, 1) },
    ]);
    const before = structuredClone(retrieval);
    const { create, seen } = toy({ needs: ['embeddings'], setLevel: true });
    const result = await create().run(retrieval, createRunContext());
    const [input] = seen;
    for (const value of [input, input!.query, input!.passages, ...input!.passages, input!.texts, input!.embeddings]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    expect(retrieval).toEqual(before);
    for (const value of [retrieval, retrieval.query, retrieval.passages, ...retrieval.passages, retrieval.passages[0]!.metadata]) {
      expect(Object.isFrozen(value)).toBe(false);
    }
    for (const value of [...result.passages, ...result.verdicts]) expect(Object.isFrozen(value)).toBe(true);
  });

  it.each<[string, (input: StageInput) => void]>([
    ['a text', ({ passages }) => void Object.assign(passages[0]!, { text: 'changed' })],
    ['the query', ({ query }) => void Object.assign(query, { text: 'changed' })],
    ['the list of passages', ({ passages }) => void (passages as unknown as unknown[]).pop()],
    ['the list of texts', ({ texts }) => void (texts as string[]).reverse()],
    ['the list of embeddings', ({ embeddings }) => void (embeddings as Float32Array[]).push(Float32Array.of(1))],
  ])('throws at an author who changes %s', async (_, change) => {
    const { create } = toy({
      needs: ['embeddings'],
      run: (input) => {
        change(input);
        return { judgements: input.passages.map(() => keep) };
      },
    });
    await expect(judge(create(), ['one', 'two'], { encoder: toyEncoder() })).rejects.toThrow(TypeError);
  });

  it('has the texts with their titles, as the policy or the option says', async () => {
    const { create, seen } = toy();
    const passages = [{ title: 't', text: 'one' }, 'two'];
    await judge(create(), passages);
    await judge(create(), passages, { passageText: 'text' });
    await judge(create({ passageText: 'title-and-text' }), passages, { passageText: 'text' });
    await judge(create({ passageText: 'text' }), passages);
    expect(seen.map(({ texts }) => texts[0])).toEqual(['t\none', 'one', 't\none', 'one']);
  });

  it('has the question as it was asked', async () => {
    const { create, seen } = toy();
    await judge(create(), ['one'], {}, { id: 'q7' });
    expect(seen[0]!.query).toEqual({ id: 'q7', text: 'who?' });
  });

  it("has the policy's keep unless the reranker has its own", async () => {
    const { create, seen } = toy({ kind: 'rerank' });
    await judge(create(), ['one'], { keep: 7 });
    await judge(create({ keep: 2 }), ['one'], { keep: 7 });
    expect(seen.map((input) => input.keep)).toEqual([7, 2]);
  });
});

describe('passages without text', () => {
  it('are dropped with their reason and neither shown, compared nor encoded', async () => {
    const encoder = counting();
    const { create, seen } = toy({ needs: ['embeddings'], setLevel: true });
    const result = await judge(create(), ['', 'one', ' \n\t\u00a0', { text: '', title: 'only a title' }], { encoder });
    expect(decisions(result)).toEqual(['drop empty-text', 'keep kept', 'drop empty-text', 'drop empty-text']);
    expect(result.verdicts[0]).toEqual({
      passageId: 'p1',
      action: 'drop',
      rankBefore: 1,
      rankAfter: null,
      score: null,
      suspicion: 0,
      reason: 'empty-text',
    });
    expect(seen[0]!.texts).toEqual(['one']);
    expect(encoder.encode.mock.calls.map(([texts]) => texts)).toEqual([['one'], ['who?']]);
  });
});

it('takes a title of null, which plain JavaScript may give, as none', async () => {
  const { create, seen } = toy();
  await judge(create(), [{ text: 'one', title: null as unknown as string }]);
  expect(seen[0]!.texts).toEqual(['one']);
});

describe('exact duplicates', () => {
  const copies: readonly PassageInput[] = [
    'The bridge is open.',
    { id: 'spaces', text: '  The\tbridge \u00a0is\n\nopen. ' },
    { id: 'wide', text: 'Ｔｈｅ bridge is open.' },
    { id: 'case', text: 'the bridge is open.' },
    { id: 'titled', title: 'Bridge', text: 'The bridge is open.' },
    { id: 'again', text: 'The bridge is open.' },
  ];

  it('are dropped before a set-level mechanism judges: NFKC and white space aside, case and title kept', async () => {
    const { create, seen } = toy({ setLevel: true });
    const result = await judge(create(), copies);
    expect(decisions(result)).toEqual(['keep kept', 'drop duplicate', 'drop duplicate', 'keep kept', 'keep kept', 'drop duplicate']);
    expect(seen[0]!.passages.map(({ id }) => id)).toEqual(['p1', 'case', 'titled']);
    expect(result.verdicts[1]).toMatchObject({ suspicion: 0, score: null, rankAfter: null, evidence: { sameAs: 'p1' } });
    expect(result.verdicts[5]!.evidence).toEqual({ sameAs: 'p1' });
  });

  it('count as the text that is judged', async () => {
    const { create } = toy({ setLevel: true });
    expect(ids(await judge(create({ passageText: 'text' }), copies))).toEqual(['p1', 'case']);
  });

  it('stay with collapseDuplicates off, and where passages are judged one by one', async () => {
    expect(ids(await judge(toy({ setLevel: true }).create({ collapseDuplicates: false }), copies))).toHaveLength(6);
    expect(ids(await judge(toy().create(), copies))).toHaveLength(6);
    expect(() => toy().create({ collapseDuplicates: false })).toThrow('unknown option');
  });

  it('do not include passages without text', async () => {
    expect(decisions(await judge(toy({ setLevel: true }).create(), ['', '']))).toEqual(['drop empty-text', 'drop empty-text']);
  });
});

describe('embeddings', () => {
  const needy = (inside: Inside = {}) => toy({ needs: ['embeddings', 'query-embedding'], ...inside });

  it('are made for every distinct text and the query when no passage has one, each text once', async () => {
    const encoder = counting();
    const { create, seen } = needy();
    const context = createRunContext({ encoder });
    const retrieval = createRetrieval('who?', ['one', { title: 't', text: 'two' }, { id: 'copy', text: 'one' }]);
    await create().run(retrieval, context);
    await create().run(retrieval, context);
    expect(encoder.encode.mock.calls).toEqual([
      [['one', 't\ntwo'], { role: 'passage' }],
      [['who?'], { role: 'query' }],
    ]);
    expect(seen[0]!.embeddings).toHaveLength(3);
    expect(seen[0]!.embeddings[2]).toBe(seen[0]!.embeddings[0]);
    expect(seen[0]!.queryEmbedding).toHaveLength(32);
    expect(seen[0]!.encoder).toBe(encoder);
  });

  it("replace the query's own when they are made, so that both are of one space", async () => {
    const { create, seen } = needy();
    await judge(create(), ['one'], { encoder: toyEncoder() }, { embedding: Float32Array.of(1, 2, 3) });
    expect(seen[0]!.queryEmbedding).toHaveLength(32);
  });

  it('are taken as given, without asking the encoder', async () => {
    const encoder = counting();
    const { create, seen } = needy();
    const [a, b, q] = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(1, 1)];
    const passages = [
      { text: 'one', embedding: a },
      { text: 'two', embedding: b },
    ];
    await judge(create(), passages, { encoder }, { embedding: q });
    expect(seen[0]!.embeddings).toEqual([a, b]);
    expect(seen[0]!.queryEmbedding).toEqual(q);
    expect(encoder.encode).not.toHaveBeenCalled();
  });

  it('of the query are asked of the encoder only by a mechanism that needs them', async () => {
    const encoder = counting();
    const passages = [{ text: 'one', embedding: new Float32Array(32).fill(1) }];
    const without = toy({ needs: ['embeddings'] });
    await judge(without.create(), passages, { encoder });
    expect(without.seen[0]!.queryEmbedding).toBeNull();
    expect(encoder.encode).not.toHaveBeenCalled();
    const { create, seen } = needy();
    await judge(create(), passages, { encoder });
    expect(encoder.encode.mock.calls).toEqual([[['who?'], { role: 'query' }]]);
    expect(seen[0]!.queryEmbedding).toHaveLength(32);
  });

  it('of the query are made for a mechanism that needs no others', async () => {
    const encoder = counting();
    const { create, seen } = toy({ needs: ['query-embedding'] });
    await judge(create(), ['one'], { encoder });
    await judge(create(), ['one'], { encoder }, { embedding: Float32Array.of(1, 0) });
    expect(encoder.encode.mock.calls).toEqual([[['who?'], { role: 'query' }]]);
    expect(seen.map(({ queryEmbedding }) => queryEmbedding?.length)).toEqual([32, 2]);
    expect(seen[0]!.embeddings).toEqual([]);
  });

  it('of a query without words are not usable, and one without text is not encoded', async () => {
    const encoder = counting();
    const { create, seen } = needy();
    await judge(create(), ['one'], { encoder }, { text: '...' });
    await judge(create(), ['one'], { encoder }, { text: ' \n' });
    expect(seen.map(({ queryEmbedding }) => queryEmbedding)).toEqual([null, null]);
    expect(encoder.encode.mock.calls.map(([texts]) => texts)).toEqual([['one'], ['...'], ['one']]);
  });

  it('are not made where nothing needs them', async () => {
    const encoder = counting();
    const { create, seen } = toy();
    await judge(create(), ['one'], { encoder });
    expect(encoder.encode).not.toHaveBeenCalled();
    expect(seen[0]).toMatchObject({ embeddings: [], queryEmbedding: null });
  });

  it('that only some passages have leave the others unscorable', async () => {
    const encoder = counting();
    const { create, seen } = toy({ needs: ['embeddings'] });
    const result = await judge(create(), ['one', { text: 'two', embedding: Float32Array.of(1, 0) }, 'three'], { encoder });
    expect(decisions(result)).toEqual(['drop unscorable', 'keep kept', 'drop unscorable']);
    expect(result.verdicts[0]!.evidence).toEqual({ embedding: 'missing' });
    expect(seen[0]!.texts).toEqual(['two']);
    expect(encoder.encode).not.toHaveBeenCalled();
  });

  it.each<[string, number[], string | null]>([
    ['NaN', [1, Number.NaN], 'not finite'],
    ['infinite', [Number.NEGATIVE_INFINITY, 1], 'not finite'],
    ['zero', [0, -0], 'zero'],
    ['next to zero', [9e-13, 0], 'zero'],
    ['very small', [2e-12, 0], null],
    ['very large', [3e38, 3e38], null],
  ])('that are %s', async (_, vector, fault) => {
    const { create } = toy({ needs: ['embeddings'] });
    const passages = [
      { text: 'one', embedding: Float32Array.from(vector) },
      { text: 'two', embedding: Float32Array.of(1, 0) },
    ];
    const { verdicts } = await judge(create(), passages);
    expect(verdicts[0]).toMatchObject(
      fault === null ? { reason: 'kept' } : { action: 'drop', reason: 'unscorable', evidence: { embedding: fault } },
    );
    expect(verdicts[1]!.reason).toBe('kept');
  });

  it('without numbers are missing', async () => {
    const passages = [
      { text: 'one', embedding: new Float32Array() },
      { text: 'two', embedding: Float32Array.of(1) },
    ];
    expect((await judge(toy({ needs: ['embeddings'] }).create(), passages)).verdicts[0]!.evidence).toEqual({ embedding: 'missing' });
  });

  it('of the query that are not usable are null', async () => {
    for (const vector of [
      [0, 0],
      [Number.NaN, 1],
    ]) {
      const { create, seen } = needy();
      await judge(create(), [{ text: 'one', embedding: Float32Array.of(1, 0) }], {}, { embedding: Float32Array.from(vector) });
      expect(seen[0]!.queryEmbedding).toBeNull();
    }
    const { create, seen } = needy();
    await judge(create(), ['one'], { encoder: toyEncoder() }, { text: ' ' });
    expect(seen[0]!.queryEmbedding).toBeNull();
  });

  it('that a mechanism needs and nobody gives or makes are an error that says what to do', async () => {
    const message =
      'NEEDS_EMBEDDINGS: toy needs embeddings and the passages have none; give every passage and the query an embedding, or pass an encoder';
    expect(await code(judge(needy().create(), ['one']))).toBe(message);
    const passages = [{ text: 'one', embedding: Float32Array.of(1) }];
    expect(await code(judge(needy().create(), passages))).toMatch(/^NEEDS_EMBEDDINGS: toy needs embeddings and the query has none/);
    expect(await code(judge(toy({ needs: ['embeddings'] }).create(), passages))).toBe('no error');
  });

  it('are asked of nobody when there is no passage to judge', async () => {
    const encoder = counting();
    for (const passages of [[], ['', ' ']]) {
      expect(await judge(needy().create(), passages)).toMatchObject({ passages: [] });
      await judge(needy().create(), passages, { encoder });
    }
    expect(encoder.encode).not.toHaveBeenCalled();
  });

  it('of different length are refused, naming the passage', async () => {
    const passages = [
      { text: 'one', embedding: Float32Array.of(1, 0) },
      { id: 'odd one', text: 'two', embedding: Float32Array.of(1, 0, 0) },
    ];
    const running = judge(toy({ needs: ['embeddings'] }).create(), passages);
    await expect(running).rejects.toMatchObject({
      code: 'SHAPE_MISMATCH',
      message: 'passage "odd one": its embedding has 3 numbers, the others have 2; encode all with one encoder',
      details: { field: 'passages[1].embedding', expected: 2, received: 3 },
    });
    expect(await code(judge(toy().create(), passages))).toBe('no error');
  });

  it('of the query and the passages must be of one length', async () => {
    const passages = [{ text: 'one', embedding: Float32Array.of(1, 0) }];
    const running = judge(needy().create(), passages, {}, { embedding: Float32Array.of(1, 0, 0) });
    await expect(running).rejects.toMatchObject({ code: 'SHAPE_MISMATCH', details: { field: 'query.embedding' } });
    expect(await code(judge(needy().create(), passages, { encoder: toyEncoder() }))).toMatch(
      /^SHAPE_MISMATCH: the query's embedding has 32/,
    );
  });

  it("that came with the passages are not taken for the context encoder's when their length differs", async () => {
    const { create, seen } = toy({ needs: ['embeddings'] });
    const encoder = toyEncoder(2);
    await judge(create(), [{ text: 'one', embedding: Float32Array.of(1, 0, 0) }], { encoder });
    await judge(create(), [{ text: 'one', embedding: Float32Array.of(1, 0) }], { encoder });
    await judge(create(), ['one'], { encoder });
    expect(seen.map((input) => input.encoder)).toEqual([null, encoder, encoder]);
  });

  it('are made anew by an encoder that an option names', async () => {
    const mine = { ...counting(), name: 'onnx:DIR' };
    const { create, seen } = needy({ encoder: () => 'onnx:DIR' });
    const passages = [{ text: 'one', embedding: Float32Array.of(1, 0) }, 'two'];
    const resolveEncoder = vi.fn(async () => mine);
    await judge(create(), passages, { resolveEncoder }, { embedding: Float32Array.of(1, 0) });
    expect(resolveEncoder.mock.calls).toEqual([['onnx:DIR']]);
    expect(mine.encode.mock.calls.map(([texts]) => texts)).toEqual([['one', 'two'], ['who?']]);
    expect(seen[0]!.queryEmbedding).toHaveLength(32);
    await judge(create(), passages, { encoder: mine });
    expect(seen[1]!.embeddings).toHaveLength(2);
    expect(await code(judge(create(), passages, { encoder: toyEncoder() }))).toMatch(/^NEEDS_EMBEDDINGS: toy names the encoder "onnx:DIR"/);
  });
});

describe('unscorable kept last', () => {
  const broken = { text: 'broken', embedding: Float32Array.of(0, 0) };
  const fine = (text: string) => ({ text, embedding: Float32Array.of(1, 0) });

  it('go on after all others, in their order', async () => {
    const { create } = toy({ needs: ['embeddings'], run: ({ passages }) => ({ judgements: passages.map(() => keep), order: [1, 0] }) });
    const passages = [broken, fine('one'), { ...broken, text: 'another' }, fine('two'), { text: '', embedding: Float32Array.of(0, 0) }];
    const result = await judge(create(), passages, { unscorable: 'keep-last' });
    expect(ids(result)).toEqual(['p4', 'p2', 'p1', 'p3']);
    expect(result.passages.map(({ rank }) => rank)).toEqual([1, 2, 3, 4]);
    expect(decisions(result)).toEqual(['keep unscorable', 'keep kept', 'keep unscorable', 'keep kept', 'drop empty-text']);
    expect(result.verdicts.map(({ rankAfter }) => rankAfter)).toEqual([3, 2, 4, 1, null]);
  });

  it('all go on after a filter, which has no number of places', async () => {
    const result = await judge(toy({ needs: ['embeddings'] }).create(), [broken, fine('one'), { ...broken, text: 'another' }], {
      unscorable: 'keep-last',
      keep: 1,
    });
    expect(ids(result)).toEqual(['p2', 'p1', 'p3']);
  });

  it('take only places that a reranker has left', async () => {
    const run = ({ passages }: StageInput): StageOutcome => ({ judgements: passages.map(() => keep) });
    const { create } = toy({ kind: 'rerank', needs: ['embeddings'], run });
    const passages = [broken, fine('one'), { ...broken, text: 'another' }];
    const result = await judge(create({ keep: 2 }), passages, { unscorable: 'keep-last' });
    expect(ids(result)).toEqual(['p2', 'p1']);
    expect(decisions(result)).toEqual(['keep unscorable', 'keep kept', 'drop unscorable']);
    expect(decisions(await judge(create({ keep: 2 }), passages))).toEqual(['drop unscorable', 'keep kept', 'drop unscorable']);
  });
});

describe('what the inside must give back', () => {
  const returning = (outcome: unknown) => judge(toy({ run: () => outcome as StageOutcome }).create(), ['one', 'two', 'three']);

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'judged 0 of 3 passages'],
    ['no judgements', {}, 'judged 0 of 3 passages'],
    ['a judgement too few', { judgements: [keep, keep] }, 'judged 2 of 3 passages'],
    ['a judgement too many', { judgements: [keep, keep, keep, keep] }, 'judged 4 of 3 passages'],
    ['a gap', { judgements: [keep, undefined, keep] }, 'judged 2 of 3 passages'],
    ['a list with a hole', { judgements: Object.assign(new Array(3), { 0: keep, 2: keep }) }, 'judged 2 of 3 passages'],
    ['an invented passage', { judgements: [keep, keep, keep], order: [0, 1, 2, 3] }, 'ordered a passage 3 that it was not given'],
    ['a passage before the first', { judgements: [keep, keep, keep], order: [0, 1, 2, -1] }, 'ordered a passage -1 that it was not given'],
    ['a passage twice', { judgements: [keep, keep, drop], order: [0, 1, 1] }, 'put a passage in its order twice'],
    ['a kept passage left out', { judgements: [keep, keep, keep], order: [0, 1] }, 'says keep of a passage and orders otherwise'],
    ['a dropped passage ordered', { judgements: [keep, keep, drop], order: [0, 1, 2] }, 'says drop of a passage and orders otherwise'],
    ['a rewritten one left out', { judgements: [keep, keep, { ...keep, action: 'rewrite' }], order: [0, 1] }, 'says rewrite of a passage'],
    [
      'an unknown action',
      { judgements: [keep, keep, { ...keep, action: 'remove' }] },
      'says "remove" of a passage, expected keep, drop, rewrite',
    ],
    ['a suspicion of NaN', { judgements: [keep, keep, { ...keep, suspicion: Number.NaN }] }, 'gave a suspicion of NaN, expected 0 to 1'],
    ['a suspicion over 1', { judgements: [keep, keep, { ...keep, suspicion: 1.01 }] }, 'gave a suspicion of 1.01, expected 0 to 1'],
    ['a suspicion under 0', { judgements: [keep, keep, { ...keep, suspicion: -0.01 }] }, 'gave a suspicion of -0.01, expected 0 to 1'],
    [
      'a score of NaN',
      { judgements: [keep, keep, { ...keep, score: Number.NaN }] },
      'gave a score of NaN, expected a finite number or null',
    ],
    ['an infinite score', { judgements: [keep, keep, { ...keep, score: Infinity }] }, 'gave a score of Infinity'],
    ['no score', { judgements: [keep, keep, { ...keep, score: undefined }] }, 'gave a score of undefined'],
  ])('is not %s', async (_, outcome, message) => {
    expect(await code(returning(outcome))).toContain(`STAGE_BROKE_CONTRACT: toy ${message}`);
  });

  it('becomes exactly one verdict a passage, in input order, whatever the order of what goes on', async () => {
    const scored = (score: number): Judgement => ({ ...keep, score, suspicion: score / 10, evidence: { score } });
    const result = await returning({ judgements: [scored(1), drop, scored(3)], order: [2, 0] });
    expect(ids(result)).toEqual(['p3', 'p1']);
    expect(result.verdicts).toEqual([
      { passageId: 'p1', action: 'keep', rankBefore: 1, rankAfter: 2, score: 1, suspicion: 0.1, reason: 'kept', evidence: { score: 1 } },
      { passageId: 'p2', action: 'drop', rankBefore: 2, rankAfter: null, score: null, suspicion: 1, reason: 'bad' },
      { passageId: 'p3', action: 'keep', rankBefore: 3, rankAfter: 1, score: 3, suspicion: 0.3, reason: 'kept', evidence: { score: 3 } },
    ]);
    expect(result.certificate).toBeNull();
  });

  it('keeps the order of input where it names none', async () => {
    const result = await returning({ judgements: [keep, drop, keep] });
    expect(result.passages).toEqual([
      { id: 'p1', text: 'one', rank: 1 },
      { id: 'p3', text: 'three', rank: 2 },
    ]);
  });

  it('changes text and title only with the action rewrite', async () => {
    const { create } = toy({
      kind: 'rewrite',
      run: () => ({
        judgements: [
          { ...keep, action: 'rewrite', text: 'new' },
          { ...keep, action: 'rewrite', text: 'new', title: 'new title' },
          { ...keep, text: 'new', title: 'new title' },
          { ...keep, action: 'rewrite' },
        ],
      }),
    });
    const { passages } = await judge(
      create(),
      [1, 2, 3, 4].map((n) => ({ text: `text ${n}`, title: `title ${n}`, source: 's' })),
    );
    expect(passages.map(({ text, title, source }) => [text, title, source])).toEqual([
      ['new', 'title 1', 's'],
      ['new', 'new title', 's'],
      ['text 3', 'title 3', 's'],
      ['text 4', 'title 4', 's'],
    ]);
  });

  it('may be a promise, and carries a certificate through', async () => {
    const certificate = { mechanism: 'toy', corruption: 1, holds: true, reason: null, radius: 0.1, pad: 0.2, padTight: null };
    const result = await returning(Promise.resolve({ judgements: [keep, keep, keep], certificate }));
    expect(result.certificate).toEqual(certificate);
  });
});

describe('time', () => {
  it("is the mechanism's alone: neither encoding nor sealing", async () => {
    let time = 100;
    const encoder: Encoder = {
      ...toyEncoder(),
      encode: async (texts, options) => {
        time += 50;
        return toyEncoder().encode(texts, options);
      },
    };
    const { create } = toy({
      needs: ['embeddings'],
      run: async ({ passages }) => {
        time += 0.125;
        await Promise.resolve();
        time += 2;
        return { judgements: passages.map(() => keep) };
      },
    });
    expect((await judge(create(), ['one'], { encoder, now: () => time })).ms).toBe(2.125);
  });
});

describe('what the encoder cut', () => {
  it('is said in the evidence of the passage, and of no other', async () => {
    const encoder: Encoder = {
      ...toyEncoder(),
      encode: async (texts, options) => ({
        ...(await toyEncoder().encode(texts, options)),
        truncated: texts.map((text) => text.length > 10),
      }),
    };
    const { verdicts } = await judge(toy({ needs: ['embeddings'] }).create(), ['a short one', 'short'], { encoder });
    expect(verdicts.map(({ evidence }) => evidence?.truncated)).toEqual([true, undefined]);
  });
});

describe('what is too long', () => {
  it('sets aside a passage of too many characters, title included, and judges the others', async () => {
    const result = await judge(toy().create(), [
      { text: 'x'.repeat(49_990), title: 'twelve chars' },
      'two',
      { text: 'x'.repeat(49_990), title: 'ten chars.' },
    ]);
    expect(decisions(result)).toEqual(['drop too-long', 'keep kept', 'keep kept']);
    expect(result.verdicts[0]!.evidence).toEqual({ characters: 50_002 });
  });

  it('refuses a question or an id of too many characters', async () => {
    const question = createRetrieval('x'.repeat(50_001), ['one']);
    await expect(toy().create().run(question, createRunContext())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      details: { field: 'query.text' },
    });
    const id = createRetrieval('q', [{ id: 'x'.repeat(1001), text: 'one' }]);
    await expect(toy().create().run(id, createRunContext())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      details: { field: 'passages[0].id' },
    });
  });
});

describe('refusals', () => {
  it.each<[string, string]>([
    ['same', '"same"'],
    ['__proto__', '"__proto__"'],
    ['', '""'],
    ['x'.repeat(900), `"${'x'.repeat(80)}"`],
  ])('of a repeated id %#', async (id, shown) => {
    const running = judge(toy().create(), [
      { id, text: 'one' },
      { id: 'other', text: 'two' },
      { id, text: 'three' },
    ]);
    expect(await code(running)).toBe(`DUPLICATE_ID: two passages of one retrieval have the id ${shown}; ids must be unique`);
  });

  it('does not take members of every object for repeated ids', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const result = await judge(
      toy({ setLevel: true }).create(),
      names.map((id) => ({ id, text: id })),
    );
    expect(ids(result)).toEqual(names);
  });

  it.each<[string, unknown, string]>([
    ['a text', { id: 'p', text: null }, 'BAD_INPUT: passages[0].text is null, expected text'],
    ['a text', { id: 'p' }, 'BAD_INPUT: passages[0].text is missing, expected text'],
    ['an id', { id: 7, text: 'one' }, 'BAD_INPUT: passages[0].id is 7, expected text'],
  ])('of what is not %s', async (_, passage, message) => {
    expect(await code(judge(toy().create(), [passage as PassageInput]))).toBe(message);
  });

  it('of a query that is not text', async () => {
    expect(await code(judge(toy().create(), [], {}, { text: undefined as unknown as string }))).toBe(
      'BAD_INPUT: query.text is missing, expected text',
    );
  });

  it('of more passages than are judged together', async () => {
    const passages = Array.from({ length: MAX_PASSAGES + 1 }, (_, index) => `text ${index}`);
    expect(await code(judge(toy().create(), passages))).toBe('TOO_LARGE: a retrieval of 1001 passages; at most 1000 are judged together');
    expect(ids(await judge(toy().create(), passages.slice(1)))).toHaveLength(MAX_PASSAGES);
  });

  it('of a run without the model that is needed', async () => {
    const [cross, likelihood] = [toy({ needs: ['cross-encoder'] }), toy({ needs: ['likelihood'] })];
    expect(await code(judge(cross.create(), ['one']))).toMatch(/^NEEDS_CROSS_ENCODER: toy needs a cross-encoder/);
    expect(await code(judge(likelihood.create(), ['one']))).toMatch(/^NEEDS_LIKELIHOOD: toy needs a likelihood model/);
    expect(await code(judge(cross.create(), ['one'], { crossEncoder: toyCrossEncoder() }))).toBe('no error');
    expect(await code(judge(likelihood.create(), ['one'], { likelihood: toyLikelihood() }))).toBe('no error');
  });
});

describe('abort', () => {
  it('before the run keeps the inside from running', async () => {
    const { create, seen } = toy();
    expect(await code(judge(create(), ['one'], { signal: AbortSignal.abort() }))).toBe('ABORTED: the caller aborted the run');
    expect(seen).toEqual([]);
  });

  it('while texts are encoded stops after that one call', async () => {
    const aborter = new AbortController();
    const encoder = counting();
    encoder.encode.mockImplementation(async (texts: readonly string[], options) => {
      aborter.abort();
      return toyEncoder().encode(texts, options);
    });
    const { create, seen } = toy({ needs: ['embeddings', 'query-embedding'] });
    expect(await code(judge(create(), ['one'], { encoder, signal: aborter.signal }))).toBe('ABORTED: the caller aborted the run');
    expect(encoder.encode).toHaveBeenCalledTimes(1);
    expect(seen).toEqual([]);
  });

  it('while an encoder is made stops before its first call', async () => {
    const aborter = new AbortController();
    const encoder = counting();
    const resolveEncoder = async (): Promise<Encoder> => {
      aborter.abort();
      return encoder;
    };
    const { create } = toy({ needs: ['embeddings'], encoder: () => 'onnx:DIR' });
    expect(await code(judge(create(), ['one'], { resolveEncoder, signal: aborter.signal }))).toBe('ABORTED: the caller aborted the run');
    expect(encoder.encode).not.toHaveBeenCalled();
  });
});

describe('the factory', () => {
  const options = {
    alpha: option.number(0.4, '', { min: 0 }),
    similarity: option.text('bm25', '', 'text'),
    gate: option.flag(true, ''),
  };
  const create = defineDefense({
    name: 'toy',
    summary: 'For tests.',
    kind: 'rerank',
    source: null,
    setLevel: true,
    options,
    reasons: {},
    needs: ({ gate }) => (gate ? ['embeddings'] : []),
    run: ({ passages }) => ({ judgements: passages.map(() => keep) }),
  });

  it('adds the options of the seal', () => {
    expect(Object.keys(create.optionSpecs)).toEqual(['alpha', 'similarity', 'gate', 'keep', 'collapseDuplicates', 'passageText']);
    expect(Object.keys(toy().create.optionSpecs)).toEqual(['passageText']);
    expect(create.definition.name).toBe('toy');
  });

  it('makes a frozen defense whose needs follow its options', () => {
    expect(Object.isFrozen(create())).toBe(true);
    expect([create().needs, create({ gate: false }).needs]).toEqual([['embeddings'], []]);
    expect(create()).toMatchObject({ name: 'toy', kind: 'rerank', source: null, reasons: {} });
  });

  it('refuses options that it does not have', () => {
    expect(() => create({ alpha: -1 })).toThrow('toy: alpha is -1, expected number of at least 0');
    expect(() => create({ aplha: 1 } as object)).toThrow('toy: unknown option "aplha"; did you mean alpha?');
  });

  it('writes the SPEC that makes the same defense again', () => {
    expect(create().spec).toBe('toy');
    expect(create({ alpha: 0.4, gate: true, keep: null }).spec).toBe('toy');
    expect(create({ alpha: 1e-7, gate: false, keep: 3 }).spec).toBe('toy?alpha=1e-7&gate=false&keep=3');
    for (const similarity of ['onnx:/a&b', 'onnx:50%', 'onnx:%26', 'onnx:a,b', 'onnx:a=b?c', 'onnx:你 好']) {
      const { spec } = create({ similarity });
      expect(parseSpec(spec).options).toEqual({ similarity });
      expect(create(parseSpec(spec).options as object).spec).toBe(spec);
      expect(spec).not.toContain(',');
    }
  });
});
