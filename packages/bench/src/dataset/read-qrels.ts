import { BezoarError } from '@bezoar/core';
import { quoted } from './quoted.ts';
import { readLines } from './read-json-lines.ts';

/** Place of each gold passage to its grade, by query id. A query with no grade above 0 has an empty map. */
export type Gold = ReadonlyMap<string, ReadonlyMap<number, number>>;

const EXPECTED = 'query id, passage id and grade, with a tab between';

/**
 * Reads `query-id corpus-id score` lines, with or without a head. A first line is a head when it names no known query and its grade is no
 * number.
 */
export async function readQrels(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  queryIds: { has(id: string): boolean },
  places: ReadonlyMap<string, number>,
): Promise<Gold> {
  const gold = new Map<string, Map<number, number>>();
  const grades = new Map<string, number>();
  for await (const { text, at, line } of readLines(chunks, name, { invalidUtf8: 'refuse' })) {
    if (text.trim() === '') continue;
    const fault = (field: string, said: string): BezoarError =>
      new BezoarError('BAD_INPUT', `${at}: ${said}`, { details: { line, field } });
    const columns = text.replace(/\r$/, '').split('\t');
    if (columns.length !== 3) {
      const only = columns.length === 1 ? '1 column' : `${columns.length} columns`;
      throw fault('columns', `has ${only}, expected 3: ${EXPECTED}`);
    }
    const [queryId, passageId, score] = columns as [string, string, string];
    const grade = score.trim() === '' ? Number.NaN : Number(score);
    if (!Number.isFinite(grade)) {
      if (line === 1 && !queryIds.has(queryId)) continue;
      throw fault('score', `score is ${quoted(score)}, expected a number; 0 or less is not gold`);
    }
    if (!queryIds.has(queryId))
      throw fault('query-id', `query-id is ${quoted(queryId)}, which queries.jsonl does not have; add the question or remove the line`);
    const place = places.get(passageId);
    if (place === undefined)
      throw fault('corpus-id', `corpus-id is ${quoted(passageId)}, which corpus.jsonl does not have; add the passage or remove the line`);
    const pair = `${place} ${queryId}`;
    if ((grades.get(pair) ?? grade) !== grade)
      throw fault('score', `score is ${grade}, but ${grades.get(pair)} on an earlier line for the same question and passage; remove one`);
    grades.set(pair, grade);
    const ofQuery = gold.get(queryId) ?? new Map<number, number>();
    if (grade > 0) ofQuery.set(place, grade);
    gold.set(queryId, ofQuery);
  }
  return gold;
}
