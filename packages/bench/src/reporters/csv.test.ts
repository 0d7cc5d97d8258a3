import { describe, expect, it } from 'vitest';
import { sampleResult } from '../testing/sample-result.ts';
import type { BenchResult, MetricValue, ResultCell } from '../types.ts';
import { csv } from './csv.ts';

const whole: MetricValue = { value: -0.25, low: -1, high: 1 / 3, n: 7, notAssessed: 1 };

function rows(change: Partial<ResultCell>): string[] {
  const result = sampleResult({ cells: 1 });
  const changed: BenchResult = { ...result, cells: [{ ...result.cells[0]!, metrics: { pad: whole }, ...change }] };
  return [...csv.render(changed, { columns: 80, colour: false })].join('').split('\r\n').slice(1, -1);
}

const REST = 'candidates,6,3,slot,title-and-text,false,false,false,,1,1,7,0,6,1,';

describe('csv', () => {
  it('has a row a metric with all settings, unrounded; a number may begin with a minus', () => {
    expect(rows({})).toEqual([`,alpha,none,0,none,,,,,${REST},pad,-0.25,-1,0.3333333333333333,7,1,`]);
    expect(rows({ metrics: { a: { ...whole, deviation: 0.5 }, b: { value: null, low: null, high: null, n: 0, notAssessed: 8 } } })).toEqual(
      [`,alpha,none,0,none,,,,,${REST},a,-0.25,-1,0.3333333333333333,7,1,0.5`, `,alpha,none,0,none,,,,,${REST},b,,,,0,8,`],
    );
  });

  it('has a row for a cell without metrics', () => {
    expect(rows({ metrics: {} })).toEqual([`,alpha,none,0,none,,,,,${REST},,,,,,,`]);
  });

  it('writes sweeps, seeds, limits, parts and warnings', () => {
    const sweep = { alpha: '0.2', pool: '5' };
    const warnings = ['null-attack', 'short-pools'].map((code) => ({ code: code as 'null-attack', message: 'said' }));
    expect(rows({ sweep, seeds: [1, 2], limit: 50, part: 'Table 5', encoder: 'static', isolated: true, warnings })).toEqual([
      'Table 5,alpha,none,0,none,static,,,alpha=0.2; pool=5,candidates,6,3,slot,title-and-text,false,false,true,50,1,1 2,7,0,6,1,null-attack short-pools,pad,-0.25,-1,0.3333333333333333,7,1,'.replace(
        /^(Table 5)|(alpha=0.2; pool=5)|(1 2)(?=,7,0)|(null-attack short-pools)/g,
        '"$&"',
      ),
    ]);
  });

  it.each([
    ['=cmd|x', "'=cmd|x"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    [' =1', `"' =1"`],
    ['\tx', `"' x"`],
    ['\rx', `"' x"`],
    ['\nx', `"' x"`],
    ['a-b=c', 'a-b=c'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['"', '""""'],
    ['a\r\nb', '"a b"'],
    ['\u001b[31m\u202ex', '" [31m x"'],
    ['', ''],
  ])('writes the name %j as %s', (name, field) => {
    expect(rows({ dataset: name })).toEqual([`,${field},none,0,none,,,,,${REST},pad,-0.25,-1,0.3333333333333333,7,1,`]);
  });
});
