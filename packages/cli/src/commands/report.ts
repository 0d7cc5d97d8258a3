import { basename, resolve } from 'node:path';
import { REPORTERS, readResult } from '@bezoar/bench';
import { formatOf } from '../report-format.ts';
import { type CommonOptions, EXIT } from '../run-command.ts';
import type { Terminal } from '../terminal.ts';
import { withOutput } from '../write-output.ts';

export interface ReportOptions extends CommonOptions {
  readonly format?: string;
  readonly out: string;
}

/** Writes a saved result in another form. */
export async function report(results: string, options: ReportOptions, terminal: Terminal): Promise<number> {
  const format = formatOf(options.format, options.out, 'table');
  const result = await readResult(resolve(terminal.cwd, results), basename(results));
  const toTerminal = options.out === '-';
  const settings = { columns: toTerminal ? terminal.columns : 100, colour: toTerminal && terminal.colour };
  await withOutput(options.out, terminal, async ({ write }) => {
    for (const piece of REPORTERS[format].render(result, settings)) if (!(await write(piece))) break;
  });
  return EXIT.done;
}
