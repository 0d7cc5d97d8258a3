import { defineDefense } from '../core/define-defense.ts';

/**
 * Lets the first passages go on as the retriever ordered them. Empty input gives an empty output.
 *
 * The undefended baseline that every other defense is measured against.
 *
 * Source: none. Deviations: none.
 *
 * @param options.keep - How many passages go on, at least 1. Default: the policy's.
 * @returns One verdict per passage, in input order; score null, suspicion 0.
 * @throws {BezoarError} `DUPLICATE_ID` when two passages share an id; `ABORTED` when the signal fired.
 *
 * Cost: O(n) time; 0 model calls. Deterministic.
 * Assumes: nobody poisons the corpus. Fails when: somebody does.
 *
 * @example
 * const result = await none({ keep: 2 }).run(createRetrieval('who?', ['a', 'b', 'c']), createRunContext());
 * result.passages.length; // 2
 */
export const none = defineDefense({
  name: 'none',
  summary: 'Lets the first passages go on as the retriever ordered them.',
  kind: 'rerank',
  source: null,
  setLevel: false,
  options: {},
  reasons: {},
  needs: () => [],
  run: ({ passages, keep }) => ({
    judgements: passages.map((_, index) =>
      index < keep
        ? { action: 'keep', score: null, suspicion: 0, reason: 'kept' }
        : { action: 'drop', score: null, suspicion: 0, reason: 'beyond-keep' },
    ),
  }),
});
