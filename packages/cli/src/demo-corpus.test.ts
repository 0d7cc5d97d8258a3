import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Passage {
  readonly _id: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: object;
}
interface Query {
  readonly _id: string;
  readonly text: string;
  readonly metadata: { readonly answers: readonly string[]; readonly target: string };
}
interface Candidates {
  readonly query_id: string;
  readonly passage_ids: readonly string[];
}
interface Misinformation {
  readonly _id: string;
  readonly query_id: string;
  readonly text: string;
  readonly target: string;
}

const linesOf = (path: string): string[] =>
  readFileSync(new URL(`../assets/demo/${path}`, import.meta.url), 'utf8')
    .replace(/\n$/, '')
    .split('\n');
const rowsOf = <Row>(path: string): Row[] => linesOf(path).map((line) => JSON.parse(line) as Row);

const corpus = rowsOf<Passage>('corpus.jsonl');
const queries = rowsOf<Query>('queries.jsonl');
const candidates = rowsOf<Candidates>('candidates.jsonl');
const wrongTexts = rowsOf<Misinformation>('misinformation.jsonl');
const [qrelsHeader, ...qrelsLines] = linesOf('qrels/test.tsv');
const qrels = qrelsLines.map((line) => line.split('\t'));

const passageById = new Map(corpus.map((passage) => [passage._id, passage]));
const goldKeys = new Set(qrels.map(([queryId, passageId]) => `${queryId} ${passageId}`));

/** One question with all that belongs to it; a missing passage is dropped here and reported by the test of the layout. */
const cases = queries.map((query) => {
  const ids = candidates.find((row) => row.query_id === query._id)?.passage_ids ?? [];
  const passages = ids.map((id) => passageById.get(id)).filter((passage) => passage !== undefined);
  const isGold = (passage: Passage): boolean => goldKeys.has(`${query._id} ${passage._id}`);
  return {
    query,
    passages,
    gold: passages.filter(isGold),
    background: passages.filter((passage) => !isGold(passage)),
    wrong: wrongTexts.filter((row) => row.query_id === query._id),
  };
});

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const states = (text: string, phrase: string): boolean => ` ${words(text).join(' ')} `.includes(` ${words(phrase).join(' ')} `);
const statesAny = (text: string, phrases: readonly string[]): boolean => phrases.some((phrase) => states(text, phrase));
const titled = (passage: Passage): string => `${passage.title}\n${passage.text}`;
const lengthOf = (text: string): number => text.split(/\s+/).length;
const duplicates = (values: readonly string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index);

const trigrams = (text: string): Set<string> => {
  const tokens = words(text);
  return new Set(tokens.slice(2).map((token, index) => `${tokens[index]} ${tokens[index + 1]} ${token}`));
};
const trigramJaccard = (a: string, b: string): number => {
  const left = trigrams(a);
  const right = trigrams(b);
  const shared = [...left].filter((trigram) => right.has(trigram)).length;
  return shared / (left.size + right.size - shared);
};

describe('demo corpus: layout', () => {
  it('has enough questions, each once in every file', () => {
    const ids = queries.map((query) => query._id);
    expect(ids.length).toBeGreaterThanOrEqual(24);
    expect(duplicates(ids)).toEqual([]);
    expect(candidates.map((row) => row.query_id)).toEqual(ids);
    expect([...new Set(qrels.map(([queryId]) => queryId))]).toEqual(ids);
    expect([...new Set(wrongTexts.map((row) => row.query_id))]).toEqual(ids);
  });

  it('has nine or ten passages, four to six of them gold, and two wrong texts a question', () => {
    for (const { query, passages, gold, wrong } of cases) {
      expect([9, 10], query.text).toContain(passages.length);
      expect([4, 5, 6], query.text).toContain(gold.length);
      expect(wrong, query.text).toHaveLength(2);
    }
  });

  it('lists every passage for exactly one question, and only passages that exist', () => {
    const listed = candidates.flatMap((row) => row.passage_ids);
    expect(duplicates(listed)).toEqual([]);
    expect([...listed].sort()).toEqual([...passageById.keys()].sort());
  });

  it('has relevance judgements for listed passages only', () => {
    expect(qrelsHeader).toBe('query-id\tcorpus-id\tscore');
    expect(qrels.filter(([, , score]) => score !== '1')).toEqual([]);
    expect(goldKeys.size).toBe(qrels.length);
    expect(cases.reduce((sum, { gold }) => sum + gold.length, 0)).toBe(qrels.length);
  });

  it('has unique, opaque ids and unique texts', () => {
    const ids = [...corpus, ...wrongTexts].map((row) => row._id);
    expect(duplicates(ids)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]\d+$/.test(id))).toEqual([]);
    expect(duplicates([...corpus, ...wrongTexts].map((row) => words(row.text).join(' ')))).toEqual([]);
    for (const { query, passages } of cases) expect(duplicates(passages.map((passage) => passage.title)), query.text).toEqual([]);
  });

  it('mixes gold and background: neither always comes first, and no list has all its gold on top', () => {
    const goldFirst = cases.filter(({ passages, gold }) => passages[0] === gold[0]).length;
    expect(goldFirst).toBeGreaterThan(0);
    expect(goldFirst).toBeLessThan(cases.length);
    const sorted = cases.filter(({ passages, gold }) => gold.every((passage, rank) => passages[rank] === passage));
    expect(sorted.map(({ query }) => query._id)).toEqual([]);
  });
});

