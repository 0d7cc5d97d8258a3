import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../tests/memory-terminal.ts';
import { type Corpus, readCorpus } from './read-corpus.ts';

function read(files: Readonly<Record<string, string>>, path = 'beir/'): Promise<Corpus> {
  const terminal = memoryTerminal();
  mkdirSync(join(terminal.cwd, 'beir'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(terminal.cwd, name), content);
  return readCorpus(path, terminal);
}

const CORPUS = '{"_id": "a", "title": "T", "text": "one"}\n{"_id": "b", "title": "", "text": "two"}\n';

describe('readCorpus', () => {
  it('reads a BEIR folder with questions and candidates', async () => {
    const corpus = await read({
      'beir/corpus.jsonl': CORPUS,
      'beir/queries.jsonl': '{"_id": "q1", "text": "who?"}\n{"_id": "q2", "text": "what?"}\n',
      'beir/candidates.jsonl': '{"query_id": "q2", "passage_ids": ["b", "a"]}\n',
    });
    expect(corpus.name).toBe('beir');
    expect([...corpus.passages.values()]).toEqual([
      { id: 'a', title: 'T', text: 'one' },
      { id: 'b', text: 'two' },
    ]);
    expect(corpus.queries).toEqual([
      { id: 'q1', text: 'who?', candidates: null },
      { id: 'q2', text: 'what?', candidates: ['b', 'a'] },
    ]);
  });

  it('reads a folder that holds only passages, and a file of passages under id or _id', async () => {
    expect(await read({ 'beir/corpus.jsonl': CORPUS })).toMatchObject({ queries: [] });
    const corpus = await read({ 'some.jsonl': '{"id": "a", "text": "one"}\n{"_id": "b", "text": "two"}' }, 'some.jsonl');
    expect([corpus.name, [...corpus.passages.keys()], corpus.queries]).toEqual(['some.jsonl', ['a', 'b'], []]);
  });

  const at = join('beir', 'corpus.jsonl');
  it.each([
    ['no such path', {}, 'nope', 'nope does not exist; check the path'],
    ['no corpus in the folder', {}, 'beir', `${at} does not exist; a BEIR folder holds corpus.jsonl, one {"_id", "text"} a line`],
    ['no passage', { 'beir/corpus.jsonl': '\n\n' }, 'beir', 'beir holds no passage; write one {"_id", "text"} a line'],
    ['no object', { 'beir/corpus.jsonl': '[1]\n' }, 'beir', `${at} line 1: the line is not an object`],
    ['no id', { 'beir/corpus.jsonl': '{"text": "one"}\n' }, 'beir', `${at} line 1: _id is missing, expected text`],
    ['a number for an id', { 'beir/corpus.jsonl': '{"_id": 1, "text": "one"}\n' }, 'beir', `${at} line 1: _id is a number, expected text`],
    ['no text', { 'beir/corpus.jsonl': `${CORPUS}{"_id": "c"}\n` }, 'beir', `${at} line 3: text is missing, expected text`],
    [
      'a list for a title',
      { 'beir/corpus.jsonl': '{"_id": "a", "text": "", "title": ["T"]}\n' },
      'beir',
      `${at} line 1: title is a object, expected text`,
    ],
    [
      'an id twice',
      { 'beir/corpus.jsonl': CORPUS + CORPUS },
      'beir',
      `${at} line 3: _id is the same as an earlier passage's; ids must be unique`,
    ],
    [
      'candidates that are none',
      { 'beir/corpus.jsonl': CORPUS, 'beir/candidates.jsonl': '{"query_id": "q", "passage_ids": "a"}' },
      'beir',
      `${join('beir', 'candidates.jsonl')} line 1: passage_ids is not a list of ids`,
    ],
    [
      'candidates that are nowhere',
      { 'beir/corpus.jsonl': CORPUS, 'beir/candidates.jsonl': '{"query_id": "q", "passage_ids": ["a", "\\u001b"]}' },
      'beir',
      `${join('beir', 'candidates.jsonl')} line 1: passage_ids names a passage that is not in corpus.jsonl`,
    ],
    [
      'a question without text',
      { 'beir/corpus.jsonl': CORPUS, 'beir/queries.jsonl': '{"_id": "q"}' },
      'beir',
      `${join('beir', 'queries.jsonl')} line 1: text is missing, expected text`,
    ],
  ])('%s: says where and what was expected', async (_, files, path, said) => {
    await expect(read(files as unknown as Record<string, string>, path)).rejects.toThrow(said);
  });
});
