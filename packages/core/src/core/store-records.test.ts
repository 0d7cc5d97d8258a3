import { describe, expect, it } from 'vitest';
import { BezoarError } from '../errors.ts';
import type { StoredPassage, StoreFilter, StoreRecord, StoreShape } from './store-port.ts';
import { checkAborted, checkCount, checkRecords, checkSameShape, checkShape, checkVector, passageMatcher } from './store-records.ts';

const SHAPE: StoreShape = { vectors: { passage: 2, 'fragment-0': 3 }, similarity: 'cosine' };
const passageOf = (more: Partial<StoredPassage> = {}): StoredPassage => ({
  id: 'a',
  text: 't',
  contentHash: 'h',
  addedAt: '2026',
  runId: 'r',
  status: 'searchable',
  findings: [],
  ...more,
});

function refusal(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    return BezoarError.is(error) ? `${error.code} ${error.message}` : String(error);
  }
}

describe('checkShape', () => {
  it('takes named vectors of 1 to 65536 numbers', () => {
    expect(checkShape(SHAPE)).toBe(SHAPE);
    checkShape({ vectors: { a: 1, [`a${'-'.repeat(39)}`]: 65_536 }, similarity: 'dot' });
  });

  it('refuses what is none', () => {
    const of = (vectors: Record<string, number>, similarity = 'dot') =>
      refusal(() => checkShape({ vectors, similarity: similarity as 'dot' }));
    expect(of({})).toBe('INVALID_OPTION a store needs at least one named vector');
    for (const name of ['', 'A', '1', '-', 'a b', 'a"', 'a_b', `a${'-'.repeat(40)}`]) {
      expect(of({ [name]: 2 })).toBe(`INVALID_OPTION a vector's name is lower-case letters, digits and dashes, not "${name}"`);
    }
    for (const length of [0, -1, 1.5, Number.NaN, 65_537]) {
      expect(of({ a: length })).toBe(`INVALID_OPTION the length of vector "a" is a whole number from 1 to 65536, not ${length}`);
    }
    expect(of({ a: 1 }, 'l2')).toBe('INVALID_OPTION similarity is cosine or dot, not l2');
  });
});

describe('checkSameShape', () => {
  const made = { ...SHAPE, encoder: 'e1' };
  it('takes the same vectors in any order, another setting, and no encoder', () => {
    checkSameShape(made, { vectors: { 'fragment-0': 3, passage: 2 }, similarity: 'cosine', settings: { a: 1 } });
    checkSameShape(SHAPE, made);
    checkSameShape(made, made);
  });

  it('says what differs', () => {
    expect(refusal(() => checkSameShape(made, { ...made, vectors: { passage: 2 } }))).toBe(
      'SHAPE_MISMATCH the store was made with vectors fragment-0:3 passage:2, not passage:2; open it for that, or make another store',
    );
    expect(refusal(() => checkSameShape(made, { ...made, similarity: 'dot' }))).toContain('made with similarity cosine, not dot;');
    expect(refusal(() => checkSameShape(made, { ...made, encoder: 'e2' }))).toContain('made with encoder e1, not e2;');
  });
});

describe('checkVector, checkCount, checkAborted', () => {
  it('takes what fits', () => {
    checkVector(SHAPE, 'passage', Float32Array.of(0, 3e38));
    for (const k of [0, 1, 1e9]) checkCount(k);
    checkAborted(undefined);
    checkAborted(new AbortController().signal);
  });

  it('refuses the rest', () => {
    expect(refusal(() => checkVector(SHAPE, 'pasage', Float32Array.of(1, 2)))).toBe(
      'SHAPE_MISMATCH the store has no vector "pasage"; did you mean "passage"?',
    );
    expect(refusal(() => checkVector(SHAPE, '__proto__', Float32Array.of(1, 2)))).toBe(
      'SHAPE_MISMATCH the store has no vector "__proto__"; it has passage, fragment-0',
    );
    expect(refusal(() => checkVector(SHAPE, 'passage', Float32Array.of(1)))).toBe(
      'SHAPE_MISMATCH vector "passage" has 1 numbers, and the store keeps 2; use its encoder',
    );
    expect(refusal(() => checkVector(SHAPE, 'passage', Float32Array.of(1, Number.NaN)))).toBe(
      'BAD_INPUT number 1 of vector "passage" is NaN; it must be finite',
    );
    for (const k of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(refusal(() => checkCount(k))).toBe(`INVALID_OPTION k is a whole number of 0 or more, not ${k}`);
    }
    expect(refusal(() => checkAborted(AbortSignal.abort()))).toBe('ABORTED the caller aborted the work on the store');
  });
});

