import { styleText } from 'node:util';
import { fileFault } from '@bezoar/bench/file-fault';

/** What a command may touch of the outside: streams, environment, folder. Tests pass their own. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolves when it is written; false once nobody reads any longer. Rejects when the system cannot. */
  readonly write: (content: string | Uint8Array) => Promise<boolean>;
  readonly writeError: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether somebody types standard input. */
  readonly interactiveInput: boolean;
  /** Whether people look at the other stream, where progress and notes go. */
  readonly interactiveError: boolean;
  readonly columns: number;
  readonly colour: boolean;
}

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

/** Text in a style where there is colour, plain text where there is none. */
export const paint = (terminal: Pick<Terminal, 'colour'>, style: Style, text: string): string =>
  terminal.colour ? styleText(style, text, { validateStream: false }) : text;

export function systemTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process;
  // Each write hears of its own fault. What cannot be said on the other stream cannot be said at all.
  stdout.on('error', () => undefined);
  stderr.on('error', () => undefined);
  // A reader that leaves early (`| head`) is no fault of ours.
  const left = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);
  const wantsColour = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  return {
    stdin,
    write: (content) =>
      new Promise((resolve, reject) => {
        stdout.write(content, (error: (Error & { code?: string }) | null | undefined) => {
          if (!error) resolve(true);
          else if (left.has(error.code ?? '')) resolve(false);
          else reject(fileFault(error, 'standard output'));
        });
      }),
    writeError: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    interactiveInput: stdin.isTTY === true,
    interactiveError: stderr.isTTY === true,
    // 100 where nobody says, as the layouts are made for it; never more, or long lines are hard to read.
    columns: Math.min(stdout.columns || 100, 100),
    colour: !env.NO_COLOR && env.TERM !== 'dumb' && (wantsColour || stdout.isTTY === true),
  };
}
