import { grada } from '@bezoar/core';
import { describe, expect, it } from 'vitest';
import { type BenchPart, planCells } from './bench-settings.ts';
import type { CellSettings } from './types.ts';

const dataset = { name: 'data', hasCandidates: true };
const plan = (part: Partial<BenchPart>, where = dataset, seed = 0): CellSettings[] =>
  planCells({ defenses: ['none'], ...part }, where, seed).map(({ settings }) => settings);
const brief = (cells: readonly CellSettings[]): unknown[] =>
  cells.map(({ attack, poisons, defense, encoder }) => [attack, poisons, defense, encoder]);

describe('planCells', () => {
  it('has the defaults of the documentation', () => {
    expect(plan({ attacks: ['poisonedrag'] })).toEqual([
      {
        dataset: 'data',
        attack: 'poisonedrag',
        defense: 'none',
        answerer: null,
        encoder: 'static',
        model: null,
        retriever: 'candidates',
        pool: 10,
        keep: 5,
        poisons: 1,
        placement: 'retrieval',
        passageText: 'title-and-text',
        shortPools: false,
        keepDuplicates: false,
        isolated: false,
        limit: null,
        seed: 0,
        seeds: [0],
        sweep: null,
        part: null,
      },
    ]);
    expect(plan({}, { name: 'data', hasCandidates: false })[0]).toMatchObject({ retriever: 'hybrid', attack: 'none', poisons: 0 });
  });

  it('names an encoder only where one is used', () => {
    const slot = { attacks: ['poisonedrag'], placements: ['slot'], encoders: ['static', 'onnx:m'] } as const;
    expect(brief(plan({ ...slot, defenses: ['none', 'grada?weights=bm25', 'grada?weights=embedding', 'trustrag-filter'] }))).toEqual([
      ['poisonedrag', 1, 'none', null],
      ['poisonedrag', 1, 'grada?weights=bm25', null],
      ['poisonedrag', 1, 'grada?weights=embedding', 'static'],
      ['poisonedrag', 1, 'grada?weights=embedding', 'onnx:m'],
      ['poisonedrag', 1, 'trustrag-filter', 'static'],
      ['poisonedrag', 1, 'trustrag-filter', 'onnx:m'],
    ]);
    // Where poison competes by similarity the pools are the encoder's.
    expect(plan({ ...slot, placements: ['retrieval'] }).map(({ encoder }) => encoder)).toEqual(['static', 'onnx:m']);
    expect(plan({ ...slot, retriever: 'lexical', placements: ['retrieval'] }).map(({ encoder }) => encoder)).toEqual([null]);
    expect(plan({ ...slot, retriever: 'dense' }).map(({ encoder }) => encoder)).toEqual(['static', 'onnx:m']);
  });

  it('crosses attacks, placements, poisons and defenses in that order, and repeats no cell', () => {
    const cells = plan({ attacks: ['none', 'corruptrag-as'], poisons: [1, 3], placements: ['slot'], defenses: ['none', 'deduplicate'] });
    expect(brief(cells)).toEqual([
      ['none', 0, 'none', null],
      ['none', 0, 'deduplicate', null],
      ['corruptrag-as', 1, 'none', null],
      ['corruptrag-as', 1, 'deduplicate', null],
      ['corruptrag-as', 3, 'none', null],
      ['corruptrag-as', 3, 'deduplicate', null],
    ]);
  });

  it('repeats a SPEC exactly as it was given, and leaves a recipe the number that its paper kept', () => {
    const spec = 'grada?weights=bm25&alpha=0.40';
    expect(plan({ defenses: [spec], keep: 3 })[0]).toMatchObject({ defense: spec, keep: 3 });
    expect(plan({ defenses: ['grada-bm25-zheng-2025'], keep: 3 })[0]!.keep).toBe(5);
    expect(plan({ defenses: ['grada?keep=2'] })[0]!.keep).toBe(2);
  });

  it('keeps duplicates in the defenses too, where they are kept', () => {
    const stages = (defense: string, keepDuplicates: boolean): string[] =>
      planCells({ defenses: [defense], keepDuplicates }, dataset, 0)[0]!.policy.stages.map(({ spec }) => spec);
    expect(stages('grada?alpha=0.3', false)).toEqual(['grada?alpha=0.3']);
    expect(stages('grada?alpha=0.3', true)).toEqual(['grada?alpha=0.3&collapseDuplicates=false']);
    expect(stages('grada', true)).toEqual(['grada?collapseDuplicates=false']);
    expect(stages('question-echo', true)).toEqual(['question-echo']);
  });

  it('takes defenses that are no SPEC', () => {
    expect(plan({ defenses: [grada({ alpha: 0.3 })] })[0]!.defense).toBe('grada?alpha=0.3');
  });

  it('sweeps an option of those that have it, and measures the others once', () => {
    const cells = plan({ defenses: ['none', 'grada?alpha=0.1'], sweep: { alpha: ['0.2', '0.4'] } });
    expect(cells.map(({ defense, sweep }) => [defense, sweep])).toEqual([
      ['none', null],
      ['grada?alpha=0.2', { alpha: '0.2' }],
      ['grada?alpha=0.4', { alpha: '0.4' }],
    ]);
  });

  it('sweeps settings and options of attacks, in combination', () => {
    const cells = plan({
      attacks: ['query-as-poison'],
      sweep: { position: ['prefix', 'suffix'], pool: ['10', '20'] },
      placements: ['slot'],
    });
    expect(cells.map(({ attack, pool, sweep }) => [attack, pool, sweep])).toEqual([
      ['query-as-poison?position=prefix', 10, { pool: '10', position: 'prefix' }],
      ['query-as-poison?position=prefix', 20, { pool: '20', position: 'prefix' }],
      ['query-as-poison?position=suffix', 10, { pool: '10', position: 'suffix' }],
      ['query-as-poison?position=suffix', 20, { pool: '20', position: 'suffix' }],
    ]);
    expect(
      plan({ attacks: ['poisonedrag'], sweep: { poisons: ['1', '2'], placement: ['slot', 'slot-last'] } }).map(({ poisons, placement }) => [
        poisons,
        placement,
      ]),
    ).toEqual([
      [1, 'slot'],
      [1, 'slot-last'],
      [2, 'slot'],
      [2, 'slot-last'],
    ]);
  });

  it('lets a defense that works inside the index search the corpus, and nothing else', () => {
    const ragpart = { attacks: ['query-as-poison'], defenses: ['none', 'ragpart?combine=1'] };
    expect(plan(ragpart).map(({ defense, retriever, encoder }) => [defense, retriever, encoder])).toEqual([
      ['none', 'dense', 'static'],
      ['ragpart?combine=1', 'dense', 'static'],
    ]);
    expect(() => plan({ ...ragpart, retriever: 'candidates' })).toThrow(
      'ragpart searches the corpus itself, so poison has to compete there; use --retriever dense',
    );
    expect(() => plan({ ...ragpart, placements: ['slot'] })).toThrow('use --placement retrieval');
    expect(plan({ ...ragpart, sweep: { combine: ['1', '3'] } }).map(({ defense }) => defense)).toEqual([
      'none',
      'ragpart?combine=1',
      'ragpart?combine=3',
    ]);
  });

  it('takes a share of poison for placement ratio', () => {
    const ratio = { attacks: ['poisonedrag'], placements: ['ratio'] } as const;
    expect(plan(ratio)[0]!.poisons).toBe(0.2);
    expect(plan({ ...ratio, poisons: [0, 0.5, 1] }).map(({ poisons }) => poisons)).toEqual([0, 0.5, 1]);
    expect(() => plan({ ...ratio, poisons: [2] })).toThrow('poisons is 2, expected a share from 0 to 1');
  });

  it('counts seeds up from the first, around the end', () => {
    expect(plan({ repeats: 3 }, dataset, 5)[0]).toMatchObject({ seed: 5, seeds: [5, 6, 7] });
    expect(plan({ repeats: 2 }, dataset, 0xffffffff)[0]!.seeds).toEqual([0xffffffff, 0]);
  });

  it.each<[string, Partial<BenchPart>, string]>([
    ['an unknown defense', { defenses: ['grade'] }, 'did you mean grada?'],
    ['an unknown attack', { attacks: ['poisondrag'] }, 'did you mean poisonedrag?'],
    ['an unknown option', { defenses: ['grada?alhpa=1'] }, 'did you mean alpha?'],
    ['a swept name that nothing has', { defenses: ['grada'], sweep: { alhpa: ['1'] } }, 'did you mean alpha?'],
    ['a sweep without values', { defenses: ['grada'], sweep: { alpha: [] } }, 'sweep: alpha has no values; write alpha=a,b,c'],
    ['no defense', { defenses: [] }, 'defenses is an empty list: name at least one'],
    ['no number of poisons', { poisons: [] }, 'poisons is an empty list: name at least one'],
    ['a pool of none', { pool: 0 }, 'pool is 0, expected a whole number from 1 to 1000'],
    ['half a passage', { keep: 2.5 }, 'keep is 2.5, expected a whole number from 1 to 1000'],
    ['more poison than pool', { attacks: ['poisonedrag'], pool: 3, poisons: [4] }, 'poisons is 4, expected a whole number from 1 to 3'],
    ['no poison', { attacks: ['poisonedrag'], poisons: [0] }, 'poisons is 0, expected a whole number from 1 to 10'],
    ['what is no number', { attacks: ['poisonedrag'], poisons: [Number.NaN] }, 'poisons is NaN'],
    ['a placement', { placements: ['slots' as 'slot'] }, 'did you mean slot?'],
    ['a retriever', { retriever: 'denser' as 'dense' }, 'did you mean dense?'],
    ['a passage text', { passageText: 'title' as 'text' }, 'expected title-and-text, text'],
    ['a limit of none', { limit: 0 }, 'limit is 0, expected a whole number of at least 1'],
    ['repeats', { repeats: 0 }, 'repeats is 0, expected a whole number from 1 to 1000'],
  ])('refuses %s', (_, part, message) => {
    expect(() => plan(part)).toThrow(message);
  });
});
