import type { Dataset } from '../types.ts';
import { BestPassages } from './best-passages.ts';
import { type CorpusReading, corpusTexts } from './corpus-texts.ts';
import { distinctText } from './distinct-text.ts';
import type { RankedList } from './ranked-list.ts';
import type { Scorer } from './scorer.ts';

/**
 * The `depth` best passages of a corpus for each question, by exact search in one pass. Passages whose text repeats, whitespace aside, count
 * once where `distinct` says so. Equal scores are in the order of the corpus.
 *
 * Cost: O(questions x passages) scores; memory for one batch of passages and questions x depth numbers, whatever the size of the corpus.
 */
export async function searchCorpus(
  dataset: Dataset,
  scorer: Scorer,
  queries: number,
  depth: number,
  distinct: boolean,
  reading: CorpusReading,
): Promise<RankedList[]> {
  const best = Array.from({ length: queries }, () => new BestPassages(depth));
  for await (const { first, texts } of corpusTexts(dataset, reading, `searching ${dataset.name}`)) {
    const scored = await scorer.score(texts);
    const known: string[] = [];
    const textOf = (place: number): string => {
      known[place - first] ??= distinctText(texts[place - first]!);
      return known[place - first]!;
    };
    for (const [query, list] of best.entries()) {
      const scores = scored.scores(query, 0, texts.length);
      for (let i = 0; i < scores.length; i++) list.offer(first + i, scores[i]!, distinct ? textOf : null);
    }
  }
  return best.map((list) => list.list());
}
