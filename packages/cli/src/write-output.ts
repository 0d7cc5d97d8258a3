import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileFault } from '@bezoar/bench/file-fault';
import type { Terminal } from './terminal.ts';

export interface Output {
  /** False once nobody reads any longer. */
  readonly write: (content: string | Uint8Array) => Promise<boolean>;
}

/**
 * Runs `produce` with a place to write. A file appears only when it is whole: written beside its place, then renamed; removed on failure and
 * when the user interrupts. What is no file but a device or a pipe (`/dev/null`) is written as it comes: renaming would replace it.
 */
export async function withOutput<T>(path: string, terminal: Terminal, produce: (output: Output) => Promise<T>): Promise<T> {
  if (path === '-') return produce({ write: (content) => terminal.write(content) });
  const onDisk = async <R>(work: Promise<R>): Promise<R> =>
    work.catch((error: unknown) => {
      throw fileFault(error, path);
    });
  const named = resolve(terminal.cwd, path);
  // Through links, so that a link stays one.
  const place = await realpath(named).catch(() => named);
  const before = await stat(place).catch(() => null);
  if (before?.isDirectory()) throw fileFault({ code: 'EISDIR' }, path);
  const asItComes = before !== null && !before.isFile();
  const draft = asItComes ? place : `${place}.${randomBytes(6).toString('hex')}.part`;
  const file = await onDisk(open(draft, asItComes ? 'w' : 'wx', before?.mode));
  const discard = (): void => {
    if (!asItComes) rmSync(draft, { force: true });
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    discard();
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  try {
    const result = await produce({
      write: async (content) => {
        await onDisk(file.writeFile(content));
        return true;
      },
    });
    await onDisk(file.close());
    if (!asItComes) await onDisk(rename(draft, place));
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    discard();
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
  }
}
