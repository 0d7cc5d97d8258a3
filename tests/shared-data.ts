import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = resolve(root, process.env.BEZOAR_SHARED ?? '../shared');

/** Whether the development data and weights are on this machine; tests that need them are skipped, and counted, where they are not. */
export const hasShared = existsSync(resolve(shared, 'data/realtimeqa/corpus.jsonl'));

/** Where a file of the development data is, e.g. `data/simpleqa/queries.jsonl` or `models/all-MiniLM-L6-v2`. */
export const sharedPath = (relative: string): string => resolve(shared, relative);
