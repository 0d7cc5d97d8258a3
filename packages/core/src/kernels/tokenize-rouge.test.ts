import { describe, expect, it } from 'vitest';
import { tokenizeRouge } from './tokenize-rouge.ts';

describe('tokenizeRouge', () => {
  it('keeps runs of a-z and 0-9 and stems those longer than 3', () => {
    expect(tokenizeRouge("The dogs' running_shoes cost $1,000; dies!")).toEqual(['the', 'dog', 'run', 'shoe', 'cost', '1', '000', 'die']);
    expect(tokenizeRouge('was his gas')).toEqual(['was', 'his', 'gas']);
    expect(tokenizeRouge('running running')).toEqual(['run', 'run']);
  });

  it('leaves words as they are with stem: false', () => {
    expect(tokenizeRouge('Running Shoes', { stem: false })).toEqual(['running', 'shoes']);
    expect(tokenizeRouge('Running Shoes', { stem: true })).toEqual(['run', 'shoe']);
  });

  it('loses other scripts, as the reference, unless asked to keep them', () => {
    expect(tokenizeRouge('Кремль 日本 caf\u00e9s')).toEqual(['caf', 's']);
    expect(tokenizeRouge('Кремль 日本 caf\u00e9s', { unicode: true })).toEqual(['кремль', '日', '本', 'caf\u00e9']);
    expect(tokenizeRouge('\u212aelvins \u0130s', { stem: false })).toEqual(['kelvins', 'i', 's']);
  });

  it('cuts after maxTokens', () => {
    expect(tokenizeRouge('one two three', { maxTokens: 2 })).toEqual(['one', 'two']);
    expect(tokenizeRouge('one two three', { maxTokens: 0 })).toEqual([]);
    expect(tokenizeRouge('')).toEqual([]);
  });
});
