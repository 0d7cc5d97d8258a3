import { BezoarError } from '@bezoar/core';

/** What a server says may be long, of many lines and hold what an attacker wrote. */
const LONGEST = 300;

/** The cause's message, and with an HTTP client's error the server's own words. */
const said = (cause: unknown): string => {
  const { message, data } = (cause ?? {}) as { message?: unknown; data?: { status?: { error?: unknown } } };
  return (
    [message ?? cause, data?.status?.error ?? '']
      .join(' ')
      .slice(0, 2 * LONGEST)
      // LanceDB goes on with where in its own source it was.
      .replace(/, \/\S+\.rs:\d[\s\S]*/, '')
      .slice(0, LONGEST)
      .replace(/\p{C}+|[\u2028\u2029]+/gu, ' ')
      .trim()
  );
};

/**
 * Runs one operation of a store: refuses at once when the signal has fired, and makes one clear error of whatever the server, its client or the
 * disk throws. Errors that are ours already pass.
 */
export async function attempt<T>(what: string, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const refuseIfAborted = (): void => {
    if (signal?.aborted === true) throw new BezoarError('ABORTED', `${what} was aborted`);
  };
  refuseIfAborted();
  try {
    const result = await run();
    refuseIfAborted();
    return result;
  } catch (cause) {
    if (BezoarError.is(cause)) throw cause;
    refuseIfAborted();
    throw new BezoarError('STORE_FAILED', `${what} failed: ${said(cause)}`, { cause });
  }
}
