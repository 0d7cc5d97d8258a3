import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonLine, readJsonLines, recordOf, textField } from './read-json-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'bezoar-lines-'));

async function all(lines: AsyncIterable<JsonLine>): Promise<JsonLine[]> {
  const found: JsonLine[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  for (let index = 1; index < borders.length; index++) yield bytes.slice(borders[index - 1], borders[index]);
}

describe('readJsonLines', () => {
  it('says where each line lies in bytes, past a mark, blank lines and characters of several bytes', async () => {
    const file = join(folder, 'places.jsonl');
    writeFileSync(file, '\ufeff{"a":"é"}\r\n\n"東京"\n3');
    const found = await all(readJsonLines(file, 'x'));
    expect(found).toEqual([
      { value: { a: 'é' }, at: 'x line 1', line: 1, offset: 3, bytes: 11 },
      { value: '東京', at: 'x line 3', line: 3, offset: 16, bytes: 8 },
      { value: 3, at: 'x line 4', line: 4, offset: 25, bytes: 1 },
    ]);
  });

  it('whatever the lines and the chunks, the bytes at a place are the line again', async () => {
    const line = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant('x'.repeat(300)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        fc.boolean(),
        fc.array(fc.nat({ max: 500 }), { maxLength: 8 }),
        async (values, end, mark, cuts) => {
          const bytes = new TextEncoder().encode((mark ? '\ufeff' : '') + values.map((value) => JSON.stringify(value) + end).join(''));
          const inside = cuts.map((cut) => Math.min(cut, bytes.length));
          const found = await all(readJsonLines(chunked(bytes, inside), 'x'));
          expect(found.map(({ value }) => value)).toEqual(values);
          for (const { value, offset, bytes: length } of found)
            expect(JSON.parse(new TextDecoder().decode(bytes.slice(offset, offset + length)))).toEqual(value);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('replaces bytes that are not UTF-8, or refuses them where asked; U+FFFD itself is text', async () => {
    const file = join(folder, 'latin.jsonl');
    writeFileSync(file, Buffer.concat([Buffer.from('"\ufffd"\n"caf'), Buffer.from([0xe9]), Buffer.from('"\n')]));
    expect((await all(readJsonLines(file, 'x'))).map(({ value }) => value)).toEqual(['\ufffd', 'caf\ufffd']);
    await expect(all(readJsonLines(file, 'x', { invalidUtf8: 'refuse' }))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'x line 2 is not UTF-8 text; save the file as UTF-8',
      details: { line: 2 },
    });
  });

  it('can be left early, and then reads no further', async () => {
    let given = 0;
    const endless = (async function* () {
      for (;;) {
        given += 1;
        yield Buffer.from('1\n');
      }
    })();
    for await (const { line } of readJsonLines(endless, 'x')) if (line === 3) break;
    expect(given).toBe(3);
  });

  it('reads what it is given, not what lies around it in memory', async () => {
    const whole = readFileSync(join(folder, 'places.jsonl'));
    const around = Buffer.concat([Buffer.from('garbage'), whole, Buffer.from('garbage')]);
    const view = around.subarray(7, 7 + whole.length);
    const one = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    };
    expect((await all(readJsonLines(one(), 'x'))).map(({ value }) => value)).toEqual([{ a: 'é' }, '東京', 3]);
  });
});

describe('recordOf and textField', () => {
  const at = 'f line 2';
  it('give what is there', () => {
    expect(recordOf({ value: { a: 1 }, at })).toEqual({ a: 1 });
    expect(textField('', { at }, 'text')).toBe('');
  });
  it.each([[null], [[]], ['x'], [1], [undefined]])('%j is no object', (value) => {
    expect(() => recordOf({ value, at })).toThrow('f line 2: the line is not an object; write one {...} a line');
  });
  it.each([
    [undefined, 'missing'],
    [null, 'null'],
    [1, 'a number'],
    [true, 'a boolean'],
  ])('%j is no text', (value, said) => {
    expect(() => textField(value, { at }, 'title')).toThrow(`f line 2: title is ${said}, expected text`);
  });
});
