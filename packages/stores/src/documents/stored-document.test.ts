import { createHash } from 'node:crypto';
import type { StoredPassage, StoreShape } from '@bezoar/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentFilter, documentKey, toDocument, toPassage, vectorFields, vectorFromText, vectorToText } from './stored-document.ts';

const SHAPE: StoreShape = { vectors: { passage: 2, 'fragment-0': 2 }, similarity: 'cosine' };
const hostile = fc.string({ unit: 'binary' });
const passage: fc.Arbitrary<StoredPassage> = fc.record({
  id: hostile,
  text: hostile,
  title: hostile,
  source: hostile,
  metadata: fc.dictionary(hostile, fc.oneof(hostile, fc.integer(), fc.constant(null))),
  contentHash: hostile,
  addedAt: hostile,
  runId: hostile,
  status: fc.constantFrom('searchable' as const, 'quarantined' as const),
  findings: fc.constant([]),
});

describe('a record as other stores keep it', () => {
  test('comes back to the letter', () => {
    fc.assert(
      fc.property(passage, (given) => {
        const { passage: kept, status, text } = toDocument({ passage: given, vectors: {} }, SHAPE);
        expect(toPassage(kept, status)).toEqual(JSON.parse(JSON.stringify(given)));
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  test('has keys and tags of letters and digits only, that find it', () => {
    fc.assert(
      fc.property(passage, (given) => {
        const { key, tags } = toDocument({ passage: given, vectors: {} }, SHAPE);
        expect([key, ...tags].filter((each) => !/^[mrs]?[0-9a-f]{32}$/.test(each))).toEqual([]);
        const { all, any } = documentFilter({ runId: given.runId, sources: [given.source!], metadata: given.metadata! });
        expect([...all, ...any!].filter((tag) => !tags.includes(tag))).toEqual([]);
      }),
    );
  });

  test('has the key that SHA-256 gives', () => {
    expect(documentKey('a')).toBe(createHash('sha256').update('"a"').digest('hex').slice(0, 32));
    // In UTF-8 the three are one.
    expect(new Set(['\ud800', '\udfff', '\ufffd'].map(documentKey)).size).toBe(3);
  });

  test('tells metadata apart by value and not by the order of keys', () => {
    const tagOf = (metadata: StoredPassage['metadata']): string[] => [...documentFilter({ metadata: metadata! }).all];
    expect(tagOf({ a: { b: 1, c: [2] } })).toEqual(tagOf({ a: { c: [2], b: 1 } }));
    const different = [{ a: 1 }, { a: '1' }, { a: null }, { a: [1] }, { a: { 0: 1 } }, { b: 1 }, { a: '' }];
    expect(new Set(different.flatMap(tagOf)).size).toBe(different.length);
  });

  test('marks zero vectors', () => {
    const given = fc.sample(passage, 1)[0]!;
    const zeros = { passage: Float32Array.of(0, -0), 'fragment-0': Float32Array.of(0, 1) };
    expect(toDocument({ passage: given, vectors: zeros }, SHAPE).tags.filter((tag) => tag.startsWith('z'))).toEqual(['zv1']);
  });
});

describe('the parts of a record', () => {
  test('names vectors by their place among the sorted names', () => {
    expect([...vectorFields(SHAPE)]).toEqual([
      ['fragment-0', 'v0'],
      ['passage', 'v1'],
    ]);
  });

  test('asks for the searchable unless told otherwise', () => {
    expect(documentFilter()).toEqual({ status: 'searchable', all: [], any: null });
    expect(documentFilter({ status: 'any', sources: [] })).toEqual({ status: null, all: [], any: [] });
    expect(documentFilter({ status: 'quarantined' }).status).toBe('quarantined');
  });

  test('keeps the bits of a vector', () => {
    fc.assert(
      fc.property(fc.float32Array(), (vector) => {
        expect(new Uint8Array(vectorFromText(vectorToText(vector)).buffer)).toEqual(new Uint8Array(vector.slice().buffer));
      }),
    );
    const part = Float32Array.of(1, 2, 3, 4).subarray(1, 3);
    expect(vectorFromText(vectorToText(part))).toEqual(Float32Array.of(2, 3));
  });
});
