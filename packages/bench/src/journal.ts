import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { BezoarError } from '@bezoar/core';
import { fileFault } from './file-fault.ts';

/** Work that is done, on disk as it gets done, so that a run that was killed goes on where it was. */
export interface Journal<T> {
  /** What an earlier run left, by its key. */
  readonly done: ReadonlyMap<string, T>;
  append(key: string, value: T): Promise<void>;
  /** Leaves the file where it is: who has the result on disk removes it. */
  close(): Promise<void>;
}

/**
 * Opens a journal, or goes on with the one that is there. One JSON line a piece of work after a line that says whose it is; a last line that
 * a killed process left unfinished is cut off.
 *
 * @param identity - Everything that the work depends on. A journal of other work is refused, never mixed in.
 * @throws {BezoarError} `BAD_INPUT` for a journal of other work, `NOT_FOUND` for a place that cannot be written.
 */
export async function openJournal<T>(path: string, identity: unknown): Promise<Journal<T>> {
  const head = JSON.stringify({
    type: 'bezoar-bench-journal',
    version: 1,
    run: createHash('sha256').update(JSON.stringify(identity)).digest('hex'),
  });
  const file = await open(path, 'a+').catch((error: unknown) => {
    throw fileFault(error, path);
  });
  try {
    const done = await recall<T>(file, head, path);
    // Long lines are written in pieces, and those of two lines written at once would mix.
    let written: Promise<unknown> = Promise.resolve();
    return {
      done,
      append: (key, value) => {
        const appended = written.then(() => file.appendFile(`${JSON.stringify([key, value])}\n`));
        written = appended.catch(() => undefined);
        return appended;
      },
      close: () => written.then(() => file.close()),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function recall<T>(file: FileHandle, head: string, path: string): Promise<Map<string, T>> {
  const bytes = await file.readFile();
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
  await file.truncate(whole.length);
  const done = new Map<string, T>();
  if (whole.length === 0) {
    await file.appendFile(`${head}\n`);
    return done;
  }
  const lines = whole.toString().split('\n').slice(0, -1);
  if (lines[0] !== head) {
    throw new BezoarError(
      'BAD_INPUT',
      `${path} is left from a run with other settings, data or version; remove it, or write to another --out`,
      { details: { file: path, line: 1 } },
    );
  }
  for (const [index, line] of lines.slice(1).entries()) {
    try {
      const [key, value] = JSON.parse(line) as [string, T];
      done.set(key, value);
    } catch (cause) {
      throw new BezoarError('BAD_INPUT', `${path} line ${index + 2} is damaged; remove the file to start again`, {
        cause,
        details: { file: path, line: index + 2 },
      });
    }
  }
  return done;
}
