/**
 * Slow, readable twins of what `bench:speed` times: each does by the book what a kernel does by a shortcut. They are the other side of the
 * ratios and say the same as the fast ones (the bench checks that before it times anything).
 */

const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

const words = (text: string): string[] => (text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).filter((word) => !STOP_WORDS.has(word));

const counts = (tokens: readonly string[]): Map<string, number> => {
  const table = new Map<string, number>();
  for (const token of tokens) table.set(token, (table.get(token) ?? 0) + 1);
  return table;
};

/** BM25 with one document as the whole index: idf ln(4/3), no length normalisation, k1 1.5. */
const bm25 = (document: string, query: string): number => {
  const there = counts(words(document));
  let sum = 0;
  for (const [token, times] of counts(words(query))) {
    const frequency = there.get(token) ?? 0;
    sum += times * Math.log(4 / 3) * (frequency / (frequency + 1.5));
  }
  return sum;
};

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

/** Power iteration to 1e-12, isolated nodes spread evenly. */
function pageRank(weights: readonly (readonly number[])[], damping = 0.85): number[] {
  const n = weights.length;
  const rows = weights.map((row) => {
    const sum = row.reduce((a, b) => a + b, 0);
    return sum > 0 ? row.map((weight) => weight / sum) : row.map(() => 1 / n);
  });
  let scores = rows.map(() => 1 / n);
  for (let step = 0; step < 1000; step++) {
    const next = scores.map((_, i) => (1 - damping) / n + damping * scores.reduce((sum, score, j) => sum + score * rows[j]![i]!, 0));
    const change = next.reduce((sum, score, i) => sum + Math.abs(score - scores[i]!), 0);
    scores = next;
    if (change < 1e-12) break;
  }
  return scores;
}

export function gradaHybridTwin(question: string, texts: readonly string[]): number[] {
  const relevance = texts.map((text) => bm25(question, text));
  const weights = texts.map((a, i) =>
    texts.map((b, j) => (i === j ? 0 : Math.max((bm25(a, b) + bm25(b, a)) / 2 - 0.4 * (relevance[i]! + relevance[j]!), 0))),
  );
  return pageRank(weights.map((row) => row.map((weight) => (weight < 1e-9 ? 0 : weight))));
}

export function gradaEmbeddingTwin(vectors: readonly Float32Array[]): number[] {
  return pageRank(vectors.map((a, i) => vectors.map((b, j) => (i === j ? 0 : Math.max(cosine(a, b), 0)))));
}

function subsets(n: number, size: number): number[][] {
  const found: number[][] = [];
  const grow = (chosen: number[], from: number): void => {
    if (chosen.length === size) found.push(chosen);
    else for (let i = from; i < n; i++) grow([...chosen, i], i + 1);
  };
  grow([], 0);
  return found;
}

function joined(vectors: readonly Float32Array[], chosen: readonly number[]): Float32Array {
  const width = vectors[0]!.length;
  const whole = new Float32Array(chosen.length * width);
  for (const [position, index] of chosen.entries()) whole.set(vectors[index]!, position * width);
  return whole;
}

const angle = (a: Float32Array, b: Float32Array): number => Math.acos(Math.min(1, Math.max(-1, cosine(a, b))));

/** Algorithm 1 of PRA-RAG with the vectors of a combination put end to end. */
export function praRagTwin(vectors: readonly Float32Array[], size: number): number[] {
  const all = subsets(vectors.length, size);
  const points = all.map((chosen) => joined(vectors, chosen));
  const middle = Math.ceil((all.length - 1) / 2);
  let best = 0;
  let bestRadius = Number.POSITIVE_INFINITY;
  for (const [index, point] of points.entries()) {
    const distances = points.flatMap((other, at) => (at === index ? [] : [angle(point, other)])).sort((a, b) => a - b);
    if (distances[middle - 1]! < bestRadius - 1e-12) [best, bestRadius] = [index, distances[middle - 1]!];
  }
  return all[best]!;
}

/** The radius of Algorithm 2 around one combination, with the vectors put end to end. */
export function certificateTwin(vectors: readonly Float32Array[], centre: readonly number[], corruption: number): number {
  const all = subsets(vectors.length, centre.length);
  const clean = subsets(vectors.length - corruption, centre.length).length;
  const middle = joined(vectors, centre);
  const distances = all.map((chosen) => angle(middle, joined(vectors, chosen))).sort((a, b) => a - b);
  return distances[Math.floor(all.length / 2) + (all.length - clean)]!;
}

function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  }
  return table[a.length]![b.length]!;
}

/** Which pairs have a ROUGE-L above 0.25, and the best split in two of the standardised rows, by trying all. */
export function trustragTwin(
  texts: readonly string[],
  vectors: readonly Float32Array[],
  stem: (word: string) => string,
): { gate: boolean; split: number } {
  const tokens = texts.map((text) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .split(' ')
      .flatMap((word) => (word === '' ? [] : [word.length > 3 ? stem(word) : word])),
  );
  const gate = tokens.some((a, i) => tokens.some((b, j) => j > i && (2 * longestCommonSubsequence(a, b)) / (a.length + b.length) > 0.25));
  const n = vectors.length;
  const width = vectors[0]!.length;
  const rows = vectors.map((vector) => [...vector]);
  for (let d = 0; d < width; d++) {
    const mean = rows.reduce((sum, row) => sum + row[d]!, 0) / n;
    const deviation = Math.sqrt(rows.reduce((sum, row) => sum + (row[d]! - mean) ** 2, 0) / n) || 1;
    for (const row of rows) row[d] = (row[d]! - mean) / deviation;
  }
  const unit = rows.map((row) => row.map((value) => value / Math.sqrt(dot(row, row) || 1)));
  let split = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let mask = 1; mask < 2 ** (n - 1); mask++) {
    let cost = 0;
    for (const side of [0, 1]) {
      const members = unit.filter((_, i) => ((mask >> i) & 1) === side);
      const centre = unit[0]!.map((_, d) => members.reduce((sum, row) => sum + row[d]!, 0) / members.length);
      for (const row of members) cost += row.reduce((sum, value, d) => sum + (value - centre[d]!) ** 2, 0);
    }
    if (cost < least - 1e-12) [split, least] = [mask, cost];
  }
  return { gate, split };
}
