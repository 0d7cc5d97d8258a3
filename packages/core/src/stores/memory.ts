import { passageText } from '../core/passage-text.ts';
import type { StoredPassage, StoreFilter, StoreHit, StoreRecord, StoreShape, VectorStore } from '../core/store-port.ts';
import { checkAborted, checkCount, checkRecords, checkSameShape, checkShape, checkVector, passageMatcher } from '../core/store-records.ts';
import { readSnapshot, writeSnapshot } from '../core/store-snapshot.ts';
import { type Bm25Index, bm25Index } from '../kernels/bm25.ts';
import { roundScore } from '../kernels/round-score.ts';

export { printable } from '../core/printable.ts';
export { checkAborted, checkCount, checkRecords, checkSameShape, checkShape, checkVector, passageMatcher } from '../core/store-records.ts';
export { readSnapshot, writeSnapshot } from '../core/store-snapshot.ts';

/** The vectors of one name: row `slot` belongs to the passage in that slot. */
interface Column {
  readonly width: number;
  values: Float32Array;
  /** Euclidean length of the row; -1 where the passage has no such vector. */
  norms: Float64Array;
}

interface Content {
  /** Null where a passage was removed and none has come since. */
  readonly passages: (StoredPassage | null)[];
  readonly slots: Map<string, number>;
  readonly free: number[];
  readonly columns: ReadonlyMap<string, Column>;
  /** By status, made by the first text search after a change. */
  readonly texts: Map<string, { readonly index: Bm25Index; readonly passages: readonly StoredPassage[] }>;
}

/**
 * A store in memory that looks at every passage: exact, deterministic, nothing written anywhere. `snapshot` gives its bytes and `restore` takes
 * them, in place of what was there, and all or nothing; who writes a file is not core. Scores within 1e-12 of each other are equal and go by id.
 *
 * Text search is BM25 in Lucene's form over title and text, its rarities counted over the passages of the status asked for; the index is made
 * anew by the first text search after a change.
 *
 * @throws {BezoarError} `INVALID_OPTION` for a shape that is none.
 *
 * Cost: a search reads every number of the vector's name (25 ms for 100,000 of 256 on one core) and blocks meanwhile; memory is 4 bytes a number
 * beside the passages themselves.
 */
export function createMemoryStore(shape: StoreShape): VectorStore {
  checkShape(shape);
  let content = emptyContent(shape);

  const fetchOne = (id: string, names: readonly string[]): StoreRecord | null => {
    const slot = content.slots.get(id);
    if (slot === undefined) return null;
    const vectors: Record<string, Float32Array> = {};
    for (const name of names) {
      const { width, values, norms } = content.columns.get(name)!;
      if (norms[slot]! >= 0) vectors[name] = values.slice(slot * width, (slot + 1) * width);
    }
    return { passage: content.passages[slot]!, vectors };
  };
  const matching = (filter?: StoreFilter): StoredPassage[] => {
    const matches = passageMatcher(filter);
    return content.passages.filter((passage) => passage !== null && matches(passage)).sort(byId) as StoredPassage[];
  };
  const textsOf = (filter: StoreFilter | undefined) => {
    const status = filter?.status ?? 'searchable';
    let texts = content.texts.get(status);
    if (texts === undefined) {
      const passages = matching({ status });
      texts = { index: bm25Index(passages.map((passage) => passageText(passage))), passages };
      content.texts.set(status, texts);
    }
    return texts;
  };

  return Object.freeze<VectorStore>({
    name: 'memory',
    shape,
    capabilities: { approximate: false, transactional: true, persistent: false },

    async put(records, options) {
      checkAborted(options?.signal);
      for (const record of checkRecords(shape, records)) write(content, record);
    },

    async search({ name, vector, k, filter, signal }) {
      checkAborted(signal);
      checkCount(k);
      checkVector(shape, name, vector);
      const matches = passageMatcher(filter);
      const { width, values, norms } = content.columns.get(name)!;
      const cosine = shape.similarity === 'cosine';
      const length = norm(vector, 0, width);
      const best = bestOf(k);
      for (let slot = 0; slot < content.passages.length; slot++) {
        const passage = content.passages[slot]!;
        if (passage === null || !(norms[slot]! >= 0) || !matches(passage)) continue;
        const product = dot(vector, values, slot * width, width);
        const scale = cosine ? length * norms[slot]! : 1;
        best.offer(passage.id, scale === 0 ? 0 : product / scale);
      }
      return best.hits();
    },

    async searchText({ text, k, filter, signal }) {
      checkAborted(signal);
      checkCount(k);
      const matches = passageMatcher(filter);
      const { index, passages } = textsOf(filter);
      const best = bestOf(k);
      for (const [place, score] of index.scores(text).entries()) {
        if (score > 0 && matches(passages[place]!)) best.offer(passages[place]!.id, score);
      }
      return best.hits();
    },

    async fetch(ids, options) {
      const names = options?.vectors ?? [];
      for (const name of names) if (!content.columns.has(name)) checkVector(shape, name, new Float32Array(0));
      return ids.map((id) => fetchOne(id, names));
    },

    async *list(filter) {
      yield* matching(filter);
    },

    async setStatus(ids, status) {
      let found = 0;
      for (const id of new Set(ids)) {
        const slot = content.slots.get(id);
        if (slot === undefined) continue;
        content.passages[slot] = Object.freeze({ ...content.passages[slot]!, status });
        found++;
      }
      content.texts.clear();
      return found;
    },

    async remove(which) {
      const ids = 'ids' in which ? which.ids : matching({ status: 'any', runId: which.runId }).map(({ id }) => id);
      let removed = 0;
      for (const id of ids) {
        const slot = content.slots.get(id);
        if (slot === undefined) continue;
        content.slots.delete(id);
        content.passages[slot] = null;
        content.free.push(slot);
        removed++;
      }
      content.texts.clear();
      return removed;
    },

    async count(filter) {
      const matches = passageMatcher(filter);
      let count = 0;
      for (const passage of content.passages) if (passage !== null && matches(passage)) count++;
      return count;
    },

    async *snapshot() {
      const names = Object.keys(shape.vectors);
      const records = function* (): Generator<StoreRecord> {
        for (const { id } of matching({ status: 'any' })) {
          const record = fetchOne(id, names);
          if (record !== null) yield record;
        }
      };
      yield* writeSnapshot(shape, records());
    },

    async restore(pieces) {
      const read = await readSnapshot(pieces);
      checkSameShape(read.shape, shape);
      const restored = emptyContent(shape);
      for await (const record of read.records) for (const checked of checkRecords(shape, [record])) write(restored, checked);
      content = restored;
    },

    async close() {
      content = emptyContent(shape);
    },
  });
}

