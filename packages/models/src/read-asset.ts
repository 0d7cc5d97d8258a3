import { BezoarError } from '@bezoar/core';

/**
 * The bytes of a file that ships beside the package, by the file system in Node and by fetch elsewhere; undefined where there is no such file.
 *
 * @throws {BezoarError} `ABORTED` when the signal fired, `NOT_FOUND` when the file cannot be read.
 */
export async function readAsset(url: URL, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    if (url.protocol === 'file:') {
      // A name that bundlers for the browser leave alone.
      const module = 'node:fs/promises';
      const { readFile } = (await import(/* @vite-ignore */ module)) as typeof import('node:fs/promises');
      return await readFile(url, signal === undefined ? {} : { signal });
    }
    const response = await fetch(url, signal === undefined ? {} : { signal });
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
  } catch (cause) {
    throwIfAborted(signal);
    if ((cause as { code?: unknown }).code === 'ENOENT') return undefined;
    throw new BezoarError('NOT_FOUND', `Cannot read ${url.pathname.split('/').at(-1)}.`, { cause });
  }
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new BezoarError('ABORTED', 'The caller aborted the work.', { cause: signal.reason });
}
