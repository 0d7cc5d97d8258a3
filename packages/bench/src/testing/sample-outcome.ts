import type { JudgedPassage, QuestionOutcome } from '../define-metric.ts';

export interface OutcomeSketch extends Partial<Omit<QuestionOutcome, 'pool' | 'context' | 'cleanPool' | 'cleanContext'>> {
  /** One mark a passage: `p` poisoned, `f` poisoned for another question, `c` clean, a digit a clean one that is gold with that grade. */
  readonly pool?: string;
  /** Ranks of what went on, in its order; everything where left out. */
  readonly context?: readonly number[];
  readonly cleanPool?: string;
  readonly cleanContext?: readonly number[];
}

function passageOf(mark: string, place: number): JudgedPassage {
  const label = mark === 'p' ? 'poisoned' : mark === 'f' ? 'foreign' : 'clean';
  return { rank: place + 1, label, grade: Number.parseInt(mark, 10) || 0 };
}

/** What happened to a question, from a sketch of it; gold is what stands in the two pools, unless `goldGrades` says otherwise. */
export function sampleOutcome({ pool = '', context, cleanPool = '', cleanContext, ...rest }: OutcomeSketch): QuestionOutcome {
  const passages = [...pool].map(passageOf);
  const cleanPassages = [...cleanPool].map(passageOf);
  const grades = (passages.length > 0 ? passages : cleanPassages).map(({ grade }) => grade).filter((grade) => grade > 0);
  return {
    keep: 5,
    attacked: true,
    planted: passages.filter(({ label }) => label === 'poisoned').length,
    pool: passages,
    context: context?.map((rank) => passages[rank - 1]) ?? passages,
    cleanPool: cleanPassages,
    cleanContext: cleanContext?.map((rank) => cleanPassages[rank - 1]) ?? cleanPassages,
    goldGrades: grades.sort((a, b) => b - a),
    certificate: null,
    ms: null,
    modelCalls: 0,
    ...rest,
  };
}
