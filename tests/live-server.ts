/** The server that an environment variable names, or null, with a word about it: nobody should take a run without it for a whole one. */
export function liveServer(variable: string): string | null {
  const url = process.env[variable] ?? null;
  if (url === null) console.warn(`SKIPPED: ${variable} names no server; the tests against a real one are skipped and counted`);
  return url;
}
