import { defineMetric } from '../define-metric.ts';

/** Discounted cumulative gain of the first `keep` grades: each over the logarithm to base 2 of its rank plus 1. */
const gainOf = (grades: readonly number[], keep: number): number =>
  grades.slice(0, keep).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);

/**
 * The mean normalised discounted cumulative gain of the first `keep` of the context, with the grade itself as the gain.
 *
 * Source: Järvelin and Kekäläinen 2002 as trec_eval's ndcg_cut has it: the ideal ranks all gold passages, retrieved or not.
 */
export const ndcg = defineMetric({
  name: 'ndcg',
  title: 'nDCG',
  summary: 'The mean normalised discounted cumulative gain of the first `keep` of the context.',
  unit: 'score',
  better: 'higher',
  kind: 'ratio',
  observe: ({ goldGrades, context, keep }) => {
    if (goldGrades.length === 0) return null;
    return [
      gainOf(
        context.map(({ grade }) => grade),
        keep,
      ) / gainOf(goldGrades, keep),
      1,
    ];
  },
});
