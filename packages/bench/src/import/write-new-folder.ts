import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BezoarError } from '@bezoar/core';
import { fileFault } from '../file-fault.ts';
import { printable } from '../layout.ts';

/** Characters gathered before they are written. */
const CHUNK = 1024 * 1024;

/** Writes a file of the folder, a line each, and says how many. */
export type WriteLines = (name: string, lines: Iterable<string> | AsyncIterable<string>) => Promise<number>;

/**
 * Makes a folder that appears only when it is whole: written beside its place, then renamed; removed on failure and when the user interrupts.
 *
 * @throws {BezoarError} `INVALID_OPTION` where something has that name already.
 */
export async function writeNewFolder<T>(folder: string, produce: (writeLines: WriteLines) => Promise<T>): Promise<T> {
  const place = resolve(folder);
  const name = printable(folder);
  if (await lstat(place).catch(() => null)) throw new BezoarError('INVALID_OPTION', `${name} exists already; name a folder that does not`);
  const draft = `${place}.${randomBytes(6).toString('hex')}.part`;
  await onDisk(mkdir(draft), printable(dirname(folder)));
  const writeLines: WriteLines = async (file, lines) => {
    await onDisk(mkdir(dirname(join(draft, file)), { recursive: true }), name);
    const handle = await onDisk(open(join(draft, file), 'wx'), name);
    let count = 0;
    try {
      let gathered = '';
      for await (const line of lines) {
        gathered += `${line}\n`;
        count += 1;
        if (gathered.length < CHUNK) continue;
        await onDisk(handle.appendFile(gathered), name);
        gathered = '';
      }
      await onDisk(handle.appendFile(gathered), name);
    } finally {
      await handle.close();
    }
    return count;
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    rmSync(draft, { recursive: true, force: true });
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  try {
    const result = await produce(writeLines);
    await onDisk(rename(draft, place), name);
    return result;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
  }
}

const onDisk = <R>(work: Promise<R>, name: string): Promise<R> =>
  work.catch((error: unknown) => {
    throw fileFault(error, name);
  });
