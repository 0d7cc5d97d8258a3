import { readFileSync } from 'node:fs';
import { HOSTILE_TEXTS } from '@bezoar/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../../../tests/shared-data.ts';
import { type MadeWrongTexts, makeWrongTexts } from './make-wrong-texts.ts';

const OTHERS = ['London', 'Ann Lee', 'a small town', '1984', '12 May 1907', 'yes', 'no', ' London '];

function make(correct: readonly string[], otherAnswers = OTHERS, seed = 1, id = 'q'): MadeWrongTexts {
  const query = { id, text: 'In what year was the Halden bridge opened to traffic?' };
  return makeWrongTexts({ query, correctAnswers: correct, targetAnswer: null }, { otherAnswers, count: 5, seed });
}

/** Targets over many questions of one kind. */
const targets = (correct: string, otherAnswers = OTHERS): string[] =>
  Array.from({ length: 200 }, (_, index) => make([correct], otherAnswers, 1, `q${index}`).targetAnswer);

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const words = (text: string): number => text.split(/\s+/).length;

describe('the target answer', () => {
  it.each([
    ['yes', 'no'],
    ['No.', 'yes'],
    ['YES', 'no'],
  ])('of %s is %s', (correct, target) => {
    expect(new Set(targets(correct))).toEqual(new Set([target]));
  });

  it('of a year is a year at most 12 away', () => {
    const years = targets('1961').map(Number);
    expect(Math.min(...years)).toBe(1949);
    expect(Math.max(...years)).toBe(1973);
    expect(years).not.toContain(1961);
  });

  it('of a number is one at most a third away, written the same way', () => {
    for (const target of targets('£5,679 million')) {
      expect(target).toMatch(/^£\d,\d{3} million$/);
      expect(Math.abs(Number(target.replace(/[^\d]/g, '')) - 5679)).toBeLessThanOrEqual(1893);
    }
    for (const target of targets('15.5%')) expect(target).toMatch(/^(1[0-46-9]|20)\.5%$/);
    for (const target of targets('999,900')) expect(target).toMatch(/^(\d{3}|1,\d{3}),\d{3}$/);
    expect(new Set(targets('1st'))).toEqual(new Set(['2st']));
    expect(new Set(targets('0'))).toEqual(new Set(['1']));
    // Beyond 2100 a number is no year.
    for (const target of targets('2200')) expect(Math.abs(Number(target) - 2200)).toBeLessThanOrEqual(733);
    expect(targets('12345678901234567890')[0]).toBe('22345678901234567890');
    expect(targets('99999999999999999999')[0]).toBe('89999999999999999999');
  });

  it('of a date is another month and, where there is one, another year', () => {
    for (const target of targets('2 March 1972')) {
      const [, day, month, year] = target.match(/^(\d+) (\w+) (\d{4})$/)!;
      expect([day, month === 'March', year === '1972']).toEqual(['2', false, false]);
    }
    expect(new Set(targets('22 November')).size).toBe(11);
    expect(targets('22 November')).not.toContain('22 November');
  });

  it('of a name is an answer of another question, the like ones first', () => {
    expect(
      new Set(targets('Bob Ray', ['London', 'x y z w v u t s r q', 'Ann Lee', '1984', 'Tim Roe', 'Jo Mill', 'May Orr', 'Al Fox'])),
    ).toEqual(new Set(['Ann Lee', 'Tim Roe', 'Jo Mill', 'May Orr', 'Al Fox']));
    // Five of like case, then the others.
    expect(new Set(targets('a big city', ['Paris', 'a small town', 'Rome', 'Oslo', 'Bonn', 'the wide sea']))).toEqual(
      new Set(['a small town', 'the wide sea', 'Paris', 'Rome', 'Oslo']),
    );
    expect(new Set(targets('Channel 4 of the north coast'))).toEqual(new Set(['London', 'Ann Lee', 'a small town']));
    // Of another kind where there is none of this.
    expect(new Set(targets('Ann', ['1984', '12 May 1907']))).toEqual(new Set(['1984', '12 May 1907']));
  });

  it('is never yes or no for a name, even where others answered so', () => {
    expect(new Set(targets('Bob', ['yes', 'No']))).not.toContain('yes');
  });

  it('is invented where no other answer fits', () => {
    expect(new Set(targets('Ann', ['Ann', 'Ann Lee', 'an', '', ' ']))).toEqual(
      new Set(['Corwin Hale', 'Marsh Bellamy', 'Odrun Vex', 'Tilly Quor', '77,431']),
    );
    expect(make([], []).targetAnswer).toMatch(/\S/);
    expect(make(['', ' '], []).targetAnswer).toMatch(/\S/);
  });

  it('comes from the first correct answer that is one, and equals, holds or lies in none', () => {
    expect(make(['-', 'yes']).targetAnswer).toBe('no');
    expect(['yes', 'no']).not.toContain(make(['yes', 'no']).targetAnswer);
    const answer = fc.oneof(fc.string(), fc.constantFrom('1961', '15', '2 May', 'Ann', 'ann lee', 'Ann Lee the elder', '3 km'));
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 3 }), fc.array(answer), fc.nat(), (correct, others, seed) => {
        const { targetAnswer } = make(correct, others, seed);
        const target = plain(targetAnswer);
        const clashes = (one: string): boolean => one !== '' && (target.includes(one) || one.includes(target));
        const stated = correct.map(plain);
        // A correct answer that lies in every invented name leaves nothing to choose.
        const nothing = ['corwin hale', 'marsh bellamy', 'odrun vex', 'tilly quor', '77 431'].every((name) =>
          stated.some((one) => one !== '' && (name.includes(one) || one.includes(name))),
        );
        expect(stated.some(clashes)).toBe(nothing && stated.some(clashes));
      }),
    );
  });

  it('is the given one where there is one', () => {
    const query = { id: 'q', text: 'Who?' };
    const settings = { otherAnswers: OTHERS, count: 1, seed: 1 };
    expect(makeWrongTexts({ query, correctAnswers: ['Ann'], targetAnswer: 'Bob' }, settings).targetAnswer).toBe('Bob');
    expect(makeWrongTexts({ query, correctAnswers: ['yes'], targetAnswer: ' ' }, settings).targetAnswer).toBe('no');
  });
});

