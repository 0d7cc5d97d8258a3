import { resolve } from 'node:path';
import * as bench from '@bezoar/bench/json-lines';
import type { Terminal } from './terminal.ts';

/** For who waits before a terminal that waits for them. */
export const READING = 'reading what you type; end it with Ctrl-D, or name a file with --in';

export type JsonLine = Pick<bench.JsonLine, 'value' | 'at'>;

/** The JSON values of a file's or standard input's lines (`-`), one at a time; blank lines are passed over. */
export async function* readJsonLines(path: string, terminal: Terminal): AsyncGenerator<JsonLine> {
  const lines =
    path === '-' ? bench.readJsonLines(terminal.stdin, 'standard input') : bench.readJsonLines(resolve(terminal.cwd, path), path);
  for await (const { value, at } of lines) yield { value, at };
}
