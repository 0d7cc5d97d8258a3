import { cells, fit, printable } from '@bezoar/bench/layout';
import type { CommonOptions } from './run-command.ts';
import type { Terminal } from './terminal.ts';

/** Redrawn at most so often, in milliseconds: faster than eyes, slower than work. */
const REDRAW_MS = 100;
const BAR = 20;

export interface Progress {
  update(done: number, total: number, what: string): void;
  /** Takes the line away, so that what comes next starts on a clean one. */
  end(): void;
}

/** A bar on the other stream with an estimate of the time left, where somebody looks; nothing else. */
export function createProgress(terminal: Terminal, options: CommonOptions, now: () => number = () => performance.now()): Progress {
  if (!terminal.interactiveError || options.quiet) return { update: () => undefined, end: () => undefined };
  let drawn = Number.NEGATIVE_INFINITY;
  let started: { readonly at: number; readonly done: number; readonly total: number } | null = null;
  return {
    update(done, total, what) {
      const at = now();
      // Another total is other work, with a pace of its own.
      if (started === null || started.total !== total || done < started.done) started = { at, done, total };
      if (at - drawn < REDRAW_MS) return;
      drawn = at;
      const share = total > 0 ? Math.min(1, done / total) : 0;
      const filled = Math.round(share * BAR);
      const pace = (at - started.at) / (done - started.done);
      const left = done > started.done && done < total ? `, ${duration(pace * (total - done))} left` : '';
      const head = `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${(100 * share).toFixed(0).padStart(3)} %${left}  `;
      // One cell is left free: a full line would wrap.
      const room = Math.max(0, terminal.columns - 1 - cells(head));
      terminal.writeError(`\r${fit(head + fit(printable(what), room), terminal.columns - 1)}`);
    },
    end() {
      if (drawn > Number.NEGATIVE_INFINITY) terminal.writeError(`\r${' '.repeat(terminal.columns - 1)}\r`);
      drawn = Number.NEGATIVE_INFINITY;
      started = null;
    },
  };
}

/** Milliseconds as people say them: `40 s`, `3 min`, `2 h 5 min`. */
function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
