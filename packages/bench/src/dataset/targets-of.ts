import { createRandom } from '@bezoar/core/kernels/random';
import { type AttackTarget, deriveSeed, makeWrongTexts } from '@bezoar/redteam';
import type { Dataset } from '../types.ts';

/** As many as a pool of the default size can hold. */
const MADE_TEXTS = 10;
/** Answers that a made target is chosen among; looking at all of them for every question would take the square of their number. */
const MAX_OTHER_ANSWERS = 500;

export interface Targets {
  readonly targets: ReadonlyMap<string, AttackTarget>;
  /** Whether wrong texts had to be made: results that rest on them say so. */
  readonly made: boolean;
}

/**
 * What an attack is given for each question of a dataset, by query id. Only where there is no misinformation.jsonl at all are wrong texts (and
 * targets, where queries.jsonl names none) made, from templates: mixing made and given ones would make questions incomparable.
 */
export function targetsOf(dataset: Pick<Dataset, 'queries' | 'hasWrongTexts'>, seed: number): Targets {
  const made = !dataset.hasWrongTexts;
  const answers = made ? dataset.queries.flatMap((query) => query.answers.slice(0, 1)) : [];
  const otherAnswers = createRandom(deriveSeed(seed, 'targets-of'))
    .shuffle([...new Set(answers)])
    .slice(0, MAX_OTHER_ANSWERS);
  const targets = dataset.queries.map((query): [string, AttackTarget] => {
    const target = {
      query: { id: query.id, text: query.text },
      correctAnswers: query.answers,
      targetAnswer: query.targetAnswer,
    };
    if (!made) return [query.id, { ...target, wrongTexts: query.wrongTexts }];
    const { targetAnswer, texts } = makeWrongTexts(target, { otherAnswers, count: MADE_TEXTS, seed });
    return [query.id, { ...target, targetAnswer, wrongTexts: texts }];
  });
  return { targets: new Map(targets), made };
}
