import { BezoarError } from '@bezoar/core';
import { describe, expect, test } from 'vitest';
import { attempt } from './store-failure.ts';

const failing = (cause: unknown): Promise<unknown> => attempt('writing', () => Promise.reject(cause));

describe('an operation of a store', () => {
  test('gives what it gives', async () => {
    expect(await attempt('reading', async () => 7)).toBe(7);
  });

  test('fails with one sentence, whatever was thrown', async () => {
    await expect(failing(new Error('no space left\non device\u0000'))).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: 'writing failed: no space left on device',
    });
    const traced = 'No space left on device (os error 28), /usr/local/x/writer.rs:362:9  Caused by: No space';
    await expect(failing(new Error(traced))).rejects.toMatchObject({ message: 'writing failed: No space left on device (os error 28)' });
    await expect(failing('a text')).rejects.toMatchObject({ message: 'writing failed: a text' });
    await expect(failing(undefined)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const answered = Object.assign(new Error('Bad Request'), { data: { status: { error: 'wrong vector' } } });
    await expect(failing(answered)).rejects.toMatchObject({ message: 'writing failed: Bad Request wrong vector' });
    await expect(failing(new Error('x'.repeat(10_000)))).rejects.toMatchObject({ message: `writing failed: ${'x'.repeat(300)}` });
  });

  test('lets our own errors pass', async () => {
    const own = new BezoarError('SHAPE_MISMATCH', 'other');
    await expect(failing(own)).rejects.toBe(own);
  });

  test('is refused before and after the signal fires', async () => {
    const never = (): Promise<never> => Promise.reject(new Error('ran'));
    await expect(attempt('reading', never, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    const controller = new AbortController();
    const running = attempt('reading', async () => controller.abort(), controller.signal);
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
