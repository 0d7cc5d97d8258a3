import { BezoarError } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { readRetrieval } from './read-retrieval.ts';

const at = 'in.jsonl line 3';
const query = { id: 'q', text: 'who?' };
const passage = { id: 'a', text: 'one' };

function messageOf(value: unknown): string {
  try {
    readRetrieval({ value, at });
  } catch (error) {
    if (BezoarError.is(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('was read');
}

describe('readRetrieval', () => {
  it('reads what is documented, ranks from 1, and takes null for what is not there', () => {
    const full = {
      id: 'b',
      text: 'two',
      title: 'T',
      source: 's',
      metadata: { any: ['thing'] },
      relevance: 0.5,
      embedding: [1, 0.25],
    };
    const empty = { ...passage, title: null, source: null, metadata: null, relevance: null, embedding: null };
    expect(readRetrieval({ value: { query: { ...query, embedding: [0.5, 2] }, passages: [full, empty], other: 1 }, at })).toEqual({
      query: { ...query, embedding: Float32Array.of(0.5, 2) },
      passages: [
        { ...full, rank: 1, embedding: Float32Array.of(1, 0.25) },
        { ...passage, rank: 2 },
      ],
    });
    expect(readRetrieval({ value: { query, passages: [] }, at })).toEqual({ query, passages: [] });
  });

  it('reads null inside an embedding as not a number, and an empty one as missing', () => {
    const { passages } = readRetrieval({
      value: {
        query,
        passages: [
          { ...passage, embedding: [1, null] },
          { id: 'b', text: 'two', embedding: [] },
        ],
      },
      at,
    });
    expect(passages[0]!.embedding).toEqual(Float32Array.of(1, Number.NaN));
    expect(passages[1]).not.toHaveProperty('embedding');
  });

  const line = '{"query": {"id", "text"}, "passages": [{"id", "text"}]}';
  const p = (fields: object): object => ({ query, passages: [passage, { id: 'b', text: 'two', ...fields }] });
  it.each([
    [null, `the line is null, expected ${line}`],
    [[], `the line is a list, expected ${line}`],
    ['x', `the line is a string, expected ${line}`],
    [{}, 'query is missing, expected {"id", "text"}'],
    [{ query: 'who?', passages: [] }, 'query is a string, expected {"id", "text"}'],
    [{ query: null, passages: [] }, 'query is null, expected {"id", "text"}'],
    [{ query: { text: 'who?' }, passages: [] }, 'query.id is missing, expected text'],
    [{ query: { id: 7, text: 'who?' }, passages: [] }, 'query.id is a number, expected text'],
    [{ query: { id: 'q' }, passages: [] }, 'query.text is missing, expected text'],
    [{ query: { ...query, text: ['who?'] }, passages: [] }, 'query.text is a list, expected text'],
    [{ query: { ...query, embedding: 'no' }, passages: [] }, 'query.embedding is a string, expected a list of numbers'],
    [{ query: { ...query, embedding: [1, '2'] }, passages: [] }, 'query.embedding[1] is a string, expected a number'],
    [{ query }, 'passages is missing, expected a list of passages'],
    [{ query, passages: {} }, 'passages is an object, expected a list of passages'],
    [{ query, passages: [passage, null] }, 'passages[1] is null, expected {"id", "text"}'],
    [{ query, passages: [['a', 'b']] }, 'passages[0] is a list, expected {"id", "text"}'],
    [p({ id: undefined }), 'passages[1].id is missing, expected text'],
    [p({ id: 4 }), 'passages[1].id is a number, expected text'],
    [p({ text: undefined }), 'passages[1].text is missing, expected text'],
    [p({ text: null }), 'passages[1].text is null, expected text'],
    [p({ text: { a: 1 } }), 'passages[1].text is an object, expected text'],
    [p({ title: 5 }), 'passages[1].title is a number, expected text'],
    [p({ source: [] }), 'passages[1].source is a list, expected text'],
    [p({ metadata: 'x' }), 'passages[1].metadata is a string, expected an object'],
    [p({ metadata: [] }), 'passages[1].metadata is a list, expected an object'],
    [p({ relevance: '0.5' }), 'passages[1].relevance is a string, expected a number'],
    [p({ embedding: 'AAAA' }), 'passages[1].embedding is a string, expected a list of numbers'],
    [p({ embedding: { 0: 1 } }), 'passages[1].embedding is an object, expected a list of numbers'],
    [p({ embedding: [1, true] }), 'passages[1].embedding[1] is a boolean, expected a number'],
    [p({ embedding: [[1]] }), 'passages[1].embedding[0] is a list, expected a number'],
  ])('%j: the message says line, field and what was expected', (value, said) => {
    expect(messageOf(value)).toBe(`BAD_INPUT ${at}: ${said}`);
  });

  it('refuses ids that repeat, vectors of different length, and what is over the bounds', () => {
    expect(messageOf({ query, passages: [passage, { id: 'b', text: 'two' }, passage] })).toBe(
      `DUPLICATE_ID ${at}: passages[2].id is the same as passages[0].id; ids must be unique within a retrieval`,
    );
    const two = [
      { ...passage, embedding: [1, 2] },
      { id: 'b', text: 'two', embedding: [1, 2, 3] },
    ];
    expect(messageOf({ query, passages: two })).toBe(
      `SHAPE_MISMATCH ${at}: passages[1].embedding has 3 numbers, expected 2 as the others; encode all with one encoder`,
    );
    expect(messageOf({ query: { ...query, embedding: [1] }, passages: two.slice(0, 1) })).toBe(
      `SHAPE_MISMATCH ${at}: query.embedding has 1 numbers, expected 2 as the passages; encode both with one encoder`,
    );
    expect(messageOf({ query, passages: [{ id: 'a'.repeat(1001), text: 'x' }] })).toBe(
      `TOO_LARGE ${at}: passages[0].id has 1001 characters, expected at most 1000`,
    );
    expect(messageOf({ query: { id: 'q', text: 'x'.repeat(50_001) }, passages: [] })).toBe(
      `TOO_LARGE ${at}: query.text has 50001 characters, expected at most 50000`,
    );
    expect(messageOf({ query, passages: Array.from({ length: 1001 }, (_, index) => ({ id: String(index), text: 'x' })) })).toBe(
      `TOO_LARGE ${at}: passages has 1001 entries, expected at most 1000`,
    );
  });

  it('lets a passage be of any length: the defenses set it aside, so that one cannot stop the others', () => {
    const text = 'x'.repeat(1_000_001);
    expect(readRetrieval({ value: { query, passages: [{ id: 'a', text }] }, at }).passages[0]!.text).toBe(text);
  });

  it('never repeats what the attacker wrote', () => {
    const paint = '\u001b[31m';
    for (const value of [p({ id: 'a' }), p({ [paint]: 1, title: 1 }), { query, passages: [{ id: paint, text: 1 }] }])
      expect(messageOf(value)).not.toContain('\u001b');
  });
});