describe('checkRecords', () => {
  it('keeps the last of an id, where the first stood, and only the documented fields', () => {
    const vectors = { passage: Float32Array.of(1, 2) };
    const extra = { ...passageOf({ id: 'a', text: 'new' }), extra: 1 } as StoredPassage;
    const records = checkRecords(SHAPE, [
      { passage: passageOf(), vectors: {} },
      { passage: passageOf({ id: 'b' }), vectors },
      { passage: extra, vectors },
    ]);
    expect(records).toEqual([
      { passage: passageOf({ text: 'new' }), vectors },
      { passage: passageOf({ id: 'b' }), vectors },
    ]);
    expect(checkRecords(SHAPE, [])).toEqual([]);
  });

  it('copies and freezes, whatever the keys', () => {
    const metadata = JSON.parse('{"__proto__": {"list": [1]}, "lone": "\\ud800"}');
    const [{ passage }] = checkRecords(SHAPE, [{ passage: passageOf({ metadata, findings: [{ a: 1 }] }), vectors: {} }]) as [StoreRecord];
    expect(JSON.stringify(passage.metadata)).toBe(JSON.stringify(metadata));
    expect(passage.metadata).not.toBe(metadata);
    for (const part of [passage, passage.metadata, Object.values(passage.metadata!)[0], passage.findings, passage.findings[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('refuses what is no passage', () => {
    const of = (more: object) => refusal(() => checkRecords(SHAPE, [{ passage: { ...passageOf(), ...more }, vectors: {} }]));
    for (const field of ['text', 'contentHash', 'addedAt', 'runId']) {
      expect(of({ [field]: undefined })).toBe(`BAD_INPUT passage "a" has no ${field}, which is a text`);
    }
    expect(of({ id: 7 })).toBe('BAD_INPUT passage "7" has no id, which is a text');
    expect(of({ title: 7 })).toBe('BAD_INPUT passage "a" has a title that is no text');
    expect(of({ source: null })).toBe('BAD_INPUT passage "a" has a source that is no text');
    expect(of({ status: 'any' })).toBe('BAD_INPUT passage "a" has a status that is neither searchable nor quarantined');
    expect(of({ findings: {} })).toBe('BAD_INPUT passage "a" has findings that are no list');
    for (const metadata of [null, [], 'x']) expect(of({ metadata })).toBe('BAD_INPUT passage "a" has metadata that are no object');
    expect(of({ metadata: { big: 1n } })).toBe('BAD_INPUT passage "a" has metadata or findings that are no JSON');
    const wrong = { passage: passageOf(), vectors: { passage: Float32Array.of(1) } };
    expect(refusal(() => checkRecords(SHAPE, [wrong]))).toContain('SHAPE_MISMATCH');
  });
});

describe('passageMatcher', () => {
  const matches = (filter: StoreFilter | undefined, more: Partial<StoredPassage> = {}): boolean => passageMatcher(filter)(passageOf(more));

  it('speaks of searchable passages unless it says otherwise', () => {
    expect([matches(undefined), matches({}), matches({ status: 'quarantined' }), matches({ status: 'any' })]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const held = { status: 'quarantined' } as const;
    expect([matches({}, held), matches({ status: 'quarantined' }, held), matches({ status: 'any' }, held)]).toEqual([false, true, true]);
  });

  it('asks for all that is given', () => {
    expect([matches({ runId: 'r' }), matches({ runId: 'x' })]).toEqual([true, false]);
    expect([matches({ sources: ['s'] }), matches({ sources: ['s'] }, { source: 's' }), matches({ sources: [] }, { source: 's' })]).toEqual([
      false,
      true,
      false,
    ]);
    expect(matches({ runId: 'x', sources: ['s'] }, { source: 's' })).toBe(false);
  });

  it('compares metadata as JSON', () => {
    const metadata = JSON.parse('{"n": 1, "o": {"a": [1, {"b": null}], "c": "x"}, "z": null, "__proto__": 2}');
    const cases: readonly (readonly [string, boolean])[] = [
      ['{}', true],
      ['{"n": 1}', true],
      ['{"n": "1"}', false],
      ['{"n": 1, "z": null}', true],
      ['{"n": 1, "z": 0}', false],
      ['{"none": null}', false],
      ['{"constructor": 1}', false],
      ['{"__proto__": 2}', true],
      ['{"o": {"c": "x", "a": [1, {"b": null}]}}', true],
      ['{"o": {"c": "x"}}', false],
      ['{"o": {"c": "x", "a": [1, {"b": null}], "d": 1}}', false],
      ['{"o": {"c": "x", "a": [1, {"d": null}]}}', false],
      ['{"o": {"c": "x", "a": {"0": 1, "1": {"b": null}}}}', false],
      ['{"o": null}', false],
      ['{"z": {}}', false],
    ];
    for (const [wanted, expected] of cases)
      expect([wanted, matches({ metadata: JSON.parse(wanted) }, { metadata })]).toEqual([wanted, expected]);
    expect([matches({ metadata: {} }), matches({ metadata: { n: 1 } })]).toEqual([true, false]);
  });
});
