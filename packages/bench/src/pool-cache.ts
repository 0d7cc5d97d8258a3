import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@bezoar/core';
import { fileFault } from './file-fault.ts';

/** What was computed before under the same key, or what `make` makes now. */
export type Remember = <T>(key: JsonValue, make: () => Promise<T>) => Promise<T>;

/**
 * Keeps JSON-safe values in `pools` of a folder, one file a key, named by the key's SHA-256; null keeps nothing. The first line of a file is the
 * SHA-256 of its key and of what follows, so that a damaged or exchanged file counts as absent. Files appear whole (written beside,
 * then renamed). When the folder can be made but not written to, values are made anew each time.
 *
 * @throws {BezoarError} `NOT_FOUND` when the folder cannot be made, before anything is computed.
 */
export function poolCache(cacheDir: string | null): Remember {
  if (cacheDir === null) return (_key, make) => make();
  const folder = join(cacheDir, 'pools');
  return async <T>(key: JsonValue, make: () => Promise<T>): Promise<T> => {
    const name = JSON.stringify(key);
    const path = join(folder, `${sha256(name)}.json`);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw fileFault(error, folder);
    });
    const [seal, body] = split(await readFile(path, 'utf8').catch(() => ''));
    if (seal === sha256(name + body)) return JSON.parse(body) as T;
    const made = await make();
    const content = JSON.stringify(made);
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, `${sha256(name + content)}\n${content}`);
      await rename(draft, path);
    } catch {
      await rm(draft, { force: true }).catch(() => undefined); // a full disk costs time, not the answer
    }
    return made;
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const split = (content: string): [seal: string, body: string] => {
  const end = content.indexOf('\n');
  return [content.slice(0, Math.max(0, end)), content.slice(end + 1)];
};
