import type { Encoder } from '@bezoar/core';
import { toyEncoder } from '@bezoar/core/testing';
import { describe, expect, it } from 'vitest';
import { rememberEmbeddings } from './remember-embeddings.ts';

function counting(): { encoder: Encoder; asked: string[][] } {
  const toy = toyEncoder();
  const asked: string[][] = [];
  return {
    asked,
    encoder: {
      ...toy,
      encode: (texts, options) => {
        asked.push(texts.map((text) => `${options.role} ${text}`));
        return toy.encode(texts, options);
      },
    },
  };
}

describe('rememberEmbeddings', () => {
  it('gives what the encoder gives, in order, and asks for each text once a role', async () => {
    const { encoder, asked } = counting();
    const remembering = rememberEmbeddings(encoder);
    const texts = ['a cat', 'a dog', 'a cat', ''];
    const direct = await toyEncoder().encode(texts, { role: 'passage' });
    expect(await remembering.encode(texts, { role: 'passage' })).toEqual({
      vectors: direct.vectors,
      truncated: texts.map((_, index) => direct.truncated[index] === true),
    });
    await remembering.encode(['a dog', 'a bird'], { role: 'passage' });
    await remembering.encode(['a cat'], { role: 'query' });
    expect(asked).toEqual([['passage a cat', 'passage a dog', 'passage '], ['passage a bird'], ['query a cat']]);
    expect([remembering.name, remembering.dimensions]).toEqual([encoder.name, encoder.dimensions]);
  });
});