describe('demo corpus: texts', () => {
  it('keeps to the agreed lengths', () => {
    const outside = (text: string, least: number, most: number): boolean => lengthOf(text) < least || lengthOf(text) > most;
    expect(queries.filter(({ text }) => outside(text, 7, 14))).toEqual([]);
    expect(corpus.filter(({ text }) => outside(text, 20, 55))).toEqual([]);
    expect(corpus.filter(({ title }) => outside(title.trim(), 1, 12) || title.trim() === '')).toEqual([]);
    expect(wrongTexts.filter(({ text }) => outside(text, 20, 40))).toEqual([]);
  });

  it('uses Latin letters, digits and ASCII signs only', () => {
    const plain = /^[\p{Script=Latin}\x20-\x7e]+$/u;
    const all = [
      ...queries.map(({ text }) => text),
      ...corpus.flatMap(({ title, text }) => [title, text]),
      ...wrongTexts.map(({ text }) => text),
    ];
    expect(all.filter((text) => !plain.test(text) || text !== text.normalize('NFC') || / {2}|^ | $/.test(text))).toEqual([]);
  });

  it('has no near copies and no two passages of a question that open alike', () => {
    for (const { query, passages, wrong } of cases) {
      const texts = [...passages, ...wrong].map(({ text }) => text);
      const pairs = texts.flatMap((a, i) => texts.slice(i + 1).map((b) => ({ a, b, overlap: trigramJaccard(a, b) })));
      expect(
        pairs.filter(({ overlap }) => !(overlap < 0.3)),
        query.text,
      ).toEqual([]);
      expect(duplicates(passages.map(({ text }) => words(text).slice(0, 3).join(' '))), query.text).toEqual([]);
    }
  });
});

describe('demo corpus: answers', () => {
  it('states the answer in every gold text and nowhere else among the true passages of the question', () => {
    for (const { query, gold, background } of cases) {
      const { answers } = query.metadata;
      expect(
        gold.filter(({ text }) => !statesAny(text, answers)),
        query.text,
      ).toEqual([]);
      expect(
        background.filter((passage) => statesAny(titled(passage), answers)),
        query.text,
      ).toEqual([]);
    }
  });

  it('never gives the answer or the target away in the question', () => {
    expect(queries.filter(({ text, metadata }) => statesAny(text, [...metadata.answers, metadata.target]))).toEqual([]);
  });

  it("keeps the attacker's answer out of every true passage of the whole corpus", () => {
    for (const { metadata } of queries) {
      expect(
        corpus.filter((passage) => states(titled(passage), metadata.target)),
        metadata.target,
      ).toEqual([]);
    }
  });

  it('states the target and not the answer in every wrong text', () => {
    for (const { query, wrong } of cases) {
      const { answers, target } = query.metadata;
      expect(
        wrong.filter((row) => row.target !== target || !states(row.text, target)),
        query.text,
      ).toEqual([]);
      expect(
        wrong.filter((row) => statesAny(row.text, answers)),
        query.text,
      ).toEqual([]);
    }
  });
});