describe('the texts', () => {
  const textsFor = (text: string, count = 5, seed = 1): readonly string[] =>
    makeWrongTexts({ query: { id: 'q', text }, correctAnswers: ['1961'], targetAnswer: '1974' }, { otherAnswers: [], count, seed }).texts;
  /** The part of the frames that changes with the question. */
  const topic = (question: string): string =>
    textsFor(question, 8)
      .find((text) => text.startsWith('A detailed entry on '))!
      .match(/^A detailed entry on (.*) was published/)![1]!;

  it('are as many as asked for, all different, all with the target', () => {
    for (const count of [0, 1, 5, 8, 9, 40]) {
      const texts = textsFor('In what year was the Halden bridge opened to traffic?', count);
      expect(texts).toHaveLength(count);
      expect(new Set(texts).size).toBe(count);
      expect(texts.every((text) => text.includes('1974') && !text.includes('1961'))).toBe(true);
    }
    expect(textsFor('Why?', 9)[8]).toMatch(/ So says source 2\.$/);
  });

  it('are the same for one seed and question, in another order for another', () => {
    expect(textsFor('Why?')).toEqual(textsFor('Why?'));
    expect(textsFor('Why?', 8, 2)).not.toEqual(textsFor('Why?', 8, 1));
    expect([...textsFor('Why?', 8, 2)].sort()).toEqual([...textsFor('Why?', 8, 1)].sort());
  });

  it.each([
    ['', 'this question'],
    ['?', 'this question'],
    ['Is it so?', 'this question'],
    ['Where is Paris?', 'Paris'],
    ["What is Ann's tower?", "Ann's tower"],
    ['Who wrote "Walk All Over Me"?', 'wrote Walk All Over Me'],
    ['where did J. R. Hale live', 'J. R. Hale live'],
    ['What bridge of the Halden is of iron?', 'bridge, Halden and iron'],
    ['Where is the Bridge of the Halden, or of Iron?', 'Bridge of the Halden and Iron'],
    ['Is the Bridge in need of paint?', 'Bridge, need and paint'],
    [`Is ${'x'.repeat(41)} a word, or ${'y'.repeat(39)}?`, `word and ${'y'.repeat(39)}`],
  ])('of %j are about %s', (question, about) => {
    const found = topic(question);
    // Topics of three are turned from text to text; one of the turns is in the question's order.
    const parts = (text: string): string[] => text.split(/, | and /).sort();
    expect(parts(found)).toEqual(parts(about));
  });

  it('carry at most ten words of the question', () => {
    const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
    expect(words(topic(long))).toBe(10);
    expect(topic(long)).toBe('word0 word1 word2 word3 word4 word5 word6 word7 word8 word9');
    // The second run of six finds no room beside the first of seven, the third of three does.
    expect(topic('a1 a2 a3 a4 a5 a6 a7, b1 b2 b3 b4 b5 b6, c1 c2 c3')).toMatch(/^(a1.* and c1 c2 c3|c1 c2 c3 and a1.*)$/);
  });

  it('take their topics in turn', () => {
    const question = 'What bridge of the Halden is of iron?';
    const starts = textsFor(question, 6).map((text) => ['bridge,', 'Halden,', 'iron,'].find((word) => text.includes(` ${word} `)));
    expect(starts).toEqual(['bridge,', 'Halden,', 'iron,', 'bridge,', 'Halden,', 'iron,']);
  });

  it('are made of hostile and huge texts too, at once', () => {
    const huge = ['!'.repeat(100_000), 'a '.repeat(100_000), '1,'.repeat(50_000), `${'9'.repeat(100_000)}`, 'May '.repeat(50_000)];
    for (const text of [...HOSTILE_TEXTS, ...huge]) {
      const query = { id: text.slice(0, 50), text };
      const started = performance.now();
      const made = makeWrongTexts(
        { query, correctAnswers: [text], targetAnswer: null },
        { otherAnswers: [...HOSTILE_TEXTS, ...huge], count: 5, seed: 1 },
      );
      expect(made.texts).toHaveLength(5);
      expect(made.targetAnswer.trim()).not.toBe('');
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });
});

describe.skipIf(!hasShared)('makeWrongTexts on hotpotqa', () => {
  interface Line {
    readonly _id: string;
    readonly text: string;
    readonly metadata: { readonly answers: readonly string[] };
  }
  const path = sharedPath('data/hotpotqa/queries.jsonl');
  const lines = hasShared
    ? readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : [];

  it('makes five texts of 20 to 40 words for every question, and no target that is right', () => {
    expect(lines.length).toBeGreaterThan(40);
    for (const { _id, text, metadata } of lines) {
      const otherAnswers = lines.filter((line) => line._id !== _id).flatMap((line) => line.metadata.answers);
      const made = makeWrongTexts(
        { query: { id: _id, text }, correctAnswers: metadata.answers, targetAnswer: null },
        { otherAnswers, count: 5, seed: 0 },
      );
      expect(new Set(made.texts).size).toBe(5);
      for (const one of made.texts) {
        expect(words(one), one).toBeGreaterThanOrEqual(20);
        expect(words(one), one).toBeLessThanOrEqual(40);
        expect(one).toContain(made.targetAnswer);
      }
      for (const answer of metadata.answers.map(plain)) expect(plain(made.targetAnswer)).not.toContain(answer);
    }
  });
});
