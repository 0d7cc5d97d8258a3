import { extname } from 'node:path';
import { REPORTERS } from '@bezoar/bench';
import { BezoarError, closestName } from '@bezoar/core';

const EXTENSIONS: Readonly<Record<string, string>> = {
  '.md': 'markdown',
  '.htm': 'html',
  '.txt': 'table',
  '.log': 'jsonl',
  '.ndjson': 'jsonl',
};

/** The reporter that a command line asks for: by name, else by the extension of the file it writes to, else `fallback`. */
export function formatOf(format: string | undefined, out: string, fallback: string): string {
  if (format === undefined) {
    const extension = extname(out).toLowerCase();
    const named = EXTENSIONS[extension] ?? extension.slice(1);
    return Object.hasOwn(REPORTERS, named) ? named : fallback;
  }
  if (Object.hasOwn(REPORTERS, format)) return format;
  const names = Object.keys(REPORTERS);
  const near = closestName(format, names);
  throw new BezoarError(
    'UNKNOWN_NAME',
    `no report format is called ${JSON.stringify(format.slice(0, 80))}; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}`}`,
    {
      details: { field: 'format', closest: near },
    },
  );
}
