import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileFault } from './read-json-lines.ts';
import type { Terminal } from './terminal.ts';

export interface Output {
  /** False once nobody reads any longer. */
  readonly write: (content: string | Uint8Array) => Promise<boolean>;
}

/** Runs `produce` with a place to write. A file appears only when it is whole: written beside its place, then renamed; removed on failure. */
export async function withOutput<T>(path: string, terminal: Terminal, produce: (output: Output) => Promise<T>): Promise<T> {
  if (path === '-') return produce({ write: (content) => terminal.write(content) });
  const place = resolve(terminal.cwd, path);
  const draft = `${place}.${randomBytes(6).toString('hex')}.part`;
  const file = await open(draft, 'wx').catch((error: unknown) => {
    throw fileFault(error, path);
  });
  try {
    const result = await produce({
      write: async (content) => {
        await file.writeFile(content);
        return true;
      },
    });
    await file.close();
    await rename(draft, place);
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw fileFault(error, path);
  }
}
