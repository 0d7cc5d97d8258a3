import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BezoarError } from '@bezoar/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryTerminal } from '../../../tests/memory-terminal.ts';
import { type JsonLine, readJsonLines } from './read-json-lines.ts';

async function read(input: readonly (string | Uint8Array)[]): Promise<JsonLine[]> {
  const found: JsonLine[] = [];
  for await (const line of readJsonLines('-', memoryTerminal({ input }))) found.push(line);
  return found;
}

const values = async (...input: (string | Uint8Array)[]): Promise<unknown[]> => (await read(input)).map(({ value }) => value);

async function fault(run: Promise<unknown>): Promise<BezoarError> {
  const error = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!BezoarError.is(error)) throw new Error(`expected a BezoarError, got ${String(error)}`);
  return error;
}

describe('readJsonLines', () => {
  it('reads a value a line, with or without a line end at the end', async () => {
    expect(await values('{"a":1}\n[2]\n"three"\n')).toEqual([{ a: 1 }, [2], 'three']);
    expect(await values('1\n2')).toEqual([1, 2]);
    expect(await values('')).toEqual([]);
  });

  it('passes over blank lines and counts them', async () => {
    expect(await read(['\n  \n{"a":1}\n\r\n\n2\n'])).toEqual([
      { value: { a: 1 }, at: 'standard input line 3' },
      { value: 2, at: 'standard input line 6' },
    ]);
  });

  it('takes CRLF and a byte order mark at the beginning of the first line only', async () => {
    expect(await values('\ufeff{"a":1}\r\n{"b":2}\r\n')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(await values('\ufeff')).toEqual([]);
    expect((await fault(values('1\n\ufeff2\n'))).message).toMatch(/^standard input line 2 is not JSON: /);
  });

  it('keeps separators of Unicode and a byte order mark inside a text', async () => {
    expect(await values('"a\u2028b\u0085c\ufeffd"\n')).toEqual(['a\u2028b\u0085c\ufeffd']);
  });

  it('reads the same whatever the chunks, also when they cut a character', async () => {
    const text = '\ufeff{"é":"東京 👩‍👩‍👧"}\r\n\n"\u{10ffff}"\n3';
    const bytes = new TextEncoder().encode(text);
    const whole = await read([bytes]);
    expect(whole.map(({ value }) => value)).toEqual([{ é: '東京 👩‍👩‍👧' }, '\u{10ffff}', 3]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }), async (cuts) => {
        const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = borders.slice(1).map((end, index) => bytes.slice(borders[index], end));
        expect(await read(chunks)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('reads long lines and refuses one of more than 64 MB before it is whole', async () => {
    const long = 'x'.repeat(5_000_000);
    expect(await values(`"${long}"\n`, '1\n')).toEqual([long, 1]);
    let given = 0;
    const endless = (async function* () {
      for (;;) {
        given += 1;
        yield new Uint8Array(1024 * 1024).fill(0x20);
      }
    })();
    const error = await fault(
      (async () => {
        for await (const line of readJsonLines('-', memoryTerminal({ stdin: endless }))) throw new Error(`read ${line.at}`);
      })(),
    );
    expect(error.code).toBe('TOO_LARGE');
    expect(error.message).toBe('standard input has a line of more than 67108864 characters; write one object a line');
    expect(given).toBe(65);
  });

  it('says where a line is not JSON, and what to write', async () => {
    const error = await fault(values('{"a":1}\n{"a":\n'));
    expect(error.code).toBe('BAD_INPUT');
    expect(error.details.line).toBe(2);
    expect(error.message).toMatch(/^standard input line 2 is not JSON: .+; write one object a line$/);
  });

  it('hints at numbers that JSON does not have, and at other encodings', async () => {
    expect((await fault(values('{"a": NaN}'))).message).toContain('NaN and Infinity are not JSON, write null');
    expect((await fault(values('[-Infinity]'))).message).toContain('NaN and Infinity are not JSON, write null');
    // What Windows PowerShell writes with `>`: UTF-16 with its mark.
    expect((await fault(values(Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0, 10, 0)))).message).toContain('it is not UTF-8 text');
  });

  it('never repeats an escape of the input', async () => {
    const { message } = await fault(values('\u001b]0;title\u0007\u009b31m\u202e{"a"\n'));
    expect(message).toMatch(/^[^\p{Cc}\p{Cf}]*$/u);
    expect(message.length).toBeLessThan(250);
  });

  it('reads a file of the terminal’s folder, and says in a sentence when it cannot', async () => {
    const terminal = memoryTerminal();
    writeFileSync(join(terminal.cwd, 'in.jsonl'), '1\n2\n');
    mkdirSync(join(terminal.cwd, 'folder'));
    const all = async (path: string): Promise<string[]> => {
      const places: string[] = [];
      for await (const line of readJsonLines(path, terminal)) places.push(line.at);
      return places;
    };
    expect(await all('in.jsonl')).toEqual(['in.jsonl line 1', 'in.jsonl line 2']);
    expect((await fault(all('nope.jsonl'))).message).toBe('nope.jsonl does not exist; check the path');
    expect((await fault(all('folder'))).message).toBe('folder is a folder; name a file');
    expect((await fault(all('in.jsonl/x'))).message).toBe('in.jsonl/x has a file where its path needs a folder; check the path');
  });
});
