import type { JudgedPassage, QuestionOutcome } from './define-metric.ts';
import type { BenchResult, QuestionRecord, ResultCell } from './types.ts';

/**
 * What the metrics of a saved cell were computed from, one entry a record in the records' order; null where the question was not assessed.
 * Everything is as it was but for `ms`, which a result does not keep.
 */
export function outcomesOf(result: BenchResult, cell: ResultCell): readonly (QuestionOutcome | null)[] {
  return cell.records.map((record) => outcomeOf(result, cell, record));
}

function outcomeOf(result: BenchResult, cell: ResultCell, record: QuestionRecord): QuestionOutcome | null {
  if (record.outcome === 'not-assessed' || record.pool === null) return null;
  const { question, planted } = result.pools[record.pool];
  const pool = judged(result, record.pool);
  const cleanPool = judged(result, record.cleanPool);
  return {
    keep: cell.keep,
    attacked: cell.attack !== 'none',
    planted,
    pool,
    context: record.context.map((rank) => pool[rank - 1]),
    cleanPool,
    cleanContext: record.cleanContext.map((rank) => cleanPool[rank - 1]),
    goldGrades: result.questions[question].goldGrades,
    certificate: record.certificate,
    ms: null,
    modelCalls: record.modelCalls,
  };
}

const judged = (result: BenchResult, pool: number | null): readonly JudgedPassage[] =>
  pool === null ? [] : result.pools[pool].passages.map(({ label, grade }, index) => ({ rank: index + 1, label, grade }));
