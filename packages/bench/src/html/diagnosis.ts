import type { BenchResult, Diagnosis } from '../types.ts';
import { combinationMap } from './combination-map.ts';
import { histograms } from './histograms.ts';
import { html, type Markup } from './markup.ts';

const SIMILARITIES = ['cosine', 'rouge-l', 'bm25'] as const;
const TITLES = { cosine: 'Cosine', 'rouge-l': 'ROUGE-L', bm25: 'BM25' } as const;

/** How alike the passages of a pool are, and what PRA-RAG sees of them (TrustRAG's figures 3 and 5, PRA-RAG's figure 5). */
export function diagnosis(found: Diagnosis, result: BenchResult, id: string): Markup {
  const charts = SIMILARITIES.flatMap((similarity) => {
    const named = found.similarities
      .filter((one) => one.similarity === similarity)
      .map(({ pairs, histogram }) => ({ name: pairs, histogram }));
    return named.length === 0
      ? []
      : [histograms(named, `${TITLES[similarity]} between passages of a pool`, 'similarity', `${id}-${similarity}`, null)];
  });
  const { combinations } = found;
  const question = combinations
    ? result.questions.find((one) => one.dataset === found.dataset && one.id === combinations.query)
    : undefined;
  return html`<h3>${found.dataset}, ${found.attack}, ${found.poisons} poisoned, encoder ${found.encoder}</h3><div class="panels">${charts}${
    combinations ? combinationMap(combinations, question?.text ?? combinations.query, `${id}-map`) : ''
  }${histograms([{ name: 'questions', histogram: found.margins }], "PRA-RAG's margin", 'radians; below 0 poison is inside the ball', `${id}-margin`, 0)}</div>`;
}
