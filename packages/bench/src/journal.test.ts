import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openJournal } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const place = (): string => join(folder, `${files++}.partial`);

async function write(path: string, entries: Readonly<Record<string, unknown>>, identity: unknown = 'a run'): Promise<void> {
  const journal = await openJournal(path, identity);
  for (const [key, value] of Object.entries(entries)) await journal.append(key, value);
  await journal.close();
}

async function read(path: string, identity: unknown = 'a run'): Promise<Record<string, unknown>> {
  const journal = await openJournal(path, identity);
  await journal.close();
  return Object.fromEntries(journal.done);
}

describe('openJournal', () => {
  it('gives back what was written, over several runs', async () => {
    const path = place();
    expect(await read(path)).toEqual({});
    await write(path, { one: { n: 1 }, 'two\n': ['x', null] });
    await write(path, { three: 3 });
    expect(await read(path)).toEqual({ one: { n: 1 }, 'two\n': ['x', null], three: 3 });
  });

  it('keeps long pieces of work whole that are done at the same time, and waits for them when it closes', async () => {
    const path = place();
    const journal = await openJournal(path, 'a run');
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2 ** 21));
    const appended = texts.map((text) => journal.append(text[0]!, text));
    await journal.close();
    await Promise.all(appended);
    expect(await read(path)).toEqual(Object.fromEntries(texts.map((text) => [text[0], text])));
  });

  it('cuts off what a killed process left unfinished, wherever it was cut, and goes on', async () => {
    const path = place();
    await write(path, { one: 'é', two: 2 });
    const bytes = readFileSync(path);
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const whole = bytes.subarray(0, length).toString().split('\n').length - 2;
      expect(Object.keys(await read(path))).toEqual(['one', 'two'].slice(0, Math.max(0, whole)));
      await write(path, { three: 3 });
      expect(Object.keys(await read(path))).toEqual([...['one', 'two'].slice(0, Math.max(0, whole)), 'three']);
    }
  });

  it('refuses the journal of another run, and leaves it as it is', async () => {
    const path = place();
    await write(path, { one: 1 });
    const before = readFileSync(path);
    await expect(read(path, 'another run')).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('is left from a run with other settings, data or version; remove it'),
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it('names the line that is damaged', async () => {
    const path = place();
    await write(path, { one: 1 });
    appendFileSync(path, 'not JSON\n');
    await expect(read(path)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: `${path} line 3 is damaged; remove the file to start again`,
    });
  });

  it('says when the place cannot be written', async () => {
    await expect(openJournal(join(folder, 'no', 'such', 'folder'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
