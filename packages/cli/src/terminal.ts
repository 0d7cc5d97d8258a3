import { styleText } from 'node:util';

/** What a command may touch of the outside: streams, environment, folder. Tests pass their own. */
export interface Terminal {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolves when the stream takes more; false once nobody reads any longer. */
  readonly write: (content: string | Uint8Array) => Promise<boolean>;
  readonly writeError: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether people look at standard output. */
  readonly interactive: boolean;
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
  let closed = false;
  // A reader that leaves early (`| head`) is no fault of ours.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== 'EPIPE') throw error;
  });
  const wantsColour = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  return {
    stdin,
    write: (content) =>
      new Promise((resolve) => {
        if (closed) resolve(false);
        else if (stdout.write(content)) resolve(true);
        else stdout.once('drain', () => resolve(!closed)).once('close', () => resolve(false));
      }),
    writeError: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    interactive: stdout.isTTY === true,
    interactiveError: stderr.isTTY === true,
    // 100 where nobody says, as the layouts are made for it; never more, or long lines are hard to read.
    columns: Math.min(stdout.columns ?? 100, 100),
    colour: !env.NO_COLOR && env.TERM !== 'dumb' && (wantsColour || stdout.isTTY === true),
  };
}
