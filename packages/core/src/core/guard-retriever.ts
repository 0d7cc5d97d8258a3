import type { Defended } from '../types.ts';
import { createRetrieval, type PassageInput } from './create-retrieval.ts';
import { type DefendSettings, defend } from './defend.ts';
import type { Policy } from './define-policy.ts';

/** Any function that finds passages for a question: its own order, best first, at most `count`. */
export type Retrieve = (question: string, count: number) => Promise<readonly PassageInput[]> | readonly PassageInput[];

export interface GuardSettings extends Omit<DefendSettings, 'signal'> {
  readonly policy: Policy;
  /** How many passages to fetch for the policy to choose from. Default: twice the policy's `keep`, as GRADA asks (pool of at least 2n). */
  readonly pool?: number;
}

/**
 * Wraps a retriever so that every answer goes through a policy first.
 *
 * @example
 * const guarded = guardRetriever(search, { policy, encoder });
 * const { passages, verdicts } = await guarded('In what year did the tunnel open?');
 */
export function guardRetriever(
  retrieve: Retrieve,
  settings: GuardSettings,
): (question: string, options?: { readonly signal?: AbortSignal }) => Promise<Defended> {
  const { policy, pool = 2 * policy.keep, ...rest } = settings;
  return async (question, { signal } = {}) =>
    defend(createRetrieval(question, await retrieve(question, pool)), policy, { ...rest, signal: signal ?? null });
}
