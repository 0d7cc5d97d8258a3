import { describe, expect, it, vi } from 'vitest';
import { BezoarError } from '../errors.ts';
import { toyEncoder } from '../testing/toy-models.ts';
import type { Encoder } from './ports.ts';
import { createRunContext, throwIfAborted } from './run-context.ts';

const counting = (): Encoder & { readonly encode: ReturnType<typeof vi.fn> } => {
  const encoder = toyEncoder();
  return { ...encoder, encode: vi.fn(encoder.encode) };
};

describe('createRunContext', () => {
  it('has the documented defaults', () => {
    const { embed: _embed, now, ...rest } = createRunContext();
    expect(rest).toEqual({
      seed: 0,
      keep: 5,
      signal: null,
      encoder: null,
      crossEncoder: null,
      likelihood: null,
      bm25Corpus: null,
      resolveEncoder: null,
      passageText: 'title-and-text',
      unscorable: 'drop',
    });
    expect(now()).toBeLessThanOrEqual(now());
  });

  it('takes over what is given', () => {
    const now = (): number => 7;
    const { signal } = new AbortController();
    const context = createRunContext({ seed: 4294967295, keep: 1, now, signal, passageText: 'text', unscorable: 'keep-last' });
    expect(context).toMatchObject({ seed: 4294967295, keep: 1, now, signal, passageText: 'text', unscorable: 'keep-last' });
  });

  it.each([-1, 1.5, 2 ** 32, Number.NaN, '1'])('refuses the seed %s', (seed) => {
    expect(() => createRunContext({ seed: seed as number })).toThrow('seed is');
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])('refuses to keep %s', (keep) => {
    expect(() => createRunContext({ keep })).toThrow('keep is');
  });
});

describe('embed', () => {
  it('asks the encoder once for each text, however often and in whatever order it is wanted', async () => {
    const encoder = counting();
    const context = createRunContext();
    const [a, b, again] = await context.embed(encoder, ['a', 'b', 'a'], 'passage');
    expect(encoder.encode.mock.calls).toEqual([[['a', 'b'], { role: 'passage' }]]);
    expect(again).toBe(a);
    expect(await context.embed(encoder, ['b', 'c', 'a'], 'passage')).toEqual([
      b,
      { vector: expect.any(Float32Array), truncated: false },
      a,
    ]);
    expect(encoder.encode.mock.calls[1]).toEqual([['c'], { role: 'passage' }]);
    await context.embed(encoder, ['a'], 'passage');
    await context.embed(encoder, [], 'passage');
    expect(encoder.encode).toHaveBeenCalledTimes(2);
  });

  it('keeps roles, encoders and runs apart', async () => {
    const [one, other] = [counting(), counting()];
    const context = createRunContext();
    await context.embed(one, ['a'], 'passage');
    await context.embed(one, ['a'], 'query');
    await context.embed(other, ['a'], 'passage');
    await createRunContext().embed(one, ['a'], 'passage');
    expect(one.encode.mock.calls.map(([, { role }]) => role)).toEqual(['passage', 'query', 'passage']);
    expect(other.encode).toHaveBeenCalledTimes(1);
  });

  it('gives the signal of the context that is asked', async () => {
    const encoder = counting();
    const { signal } = new AbortController();
    const context = createRunContext();
    await { ...context, signal }.embed(encoder, ['a'], 'query');
    expect(encoder.encode).toHaveBeenCalledWith(['a'], { role: 'query', signal });
  });

  it('refuses an encoder that leaves out a text', async () => {
    const short: Encoder = { ...toyEncoder(), encode: async () => ({ vectors: [Float32Array.of(1)], truncated: [false] }) };
    await expect(createRunContext().embed(short, ['a', 'b'], 'passage')).rejects.toMatchObject({
      code: 'ENCODER_FAILED',
      message: 'encoder toy returned 1 vectors for 2 texts',
    });
  });

  it('refuses an encoder whose vectors are not of its own length', async () => {
    for (const [odd, length] of [
      [Float32Array.of(1), 1],
      [undefined as unknown as Float32Array, 0],
    ] as const) {
      const vectors = [Float32Array.of(1, 2), odd];
      const uneven: Encoder = { ...toyEncoder(2), encode: async () => ({ vectors, truncated: [false, false] }) };
      await expect(createRunContext().embed(uneven, ['a', 'b'], 'passage')).rejects.toMatchObject({
        code: 'ENCODER_FAILED',
        message: `encoder toy returned ${length} numbers, expected 2`,
      });
    }
  });

  it('remembers nothing of a call that failed', async () => {
    const encoder = counting();
    encoder.encode.mockRejectedValueOnce(new Error('the network is down'));
    const context = createRunContext();
    await expect(context.embed(encoder, ['a'], 'passage')).rejects.toThrow('the network is down');
    expect(await context.embed(encoder, ['a'], 'passage')).toHaveLength(1);
  });
});

describe('throwIfAborted', () => {
  it('throws only once the signal has fired, with the reason as cause', () => {
    const aborter = new AbortController();
    throwIfAborted(createRunContext());
    throwIfAborted(createRunContext({ signal: aborter.signal }));
    aborter.abort('the user left');
    try {
      throwIfAborted(createRunContext({ signal: aborter.signal }));
      expect.unreachable();
    } catch (error) {
      expect(BezoarError.is(error, 'ABORTED')).toBe(true);
      expect((error as Error).cause).toBe('the user left');
    }
  });
});
