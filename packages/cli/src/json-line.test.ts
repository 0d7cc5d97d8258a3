import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLine } from './json-line.ts';

describe('jsonLine', () => {
  it('escapes what acts on a terminal and leaves the value as it is', () => {
    const value = { id: '\u001b[31m\u009b31m\u202e\u2028\u007f\ufeff東京 é 😀', n: [1.5, null, true] };
    const line = jsonLine(value, 'line 1');
    expect(line).toBe('{"id":"\\u001b[31m\\u009b31m\\u202e\\u2028\\u007f\\ufeff東京 é 😀","n":[1.5,null,true]}\n');
    expect(JSON.parse(line)).toEqual(value);
  });

  it('is one line for any value, and reads back as JSON itself would', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(fc.nat({ max: 0xffff })), (value, units) => {
        const text = String.fromCharCode(...units);
        const line = jsonLine([value, text], 'line 1');
        expect(line.slice(0, -1)).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify([value, text])));
      }),
    );
  });

  it('says where a value is nested too deeply to be written', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => jsonLine(deep, 'in.jsonl line 7')).toThrow(/^in\.jsonl line 7 is nested too deeply/);
  });
});
