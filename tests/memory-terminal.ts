import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Terminal } from '../packages/cli/src/terminal.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own for a test's files; gone after the last test of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bezoar-cli-'));
  made.push(folder);
  return folder;
}

export interface MemoryTerminal extends Terminal {
  /** What went to standard output so far. */
  readonly output: () => string;
  /** What went to the other stream so far. */
  readonly errors: () => string;
}

/** A terminal that remembers what is written to it. Text of `stdin` arrives in the given chunks. */
export function memoryTerminal(given: Partial<Terminal> & { readonly input?: readonly (string | Uint8Array)[] } = {}): MemoryTerminal {
  const { input = [], ...settings } = given;
  let output = '';
  let errors = '';
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const chunk of input) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  }
  return {
    stdin: chunks(),
    write: async (content) => {
      output += typeof content === 'string' ? content : new TextDecoder().decode(content);
      return true;
    },
    writeError: (text) => {
      errors += text;
    },
    env: {},
    cwd: temporaryFolder(),
    interactiveInput: false,
    interactiveError: false,
    columns: 100,
    colour: false,
    ...settings,
    output: () => output,
    errors: () => errors,
  };
}
