import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFENSES, parseSpec, policyFromSpecs } from '@bezoar/core';
import { INDEX_DEFENSES } from '@bezoar/core/index-defenses';
import { describe, expect, it } from 'vitest';
import { planCells } from './bench-settings.ts';
import { indexDefenseOf } from './index-defense-of.ts';
import { parseSuite, readSuite, SUITE_NAMES, type SuitePart } from './read-suite.ts';

const VALID = `name: mine
title: My suite
source: nobody
differs: []
parts:
  - title: One
    defenses: [none, "grada?alpha=0.4"]
    attacks: [poisonedrag]
    pool: 10
    poisons: [1, 3]
    placements: [slot, ratio]
    keepDuplicates: true
    sweep:
      alpha: ["0", "1"]
`;

/** Settings of the bench itself that a sweep may name. */
const SETTINGS = ['pool', 'keep', 'poisons', 'placement', 'retriever', 'passage-text'];

/** Whatever a SPEC of a defense may name. */
const MAKERS: Readonly<Record<string, { (options: object): unknown; readonly optionSpecs: object }>> = { ...DEFENSES, ...INDEX_DEFENSES };

describe('the suites that ship', () => {
  it.each(SUITE_NAMES)('%s is valid, says what differs, and names parts apart', async (name) => {
    const suite = await readSuite(name);
    expect(suite.name).toBe(name);
    expect(suite.source).toContain('https://');
    expect(suite.differs.length).toBeGreaterThan(2);
    expect(new Set(suite.parts.map((part) => part.title)).size).toBe(suite.parts.length);
  });

  it.each(SUITE_NAMES)('%s names defenses that there are, and sweeps what one of them or the bench has', async (name) => {
    const { parts } = await readSuite(name);
    for (const part of parts) {
      const specs = part.defenses.map(parseSpec);
      const stages = part.defenses.map((spec) => (indexDefenseOf(spec) ? 1 : policyFromSpecs([spec]).stages.length));
      expect(stages).toEqual(specs.map(() => 1));
      for (const [swept, values] of Object.entries(part.sweep ?? {})) {
        if (SETTINGS.includes(swept)) continue;
        const takers = specs.filter((spec) => swept in (MAKERS[spec.name]?.optionSpecs ?? {}));
        expect(takers, swept).not.toEqual([]);
        // Each value is one that the option takes.
        for (const { name: defense, options } of takers) for (const value of values) MAKERS[defense]!({ ...options, [swept]: value });
      }
    }
  });

  it.each(SUITE_NAMES)('%s can be planned, every value it sweeps a measurement of its own', async (name) => {
    for (const part of (await readSuite(name)).parts) {
      const cells = planCells(part, { name: 'some', hasCandidates: true }, 0);
      for (const [swept, values] of Object.entries(part.sweep ?? {})) {
        expect(new Set(cells.flatMap(({ settings }) => settings.sweep?.[swept] ?? [])), part.title).toEqual(new Set(values));
      }
      const attacks = new Set(cells.map(({ settings }) => settings.attack));
      expect(attacks.size).toBe(part.attacks!.length);
    }
  });

  it.each(SUITE_NAMES)('%s plants no more poisoned passages than a pool holds', async (name) => {
    for (const part of (await readSuite(name)).parts) {
      const counts = [...(part.poisons ?? []), ...(part.sweep?.poisons ?? []).map(Number)];
      const most = part.placements?.includes('ratio') ? 1 : Math.min(part.pool ?? 10, ...(part.sweep?.pool ?? []).map(Number));
      for (const count of counts) {
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(most);
      }
    }
  });
});

