import { BezoarError } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { packError, unpackError } from './thread-error.ts';

/** As between threads: what a message is made of is copied, classes and functions are not. */
const across = (error: unknown): Error => unpackError(structuredClone(packError(error)));

describe('packError', () => {
  it('brings a BezoarError over whole, whatever caused it', () => {
    const cause = Object.assign(new Error('inner'), { cannotBeCopied: () => undefined });
    const error = across(new BezoarError('NOT_FOUND', '/x: no such folder', { cause, details: { file: '/x', line: 3 } }));
    expect(BezoarError.is(error, 'NOT_FOUND')).toBe(true);
    expect(error).toMatchObject({ message: '/x: no such folder', details: { file: '/x', line: 3 } });
  });

  it('brings over the stack of any other error, and the words of what is none', () => {
    const thrown = new TypeError('x is not a function');
    const error = across(thrown);
    expect(BezoarError.is(error)).toBe(false);
    expect(error).toMatchObject({ message: 'TypeError: x is not a function', stack: thrown.stack });
    expect(across('just text').message).toBe('just text');
    expect(across(() => 1).message).toBe('() => 1');
  });
});
