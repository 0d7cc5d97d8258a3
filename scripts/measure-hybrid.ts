/**
 * Measures retrieval through a store on the development data, nDCG@10, and prints a Markdown table.
 *
 *   npx tsx scripts/measure-hybrid.ts [--shared ../shared] [--encoder static] [--titles]
 *
 * Without `--titles` over all questions with gold passages. With it no question is looked at: titles of up to 600 pages, drawn with a seed, are searched
 * in the texts, and the texts under that title are gold.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Dataset, openDataset } from '../packages/bench/src/index.ts';
import type { Passage } from '../packages/core/src/index.ts';
import { createRandom } from '../packages/core/src/kernels/random.ts';
import { createMemoryStore } from '../packages/core/src/stores/memory.ts';
import { resolveEncoder } from '../packages/models/src/index.ts';
import { hybridSearch, ingest, ingestShape } from '../packages/stores/src/index.ts';

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string', default: process.env.BEZOAR_SHARED ?? '../shared' },
    encoder: { type: 'string', default: 'static' },
    titles: { type: 'boolean', default: false },
  },
});
const K = 10;
const encoder = await resolveEncoder(options.encoder);

/** Graded gain over log2(rank + 1), divided by that of the best order. */
function ndcg(ids: readonly string[], gold: ReadonlyMap<string, number>): number {
  const gain = (grades: readonly number[]): number =>
    grades.slice(0, K).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
  return gain(ids.map((id) => gold.get(id) ?? 0)) / gain([...gold.values()].sort((a, b) => b - a));
}

interface Search {
  readonly text: string;
  /** Grades by passage id. */
  readonly grades: ReadonlyMap<string, number>;
}

const searchesOf = ({ queries }: Dataset, passages: readonly Passage[]): Search[] =>
  queries.flatMap(({ text, gold }) =>
    gold.size === 0 ? [] : [{ text, grades: new Map([...gold].map(([place, grade]) => [passages[place]!.id, grade])) }],
  );

function titleSearches(passages: readonly Passage[]): Search[] {
  const pages = new Map<string, Map<string, number>>();
  for (const { id, title } of passages) if (title) pages.set(title, (pages.get(title) ?? new Map<string, number>()).set(id, 1));
  return createRandom(1)
    .shuffle([...pages])
    .slice(0, 600)
    .map(([text, grades]) => ({ text, grades }));
}

console.log(
  `| dataset | ${options.titles ? 'titles' : 'questions'} | lexical (BM25) | dense (${options.encoder}) | hybrid |\n|---|---|---|---|---|`,
);
for (const name of ['realtimeqa', 'simpleqa', 'ramdocs', 'hotpotqa']) {
  const dataset = await openDataset(join(options.shared, 'data', name));
  const passages = await dataset.passages(Array.from({ length: dataset.passageCount }, (_, place) => place));
  const searches = options.titles ? titleSearches(passages) : searchesOf(dataset, passages);
  await dataset.close();
  if (searches.length === 0) continue;
  const store = createMemoryStore(ingestShape({ encoder }));
  await ingest(options.titles ? passages.map(({ id, text }) => ({ id, text })) : passages, { store, encoder, runId: name, rules: [] });
  const sums = { lexical: 0, dense: 0, hybrid: 0 };
  for (const { text, grades } of searches) {
    const vector = (await encoder.encode([text], { role: 'query' })).vectors[0]!;
    const add = (list: keyof typeof sums, hits: readonly { readonly id: string }[]): void => {
      sums[list] += ndcg(
        hits.map(({ id }) => id),
        grades,
      );
    };
    add('lexical', await store.searchText({ text, k: K }));
    add('dense', await store.search({ name: 'passage', vector, k: K }));
    add('hybrid', await hybridSearch(store, { text, vector, k: K }));
  }
  const cell = (sum: number): string => (sum / searches.length).toFixed(4);
  console.log(`| ${name} | ${searches.length} | ${cell(sums.lexical)} | ${cell(sums.dense)} | ${cell(sums.hybrid)} |`);
}