describe('parseSuite', () => {
  it('reads every key of a part', () => {
    const part: SuitePart = {
      title: 'One',
      defenses: ['none', 'grada?alpha=0.4'],
      attacks: ['poisonedrag'],
      pool: 10,
      poisons: [1, 3],
      placements: ['slot', 'ratio'],
      keepDuplicates: true,
      sweep: { alpha: ['0', '1'] },
    };
    expect(parseSuite(VALID, 'mine.yaml')).toEqual({ name: 'mine', title: 'My suite', source: 'nobody', differs: [], parts: [part] });
  });

  it('reads JSON', () => {
    expect(parseSuite(JSON.stringify(parseSuite(VALID, 'a')), 'b')).toEqual(parseSuite(VALID, 'a'));
  });

  it.each([
    ['an unknown key', VALID.replace('source:', 'sources:'), 'mine.yaml line 3: unknown key "sources"; did you mean source?'],
    ['an unknown key in a part', VALID.replace('pool: 10', 'pol: 10'), 'mine.yaml line 9: part 1: unknown key "pol"; did you mean pool?'],
    [
      'a key that is like none',
      VALID.replace('name: mine', 'xyzzyxyzzy: 1\nname: mine'),
      'mine.yaml line 1: unknown key "xyzzyxyzzy"; the keys are name, title, source, differs, parts',
    ],
    ['a missing title', VALID.replace('title: My suite\n', ''), 'mine.yaml: title is missing, expected text'],
    [
      'a part without defenses',
      VALID.replace(/ {4}defenses:.*\n/, ''),
      'mine.yaml line 6: part 1: defenses is missing, expected a list of texts, at least one',
    ],
    [
      'a number out of range',
      VALID.replace('pool: 10', 'pool: 0'),
      'mine.yaml line 9: part 1: pool is 0, expected a whole number of at least 1',
    ],
    [
      'a number that is text',
      VALID.replace('poisons: [1, 3]', 'poisons: many'),
      'mine.yaml line 10: part 1: poisons is "many", expected a list of numbers of at least 0',
    ],
    [
      'a number that is none',
      VALID.replace('poisons: [1, 3]', 'poisons: [.nan]'),
      'mine.yaml line 10: part 1: poisons is a list, expected a list of numbers of at least 0',
    ],
    [
      'a placement that there is not',
      VALID.replace('ratio]', 'first]'),
      'mine.yaml line 11: part 1: placements is a list, expected a list of some of retrieval, slot, slot-middle, slot-last, ratio',
    ],
    [
      'a flag that is none',
      VALID.replace('keepDuplicates: true', 'keepDuplicates: maybe'),
      'mine.yaml line 12: part 1: keepDuplicates is "maybe", expected true or false',
    ],
    [
      'swept numbers that are no texts',
      VALID.replace('["0", "1"]', '[0, 1]'),
      'mine.yaml line 13: part 1: sweep is an object, expected lists of texts by the name of an option',
    ],
    [
      'no parts',
      VALID.replace(/parts:[\s\S]*/, 'parts: []'),
      'mine.yaml line 5: parts is an empty list, expected a list of parts, at least one',
    ],
    [
      'a part that is text',
      VALID.replace(/parts:[\s\S]*/, 'parts: [a]'),
      'mine.yaml line 5: parts is a list, expected a list of parts, at least one',
    ],
    ['an empty file', '', 'mine.yaml: the file holds empty, expected name, title, source, differs and parts'],
    ['a list', '[]', 'mine.yaml: the file holds an empty list, expected name, title, source, differs and parts'],
    ['two of a key', `${VALID}name: again\n`, 'mine.yaml line 15: Map keys must be unique'],
  ])('refuses %s and says where', (_, source, message) => {
    expect(() => parseSuite(source, 'mine.yaml')).toThrow(expect.objectContaining({ code: 'BAD_CONFIG', message }));
  });

  it('bounds what aliases unfold to', () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]',
      'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]',
      'd: [*c, *c, *c, *c, *c, *c, *c, *c, *c]',
    ].join('\n');
    expect(() => parseSuite(bomb, 'bomb.yaml')).toThrow(/^bomb\.yaml: Excessive alias count/);
  });

  it('keeps control characters out of its messages', () => {
    expect(() => parseSuite('"\\e[31mred": 1', 'a\u001b.yaml')).toThrow(/^a \.yaml line 1: unknown key "\\u001b\[31mred"/);
  });
});

describe('readSuite', () => {
  it('reads a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bezoar-suite-'));
    writeFileSync(join(folder, 'mine.yaml'), VALID);
    expect((await readSuite(join(folder, 'mine.yaml'))).title).toBe('My suite');
    expect((await readSuite('mine.yaml', folder)).title).toBe('My suite');
  });

  it('says which suites there are', async () => {
    await expect(readSuite('paper-grda')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'no suite or file is called paper-grda; did you mean paper-grada?',
    });
    await expect(readSuite('zzzzzzzz')).rejects.toMatchObject({
      message: 'no suite or file is called zzzzzzzz; there are paper-grada, paper-pra-rag, paper-ragpart, paper-trustrag',
    });
    await expect(readSuite('./none.yaml')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: './none.yaml does not exist; check the path',
    });
  });
});
