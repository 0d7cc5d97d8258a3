import { describe, expect, it } from 'vitest';
import { createRetrieval } from './create-retrieval.ts';

describe('createRetrieval', () => {
  it('makes records of plain texts', () => {
    expect(createRetrieval('who?', ['one', 'two'])).toEqual({
      query: { id: 'q', text: 'who?' },
      passages: [
        { id: 'p1', text: 'one', rank: 1 },
        { id: 'p2', text: 'two', rank: 2 },
      ],
    });
  });

  it('keeps what records carry and counts ranks anew', () => {
    const embedding = Float32Array.of(1, 2);
    const passage = { id: 'a', text: 'one', title: 't', source: 's', metadata: { year: 1937 }, relevance: 0.5, embedding, rank: 9 };
    const { query, passages } = createRetrieval({ id: 'q7', text: 'who?', embedding }, [{ text: 'no id' }, passage]);
    expect(query).toEqual({ id: 'q7', text: 'who?', embedding });
    expect(passages).toEqual([
      { id: 'p1', text: 'no id', rank: 1 },
      { ...passage, rank: 2 },
    ]);
    expect(passages[1]!.embedding).toBe(embedding);
  });

  it('takes an empty id as an id, and names a query without one', () => {
    const { query, passages } = createRetrieval({ text: 'who?' }, [{ id: '', text: 'x' }]);
    expect([query.id, passages[0]!.id]).toEqual(['q', '']);
  });

  it('makes an empty retrieval of nothing', () => {
    expect(createRetrieval('', []).passages).toEqual([]);
  });

  it('leaves the given records alone', () => {
    const given = Object.freeze([Object.freeze({ text: 'one' }), 'two']);
    createRetrieval(Object.freeze({ text: 'who?' }), given);
    expect(given).toEqual([{ text: 'one' }, 'two']);
  });
});