const emptyContent = (shape: StoreShape): Content => ({
  passages: [],
  slots: new Map(),
  free: [],
  columns: new Map(
    Object.entries(shape.vectors).map(([name, width]) => [name, { width, values: new Float32Array(0), norms: new Float64Array(0) }]),
  ),
  texts: new Map(),
});

function write(content: Content, { passage, vectors }: StoreRecord): void {
  const slot = content.slots.get(passage.id) ?? content.free.pop() ?? content.passages.length;
  content.slots.set(passage.id, slot);
  content.passages[slot] = passage;
  content.texts.clear();
  for (const [name, column] of content.columns) {
    if (slot >= column.norms.length) grow(column, slot);
    const vector = vectors[name];
    if (vector !== undefined) column.values.set(vector, slot * column.width);
    column.norms[slot] = vector === undefined ? -1 : norm(vector, 0, column.width);
  }
}

function grow(column: Column, slot: number): void {
  const capacity = Math.max(16, 2 * slot);
  const values = new Float32Array(capacity * column.width);
  values.set(column.values);
  const norms = new Float64Array(capacity).fill(-1);
  norms.set(column.norms);
  column.values = values;
  column.norms = norms;
}

/** Four sums that do not wait for each other. */
function dot(a: Float32Array, rows: Float32Array, start: number, width: number): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const even = width - (width % 4);
  let i = 0;
  for (let j = start; i < even; i += 4, j += 4) {
    first += a[i]! * rows[j]!;
    second += a[i + 1]! * rows[j + 1]!;
    third += a[i + 2]! * rows[j + 2]!;
    fourth += a[i + 3]! * rows[j + 3]!;
  }
  for (; i < width; i++) first += a[i]! * rows[start + i]!;
  return first + second + (third + fourth);
}

const norm = (rows: Float32Array, start: number, width: number): number =>
  Math.sqrt(dot(rows.subarray(start, start + width), rows, start, width));

const byId = (a: { readonly id: string } | null, b: { readonly id: string } | null): number => (a!.id < b!.id ? -1 : 1);

/** Collects the k best: what beats the k-th best known so far is kept, and of every 2 k the worse half is thrown away. */
function bestOf(k: number): { offer(id: string, score: number): void; hits(): StoreHit[] } {
  let kept: (StoreHit & { readonly key: number })[] = [];
  let threshold = k === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const cut = (): void => {
    kept = kept.sort((a, b) => b.key - a.key || byId(a, b)).slice(0, k);
    if (kept.length === k && k > 0) threshold = kept[k - 1]!.key;
  };
  return {
    offer(id, score) {
      const key = roundScore(score);
      if (key < threshold || k === 0) return;
      kept.push({ id, score, key });
      if (kept.length >= 2 * k + 64) cut();
    },
    hits() {
      cut();
      return kept.map(({ id, score }) => ({ id, score }));
    },
  };
}
