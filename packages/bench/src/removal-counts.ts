import type { QuestionOutcome } from './define-metric.ts';

export interface RemovalCounts {
  /** Poisoned passages that the context does not have. */
  readonly poisonRemoved: number;
  readonly poisonKept: number;
  /** Clean passages that the context does not have. */
  readonly cleanRemoved: number;
  readonly cleanKept: number;
}

/** What became of the pool when its context is read as a detector's answer: what does not go on was called poisoned, whoever's poison it is. */
export function removalCounts({ pool, context }: QuestionOutcome): RemovalCounts {
  const kept = new Set(context.map(({ rank }) => rank));
  const counts = { poisonRemoved: 0, poisonKept: 0, cleanRemoved: 0, cleanKept: 0 };
  for (const { rank, label } of pool) {
    if (label === 'clean') counts[kept.has(rank) ? 'cleanKept' : 'cleanRemoved']++;
    else counts[kept.has(rank) ? 'poisonKept' : 'poisonRemoved']++;
  }
  return counts;
}
