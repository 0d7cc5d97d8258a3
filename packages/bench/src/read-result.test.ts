import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkResult, readResult } from './read-result.ts';
import { json } from './reporters/json.ts';
import { jsonl } from './reporters/jsonl.ts';
import { type SampleSettings, sampleResult } from './testing/sample-result.ts';
import type { BenchResult } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-result-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS = { columns: 100, colour: false };
const textOf = (reporter: typeof json, result: BenchResult): string => [...reporter.render(result, SETTINGS)].join('');

let files = 0;
function file(content: string | Uint8Array): string {
  const path = join(folder, `${files++}`);
  writeFileSync(path, content);
  return path;
}

async function fault(content: string | Uint8Array): Promise<string> {
  const error = await readResult(file(content), 'r').then(
    () => 'no fault',
    (error: unknown) => error,
  );
  expect(BezoarError.is(error)).toBe(true);
  return (error as BezoarError).message;
}

const samples: fc.Arbitrary<SampleSettings> = fc.record({
  hostile: fc.boolean(),
  sweep: fc.boolean(),
  diagnose: fc.boolean(),
  repeats: fc.boolean(),
  cells: fc.integer({ min: 0, max: 20 }),
  questions: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 3 })),
});

describe('readResult', () => {
  it('gives back what json and jsonl wrote, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async (options) => {
        const result = sampleResult(options);
        const once = textOf(json, result);
        const fromJson = await readResult(file(once));
        expect(fromJson).toEqual(result);
        const log = textOf(jsonl, fromJson);
        const fromLog = await readResult(file(log));
        expect(fromLog).toEqual(result);
        expect(textOf(json, fromLog)).toBe(once);
        expect(textOf(jsonl, fromLog)).toBe(log);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps keys that are names of prototypes, and keys of later versions', async () => {
    const text = textOf(json, sampleResult({ cells: 1 }))
      .replace('"poisonInContext":', '"__proto__":')
      .replace('"startedAt":', '"later":[1],"startedAt":');
    const log = textOf(jsonl, await readResult(file(text)));
    expect(textOf(json, await readResult(file(log)))).toBe(text);
    expect(text).toContain('"__proto__":{"value"');
  });

  it('reads JSON that others laid out, and a byte order mark', async () => {
    const result = sampleResult({ cells: 2 });
    expect(await readResult(file(JSON.stringify(result)))).toEqual(result);
    expect(await readResult(file(`\ufeff${JSON.stringify(result, null, 4)}`))).toEqual(result);
    const spaced = textOf(jsonl, result).replace('{"type":"run"', '\ufeff{ "type" : "run"');
    expect(await readResult(file(spaced))).toEqual(result);
  });

  it.each([
    [
      '',
      'r is not JSON (Unexpected end of JSON input), perhaps cut short; name a file that bezoar bench wrote with --format json or jsonl',
    ],
    ['[]', 'r is not a bench result; name a file that bezoar bench wrote with --format json or jsonl'],
    ['null', 'r is not a bench result; name a file that bezoar bench wrote with --format json or jsonl'],
    ['{}', 'r: schemaVersion is missing, so it is not a bench result; name a file that bezoar bench wrote with --format json or jsonl'],
    ['{"schemaVersion":2}', 'r: schemaVersion is 2, and this version reads 1; use the version of bezoar that wrote it, or measure again'],
    ['{"schemaVersion":1}', 'r: run is missing, expected object; correct it, or write the result again'],
  ])('refuses %j', async (content, message) => {
    expect(await fault(content)).toBe(message);
  });

  it('refuses a file that is not there, and a folder', async () => {
    await expect(readResult(join(folder, 'none'), 'none')).rejects.toThrow('none does not exist; check the path');
    await expect(readResult(folder, 'there')).rejects.toThrow('there is a folder; name a file');
  });

  const log = (): string[] =>
    textOf(jsonl, sampleResult({ cells: 2, questions: [2, 0] }))
      .trimEnd()
      .split('\n');
  const changed = (at: (line: string) => boolean, change: (line: string) => string): string => {
    const lines = log();
    const index = lines.findIndex(at);
    return [...lines.slice(0, index), change(lines[index]!), ...lines.slice(index + 1)].join('\n');
  };
  const isOf = (type: string) => (line: string) => line.startsWith(`{"type":"${type}"`);

  it('names the line of a log and what is wrong with it', async () => {
    const first = (type: string): number => log().findIndex(isOf(type)) + 1;
    expect(await fault(changed(isOf('cell'), (line) => line.replace('"keep":3', '"keep":"3"')))).toBe(
      `r line ${first('cell')}: keep is "3", expected integer of at least 0; correct it, or write the result again`,
    );
    expect(await fault(changed(isOf('query'), (line) => line.replace('"resisted"', '"won"').replace('"not-assessed"', '"won"')))).toBe(
      `r line ${first('query')}: outcome is "won", expected breached, resisted, not-assessed; correct it, or write the result again`,
    );
    expect(await fault(changed(isOf('pool'), (line) => line.replace('"label":"clean"', '"label":null')))).toBe(
      `r line ${first('pool')}: passages[0].label is null, expected clean, poisoned, foreign; correct it, or write the result again`,
    );
    expect(await fault(changed(isOf('run'), (line) => line.replace('"seed":1', '"seed":-1')))).toBe(
      'r line 1: run.seed is -1, expected integer of at least 0; correct it, or write the result again',
    );
    expect(await fault(changed(isOf('pool'), (line) => line.replace('"type":"pool"', '"type":"\u009b2J"')))).toBe(
      `r line ${first('pool')}: type is " 2J", expected run, question, passage, pool, cell, query, diagnosis`,
    );
    expect(await fault(changed(isOf('passage'), () => '{"type":"passage"'))).toMatch(
      new RegExp(`^r line ${first('passage')} is not JSON: `),
    );
    expect(await fault(changed(isOf('query'), (line) => line.replace('"cell":0', '"cell":1')))).toBe(
      `r line ${first('query')}: cell is 1, expected 0, the cell before it`,
    );
    expect(await fault(changed(isOf('question'), () => log()[0]!))).toBe('r line 2: type is run; a result has one run line, the first');
    expect(await fault(`{"type":"run","schemaVersion":3}`)).toContain('r: schemaVersion is 3, and this version reads 1');
  });

  it('refuses a query before its cell', async () => {
    const lines = log();
    const query = lines.find(isOf('query'))!;
    expect(await fault([lines[0], query].join('\n'))).toBe('r line 2: type is query, expected a cell before it');
  });

  it('notices at every line that a log was cut there', async () => {
    const lines = log();
    for (let kept = 1; kept < lines.length; kept++) {
      expect(await fault(lines.slice(0, kept).join('\n'))).toMatch(
        /^r has \d+ \w+ lines where its first line says \d+: it was cut short or changed; write it again$/,
      );
    }
  });

  it('refuses a log that is not UTF-8', async () => {
    expect(await fault(Buffer.concat([Buffer.from(`${log()[0]}\n{"type":"x`), Buffer.of(0xff), Buffer.from('"}')]))).toBe(
      'r line 2 is not UTF-8 text; save the file as UTF-8',
    );
  });
});

