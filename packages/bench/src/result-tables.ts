import type { AttackTarget } from '@bezoar/redteam';
import type { BenchResult, Dataset, PoolPassage, PreparedQuestion, ResultPassage, ResultPool, ResultQuestion } from './types.ts';

/** A result shows what a passage is about; whoever wants all of it has the corpus. */
const SHOWN_CHARACTERS = 1000;

export interface PoolPlaces {
  readonly pool: number;
  readonly cleanPool: number;
}

interface Pools {
  readonly pool: readonly PoolPassage[];
  readonly cleanPool: readonly PoolPassage[];
}

interface ScenarioQuestion {
  readonly dataset: Dataset;
  /** Place in `questions`. */
  readonly question: number;
  readonly planted: number;
  readonly places: PoolPlaces | null;
}

/** Questions, passages and pools of a result, each once, numbered in the order in which they came. */
export class ResultTables {
  readonly #questions: ResultQuestion[] = [];
  readonly #passages: ResultPassage[] = [];
  readonly #pools: ResultPool[] = [];
  readonly #places = new Map<string, number>();
  readonly #scenarios = new Map<string, readonly ScenarioQuestion[]>();

  /** Takes in the pools of a scenario, one entry a question; unassessed questions have none. */
  addScenario(key: string, dataset: Dataset, targets: ReadonlyMap<string, AttackTarget>, prepared: readonly PreparedQuestion[]): void {
    const answers = new Map(dataset.queries.map((query) => [query.id, query.answers]));
    this.#scenarios.set(
      key,
      prepared.map(({ query, notAssessed, goldGrades, pool, cleanPool, planted }): ScenarioQuestion => {
        const targetAnswer = targets.get(query.id)?.targetAnswer ?? null;
        const question = this.#place('question', [dataset.name, query.id], this.#questions, () => {
          return {
            dataset: dataset.name,
            id: query.id,
            text: clip(query.text),
            answers: answers.get(query.id) ?? [],
            targetAnswer,
            goldGrades,
          };
        });
        const places = notAssessed === null ? this.#both(dataset, question, planted, { pool, cleanPool }) : null;
        return { dataset, question, planted, places };
      }),
    );
  }

  /** Where the pools of a scenario's questions stand, in the order of the questions. */
  poolsOf(scenario: string): readonly (PoolPlaces | null)[] {
    return this.#scenarios.get(scenario)!.map(({ places }) => places);
  }

  /** Takes in the pools of a defense that retrieved for itself, for one question of a scenario. */
  addPools(scenario: string, index: number, pools: Pools): PoolPlaces {
    const { dataset, question, planted } = this.#scenarios.get(scenario)![index]!;
    return this.#both(dataset, question, planted, pools);
  }

  content(): Pick<BenchResult, 'questions' | 'passages' | 'pools'> {
    return { questions: this.#questions, passages: this.#passages, pools: this.#pools };
  }

  #both(dataset: Dataset, question: number, planted: number, { pool, cleanPool }: Pools): PoolPlaces {
    return { pool: this.#pool(dataset, question, planted, pool), cleanPool: this.#pool(dataset, question, 0, cleanPool) };
  }

  #pool(dataset: Dataset, question: number, planted: number, pool: readonly PoolPassage[]): number {
    const passages = pool.map(({ id, title, text, label, grade }) => {
      const passage = this.#place('passage', [dataset.name, id, text], this.#passages, () => ({
        id,
        title: title === undefined ? null : clip(title),
        text: clip(text),
      }));
      return { passage, label, grade };
    });
    const identity = [question, planted, ...passages.flatMap(({ passage, label }) => [passage, label])];
    return this.#place('pool', identity, this.#pools, () => ({ question, planted, passages }));
  }

  #place<T>(kind: string, identity: readonly unknown[], table: T[], make: () => T): number {
    const key = JSON.stringify([kind, ...identity]);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, table.length);
    table.push(make());
    return table.length - 1;
  }
}

/** Cut between characters, never inside one. */
const clip = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : text.slice(0, SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