describe('checkResult', () => {
  const message = (change: (result: Mutable) => void): string => {
    const result = structuredClone(sampleResult({ cells: 6, diagnose: true })) as Mutable;
    change(result);
    try {
      checkResult(result);
    } catch (error) {
      return (error as Error).message;
    }
    return 'no fault';
  };
  // biome-ignore lint/suspicious/noExplicitAny: every part of it is broken once.
  type Mutable = any;

  it('gives back what it was given', () => {
    const result = sampleResult({ hostile: true, repeats: true, sweep: true, diagnose: true });
    expect(checkResult(result)).toBe(result);
  });

  it.each<[string, (result: Mutable) => void]>([
    ['the result: pools[2].question is 12, and there are 12 questions; write the result again', (r) => (r.pools[2].question = 12)],
    [
      'the result: pools[0].passages[1].passage is 9999, and there are 133 passages; write the result again',
      (r) => (r.pools[0].passages[1].passage = 9999),
    ],
    [
      'the result: cells[5].records[1].pool is 9999, and there are 44 pools; write the result again',
      (r) => (r.cells[5].records[1].pool = 9999),
    ],
    [
      'the result: cells[5].records[1].cleanPool is 44, and there are 44 pools; write the result again',
      (r) => (r.cells[5].records[1].cleanPool = 44),
    ],
    [
      'the result: cells[5].records[1].context has rank 7, and its pool has 6 passages; write the result again',
      (r) => (r.cells[5].records[1].context = [6, 7]),
    ],
    [
      'the result: cells[5].records[1].cleanContext has rank 7, and its pool has 6 passages; write the result again',
      (r) => (r.cells[5].records[1].cleanContext = [7]),
    ],
    [
      'the result: cells[5].records[0].context has rank 1, and its pool has 0 passages; write the result again',
      (r) => (r.cells[5].records[0].context = [1]),
    ],
    [
      'the result: cells[4].records[1].verdicts has 0 verdicts for 6 passages; write the result again',
      (r) => (r.cells[4].records[1].verdicts = []),
    ],
    [
      'the result: cells[0].metrics.successRate.value is Infinity, expected number or null; correct it, or write the result again',
      (r) => (r.cells[0].metrics.successRate.value = Number.POSITIVE_INFINITY),
    ],
    ['the result: cells[0].sweep is a list, expected object; correct it, or write the result again', (r) => (r.cells[0].sweep = [])],
    [
      'the result: diagnoses[1].margins.counts[3] is 1.5, expected integer of at least 0; correct it, or write the result again',
      (r) => (r.diagnoses[1].margins.counts[3] = 1.5),
    ],
    [
      'the result: cells[0].metrics.a b is a list, expected object; correct it, or write the result again',
      (r) => (r.cells[0].metrics['a\u001bb'] = []),
    ],
    [
      'the result: cells[0].limit is -1, expected integer or null of at least 0; correct it, or write the result again',
      (r) => (r.cells[0].limit = -1),
    ],
    ['the result: cells is an object, expected array; correct it, or write the result again', (r) => (r.cells = {})],
  ])('says %j', (expected, change) => {
    expect(message(change)).toBe(expected);
  });
});
